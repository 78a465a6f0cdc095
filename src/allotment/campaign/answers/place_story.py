"""The explanation of one place in a plan: evidence, curve, bounds, and the effect of one unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.answers.reason import Reason
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import LEAST, Answer, losses_and_cost, short
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.plan import plan_words, situation_words
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.settings import Settings


@dataclass(frozen=True)
class AmountOfPlace:
    """What is expected of one amount, as stored with the plan, and what was reported at it until now."""

    amount: int | float
    expected_losses: float | None
    expected_cost: float | None
    rounds: float
    losses: float


@dataclass(frozen=True)
class PlaceStory(Answer):
    """Why one place gets what it gets in a plan."""

    plan_id: str
    date: str
    place: str
    weighted: bool
    note: str  # the sentence of the officer's note
    details: tuple[str, ...]  # what one unit more or less does, and the bounds
    reason: Reason
    amounts: tuple[AmountOfPlace, ...]  # up to its most
    situation: str | None = None  # that the plan was made for
    counts_as: str | None = None  # the situation of its reports, if a new calendar gives another one

    def columns(self) -> tuple[str, ...]:
        """Of the amounts."""
        cost = ("expected cost",) if self.weighted else ()
        return ("amount", "expected losses", *cost, "rounds reported", "losses reported")

    def rows(self) -> list[tuple[Any, ...]]:
        """A row an amount."""
        return [
            (
                *(each.amount, each.expected_losses),
                *((each.expected_cost,) if self.weighted else ()),
                *(each.rounds, each.losses),
            )
            for each in self.amounts
        ]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The same in few digits."""

        def expected(value: Any) -> str:
            return "" if value is None else short(value)

        rows: list[Sequence[Any]] = [
            (amount, *map(expected, means), *(f"{each:.12g}" if each else "" for each in (rounds, losses)))
            for amount, *means, rounds, losses in self.rows()
        ]
        return self.columns(), rows

    def sentences(self) -> list[str]:
        """Why it gets that, what one unit more or less does, and its bounds."""
        situation = situation_words(self.situation, self.counts_as)
        which = plan_words(self.plan_id, self.date, situation, capital=True)
        return [f"{which}: {self.note}", *self.details]


def story_of(
    plan: PlanPayload,
    why: Explanation,
    position: int,
    settings: Settings,
    arm: Arm,
    seen: dict[int | float, tuple[float, float]],
) -> PlaceStory:
    """The story of the place at a position of a plan; `seen` are rounds and losses by amount, until now."""
    reason, most = why.reasons[position], plain(arm.most)
    table: dict[int | float, float] = {}
    severity = 1.0
    if plan.tables is not None:
        row, severity = plan.tables.losses[position], plan.tables.severities[position]
        table = {plain(units * plan.unit): each for units, each in enumerate(row)}
    amounts = []
    for amount in sorted({*table, *(each for each in seen if each <= most)}):
        losses, (rounds, lost) = table.get(amount), seen.get(amount, (0.0, 0.0))
        cost = None if losses is None else severity * losses
        amounts.append(AmountOfPlace(amount, losses, cost, rounds, lost))
    return PlaceStory(
        plan_id=why.plan_id,
        date=why.date,
        place=reason.arm,
        weighted=why.weighted,
        note=why.why(reason),
        details=(*_around(why, reason), *_bounds(settings, arm)),
        reason=reason,
        amounts=tuple(amounts),
        situation=why.situation,
        counts_as=why.counts_as,
    )


def _around(why: Explanation, reason: Reason) -> list[str]:
    """What one unit more or less does, and the next amount that would matter."""

    def words(losses: float | None, cost: float) -> str:
        return losses_and_cost(losses, cost, weighted=why.weighted)

    said = []
    if reason.one_less_cost is not None:
        said.append(
            f"{why.unit} less would add {words(reason.one_less_losses, reason.one_less_cost)} a round."
        )
    if reason.one_more_cost is not None and reason.binds != "excluded":  # where plans store no crew
        said.append(
            f"{why.unit} more would prevent {words(reason.one_more_losses, reason.one_more_cost)} a round."
        )
    one_more = plain(Decimal(str(reason.amount)) + Decimal(str(why.unit)))
    gain = reason.next_cost or 0.0
    if reason.amount and gain >= LEAST and reason.next_amount != one_more:
        more = words(reason.next_losses, gain)
        said.append(
            f"The next amount that would matter is {reason.next_amount}: it would prevent {more} more."
        )
    return said


def _bounds(settings: Settings, arm: Arm) -> list[str]:
    """What a plan may grant to a place, as the settings are now."""
    said = f"Bounds now: {plain(arm.least)} to {plain(arm.most)} in units of {plain(settings.unit)}"
    if arm.crew:
        said += f", nothing or at least its crew of {plain(arm.crew)}"
    if arm.threshold is not None:
        said += f", known threshold {plain(arm.threshold)}"
    group = None if arm.group is None else settings.groups.get(arm.group)
    if group is not None and (group.least or group.most is not None):
        most = "" if group.most is None else f" to {plain(group.most)}"
        said += f"; group {arm.group} gets {plain(group.least)}{most}" + ("" if most else " or more")
    return [f"{said}."]
