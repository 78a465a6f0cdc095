"""A tried plan, compared with the existing plan."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, ClassVar

from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import losses_and_cost
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.plan import Plan

TRIED = "tried"


@dataclass(frozen=True)
class TriedPlan(Plan):
    """The plan that would come next if something were otherwise, and the current plan to compare it with."""

    computed: ClassVar = ("differences",)

    current: Plan | None = None
    made: bool = False  # whether the current plan is one of the campaign, or what comes as things are

    @classmethod
    def compared(cls, stored: PlanPayload, current: Plan, *, made: bool) -> "TriedPlan":
        """A plan on trial, as it would be written."""
        tried = Plan.of(stored)
        parts = {each.name: getattr(tried, each.name) for each in fields(Plan)}
        return cls(**{**parts, "state": TRIED}, current=current, made=made)

    @property
    def current_name(self) -> str:
        """What the current plan is called."""
        return f"plan {self.current.id}" if self.made and self.current else "the plan as things are"

    @property
    def differences(self) -> dict[str, int | float]:
        """What each arm gets more than in the current plan; less is negative."""
        now = self.current.amounts if self.current else {}
        return {
            name: plain(Decimal(str(amount)) - Decimal(str(now.get(name, 0))))
            for name, amount in self.amounts.items()
        }

    def columns(self) -> tuple[str, ...]:
        """What each place would get, gets in the current plan, and the difference."""
        return ("place", "amount", "current", "difference")

    def rows(self) -> list[tuple[Any, ...]]:
        """A row an arm."""
        now = self.current.amounts if self.current else {}
        return [
            (name, amount, now.get(name, 0), self.differences[name]) for name, amount in self.amounts.items()
        ]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The same, with a sign before what changes and nothing where nothing does."""
        return self.columns(), [(*row[:3], f"{row[3]:+.12g}" if row[3] else "") for row in self.rows()]

    def title(self) -> str:
        """That it is a trial, and for when."""
        return f"Tried for {self.date}" + ("" if self.situation is None else f" ({self.situation})")

    def ways(self) -> dict[str, str]:
        """What is expected of the trial, of the current plan, and of plainer plans."""
        found = super().ways()
        if self.current is None:
            return found
        losses, cost = self.current.expected_losses, self.current.expected_cost
        words = losses_and_cost(losses, cost, weighted=self.weighted or self.current.weighted)
        return {"this trial": found.pop("this plan"), self.current_name: words, **found}
