"""A plan as users see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from allotment.campaign.amounts import listed, plain
from allotment.campaign.answers.answer import Answer, losses_and_cost
from allotment.campaign.history.plan_records import UNTOLD, WAITING, Amounts, PlanRecord
from allotment.campaign.planning.asking import amounts_of
from allotment.campaign.planning.calm import calm_sentences
from allotment.campaign.planning.expectations import Expected, expected_in, weights_differ
from allotment.campaign.planning.orders import orders_in


class BriefPlan(NamedTuple):
    """A plan in a line: its date, its state, and how many of its places have no report."""

    id: str
    date: date
    state: str
    missing: int
    places: int

    def __str__(self) -> str:
        return f"plan {self.id} of {self.date} ({self.missing} of {self.places} places not reported)"

    def to_dict(self) -> dict[str, Any]:
        """The line as plain data."""
        return {**self._asdict(), "date": self.date.isoformat()}


def in_brief(plans: Iterable[PlanRecord]) -> tuple[BriefPlan, ...]:
    """Plans in a line each, oldest date first."""
    found = [BriefPlan(plan.id, plan.date, plan.state, plan.missing, plan.arms.size) for plan in plans]
    return tuple(sorted(found, key=lambda plan: plan.date))


@dataclass(frozen=True)
class Plan(Answer):
    """What every arm gets on a date, in the user's amounts, and how far it has been reported."""

    id: str
    number: int
    date: date
    amounts: dict[str, int | float]  # zeros included; by the names of that day
    state: str  # "waiting", "partly told", "told", "closed", "cancelled"
    spare: dict[str, int | float]  # of the amounts, units that no arm needed
    expected_losses: float | None  # a number of losses; None where an earlier version stored the cost only
    expected_cost: float  # losses weighted by severity
    weighted: bool  # whether the severity of some place is not 1
    beside: dict[str, Expected]  # what plainer plans within the same bounds are expected to lose
    budget: int | float
    rest: int | float  # of the budget, that is no whole unit
    unit: int | float
    explore: bool
    told: dict[str, int]  # losses reported so far
    told_amounts: dict[str, int | float]  # granted in truth, where it was not the plan
    by: str | None = None
    at: datetime | None = None
    calm: dict[str, Any] | None = None  # of a limit of moves: as `calm_of` gives it
    orders: tuple[str, ...] = ()  # of the day, in words
    replaces: str | None = None  # the plan that was cancelled for it

    @classmethod
    def of(
        cls,
        payload: dict[str, Any],
        record: PlanRecord | None = None,
        known: Amounts | None = None,
        by: str | None = None,
        at: datetime | None = None,
        *,
        weighted: bool = False,
    ) -> "Plan":
        """A plan as it was written, and what has been told of it.

        `weighted` says whether severities differ, of plans of version 1, which do not say.
        """
        told, told_amounts = {}, {}
        if "severities" in payload:
            weighted = weights_differ(payload["severities"])
        losses, cost = expected_in(payload, weighted=weighted)
        if record is not None and known is not None:
            for i in np.flatnonzero(record.losses != UNTOLD).tolist():
                told[payload["arms"][i]] = int(record.losses[i])
            for i in np.flatnonzero(record.amounts != UNTOLD).tolist():
                told_amounts[payload["arms"][i]] = plain(known.values[int(record.amounts[i])])
        return cls(
            id=payload["plan"],
            number=int(payload["plan"]),
            date=date.fromisoformat(payload["date"]),
            amounts=amounts_of(payload),
            state=WAITING if record is None else record.state,
            spare={name: amount for name, amount in amounts_of(payload, "spare").items() if amount},
            expected_losses=losses,
            expected_cost=cost,
            weighted=weighted,
            beside={name: Expected(*found) for name, found in payload.get("beside", {}).items()},
            budget=plain(Decimal(payload["budget"])),
            rest=plain(Decimal(payload["rest"])),
            unit=plain(Decimal(payload["unit"])),
            explore=payload["explore"],
            told=told,
            told_amounts=told_amounts,
            by=by,
            at=at,
            calm=payload.get("calm"),
            orders=orders_in(payload),
            replaces=payload.get("replaces"),
        )

    @property
    def untold(self) -> tuple[str, ...]:
        """The arms still to be reported."""
        return tuple(name for name in self.amounts if name not in self.told)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        at = None if self.at is None else self.at.isoformat()
        beside = {name: found._asdict() for name, found in self.beside.items()}
        return {**vars(self), "date": self.date.isoformat(), "at": at, "beside": beside}

    def columns(self) -> tuple[str, ...]:
        """Place and amount; and what was told, if something was."""
        return ("place", "amount", "told", "granted") if self.told else ("place", "amount")

    def rows(self) -> list[tuple[Any, ...]]:
        """A row an arm."""
        if not self.told:
            return list(self.amounts.items())
        return [
            (
                name,
                amount,
                self.told.get(name),
                self.told_amounts.get(name, amount) if name in self.told else None,
            )
            for name, amount in self.amounts.items()
        ]

    def sentences(self) -> list[str]:
        """What there is to say beside the amounts."""
        granted = plain(Decimal(sum(Decimal(str(amount)) for amount in self.amounts.values())))
        ways = "; ".join(f"{name} {words}" for name, words in self.ways().items())
        replaced = f" It replaces plan {self.replaces}." if self.replaces else ""
        said = [
            f"{self.title()}: {granted} of {self.budget} granted.{replaced}",
            *([f"Orders of the day: {'; '.join(self.orders)}."] if self.orders else []),
            f"Expected in a round: {ways}.",
        ]
        if self.spare:
            spare = listed(f"{name} {amount}" for name, amount in self.spare.items())
            said.append(f"Units that no place needed: {spare}.")
        if self.rest:
            said.append(f"{self.rest} of the budget is no whole unit of {self.unit} and stays.")
        return said + calm_sentences(self.calm)

    def title(self) -> str:
        """Which plan it is, and how far it has been reported."""
        return f"Plan {self.id} of {self.date}, {self.state}"

    def ways(self) -> dict[str, str]:
        """What is expected of the plan, and of what else one could do within its bounds, in words."""
        ways = {"this plan": (self.expected_losses, self.expected_cost), **self.beside}
        return {name: losses_and_cost(*found, weighted=self.weighted) for name, found in ways.items()}
