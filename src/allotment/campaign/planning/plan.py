"""A plan as users see it, and how sentences name it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from allotment.campaign.forms.amounts import listed, plain
from allotment.campaign.forms.answer import NONE_YET, Answer, Sentence, losses_and_cost, plain_data
from allotment.campaign.history.event_parts import plan_words
from allotment.campaign.history.events import Event
from allotment.campaign.history.last_losses import days_since_losses
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.plan_records import UNTOLD, WAITING, PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.calm import calm_sentences
from allotment.campaign.planning.comparison import control_in, control_sentences
from allotment.campaign.planning.expectations import Expected, is_weighted
from allotment.campaign.settings.settings import Settings

__all__ = ["orders_in", "plan_words", "situation_words"]


def situation_words(made_for: str | None, counts_as: str | None) -> str | None:
    """The situation of a plan: that for which it was made and, if a new calendar reads another, both.

    >>> situation_words("weekday", "weekday"), situation_words("weekday", "weekend")
    ('weekday', 'made for weekday, counts as weekend')
    """
    if made_for is None or counts_as is None or made_for == counts_as:
        return counts_as or made_for
    return f"made for {made_for}, counts as {counts_as}"


def orders_in(plan: PlanPayload) -> tuple[str, ...]:
    """What a plan was bound to on its day: fixed, excluded and required places, and another budget."""
    wishes, usual = plan.wishes, plan.usual_budget
    said = [f"{name} fixed at {amount}" for name, amount in wishes.fix.items()]
    said += [f"{name} excluded" for name in wishes.exclude]
    said += [f"{name} required" for name in wishes.require]
    if wishes.budget is not None:
        said.append(f"budget {wishes.budget}" + ("" if usual is None else f" instead of {usual}"))
    return tuple(said)


# Topics of sentences.
GRANTED, EXPECTED, NOTE = "what is granted", "what is expected", "the note on the duty sheet"


def reads_otherwise(plan: PlanRecord, stored: PlanPayload) -> bool:
    """Whether a plan was made for one situation, and a new calendar gives its date another."""
    return stored.situation is not None and plan.recorded != plan.situation


class BriefPlan(NamedTuple):
    """A plan in one line: its date, its state, and the number of places without a report."""

    id: str
    date: date
    state: str
    missing: int
    places: int
    situation: str | None = None

    def __str__(self) -> str:
        situation = "" if self.situation is None else f"{self.situation}; "
        missing = f"{self.missing} of {self.places} places not reported"
        return f"plan {self.id} of {self.date} ({situation}{missing})"

    def to_dict(self) -> dict[str, Any]:
        """The line as plain data."""
        found: dict[str, Any] = plain_data(self)
        return found


def in_brief(plans: Iterable[PlanRecord], settings: Settings) -> tuple[BriefPlan, ...]:
    """Plans in one line each, oldest date first."""
    called = settings.situations.name
    found = [
        BriefPlan(plan.id, plan.date, plan.state, plan.missing, plan.arms.size, called(plan.situation))
        for plan in plans
    ]
    return tuple(sorted(found, key=lambda plan: plan.date))


@dataclass(frozen=True)
class Plan(Answer):
    """The amounts of all places for one date and situation, and the state of their reports.

    Attributes
    ----------
    id : str
        The id of the plan.
    number : int
        Its number in the campaign, from 1.
    date : datetime.date
        The date.
    amounts : dict of str to number
        The amount of each place, including zeros, by the names of that day.
    state : {"waiting", "partly told", "told", "closed", "cancelled"}
        The state of its reports.
    spare : dict of str to number
        The part of each amount that no place needed.
    expected_losses : float or None
        The expected number of losses. None for plans of an early version that stored the cost only.
    expected_cost : float
        The expected losses weighted by severity.
    weighted : bool
        Whether some severity differs from 1, so that losses and cost differ.
    beside : dict of str to Expected
        The expectations of simpler plans within the same bounds.
    budget, rest, unit : number
        The budget, its remainder that is no whole unit, and the unit.
    explore : bool
        Whether the plan may grant amounts in order to learn.
    told : dict of str to int
        The losses reported so far.
    told_amounts : dict of str to number
        The amounts actually received, where they differ from the plan.
    by, at : str, datetime.datetime
        Who asked for the plan, and when.
    calm : dict or None
        The limit of moves, and how the plan kept to it.
    orders : tuple of str
        The orders of the day, in words.
    replaces : str or None
        The plan that was cancelled for this one.
    situation : str or None
        The situation that its reports count for. None if the campaign has no situations.
    made_for : str or None
        The situation that it was made for, if a new calendar gives its date another one.
    control : dict or None
        If it is a control round: the comparison plan in words, and the share of control rounds.
    note : str or None
        The note that duty sheets of the campaign have now. It is a setting, and no part of the stored plan.
    days_since_loss, days_since_find : dict of str to int or None
        The days from the last loss (or find) of each place before the date of the plan to this date, as far
        as it is reported now; None for a place without any. One of the two is empty: a campaign records
        losses or finds. They are no part of the stored plan.
    """

    id: str
    number: int
    date: date
    amounts: dict[str, int | float]
    state: str
    spare: dict[str, int | float]
    expected_losses: float | None
    expected_cost: float
    weighted: bool
    beside: dict[str, Expected]
    budget: int | float
    rest: int | float
    unit: int | float
    explore: bool
    told: dict[str, int]
    told_amounts: dict[str, int | float]
    by: str | None = None
    at: datetime | None = None
    calm: dict[str, Any] | None = None
    orders: tuple[str, ...] = ()
    replaces: str | None = None
    situation: str | None = None
    made_for: str | None = None
    control: dict[str, Any] | None = None
    note: str | None = None
    days_since_loss: dict[str, int | None] = field(default_factory=dict)
    days_since_find: dict[str, int | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        stored: PlanPayload,
        event: Event | None = None,
        state: State | None = None,
        *,
        weighted: bool = False,
    ) -> "Plan":
        """Read a plan as its event stores it, with all that a history adds to it, such as its reports.

        Parameters
        ----------
        stored : PlanPayload
            The plan as its event stores it (`Event.plan`).
        event : Event, optional
            The event. None for a plan that is not kept.
        state : State, optional
            The history.
        weighted : bool
            Whether severities differ, for plans of version 1, which do not say, without a history.

        Returns
        -------
        Plan
            The plan.
        """
        told, told_amounts, later = {}, {}, dict[str, Any]()
        if event is not None and state is not None:
            record, called = state.plan(stored.id), state.settings.situations.name
            weighted = is_weighted(state.settings)
            for i in np.flatnonzero(record.losses != UNTOLD).tolist():
                told[stored.arms[i]] = int(record.losses[i])
            for i in np.flatnonzero(record.amounts != UNTOLD).tolist():
                told_amounts[stored.arms[i]] = plain(state.amounts.values[int(record.amounts[i])])
            made_for = called(record.recorded) if reads_otherwise(record, stored) else None
            later = {"state": record.state, "situation": called(record.situation), "made_for": made_for}
            since = days_since_losses(state, record.arms, record.date)
            what = "days_since_find" if state.settings.sees == "finds" else "days_since_loss"
            later[what] = dict(zip(stored.arms, since, strict=True))
            later |= {"by": event.by, "at": event.at, "note": state.settings.note}
        weighted = stored.weighted(otherwise=weighted)
        parts = {"state": WAITING, "situation": stored.situation, **later}
        return cls(
            id=stored.id,
            number=int(stored.id),
            date=stored.date,
            amounts=stored.named(stored.units),
            spare={name: amount for name, amount in stored.named(stored.spare).items() if amount},
            expected_losses=stored.expected_losses(weighted=weighted),
            expected_cost=stored.cost,
            weighted=weighted,
            beside={name: Expected(*found) for name, found in stored.beside.items()},
            budget=plain(stored.budget),
            rest=plain(stored.rest),
            unit=plain(stored.unit),
            explore=stored.explore,
            told=told,
            told_amounts=told_amounts,
            calm=None if stored.calm is None else dict(stored.calm),
            orders=orders_in(stored),
            replaces=stored.replaces,
            control=control_in(stored),
            **parts,
        )

    @property
    def untold(self) -> tuple[str, ...]:
        """The places without a report."""
        return tuple(name for name in self.amounts if name not in self.told)

    @property
    def days_since(self) -> dict[str, int | None]:
        """The days since the last loss, or find, of each place; empty for those who may not see them."""
        return self.days_since_loss or self.days_since_find

    def columns(self) -> tuple[str, ...]:
        """Place and amount, the reports if there are any, and the days since the last loss or find."""
        told = ("told", "granted") if self.told else ()
        since = (f"days since {'find' if self.days_since_find else 'loss'}",) if self.days_since else ()
        return ("place", "amount", *told, *since)

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per place."""
        found = []
        for name, amount in self.amounts.items():
            granted = self.told_amounts.get(name, amount) if name in self.told else None
            told = (self.told.get(name), granted) if self.told else ()
            found.append((name, amount, *told, *([self.days_since[name]] if self.days_since else [])))
        return found

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """Columns and rows for people: a place without any loss or find says "none yet"."""
        if not self.days_since:
            return self.columns(), list(self.rows())
        return self.columns(), [(*row, NONE_YET if since is None else since) for *row, since in self.rows()]

    def sentences(self) -> list[str]:
        """What there is to say beside the amounts."""
        granted = plain(Decimal(sum(Decimal(str(amount)) for amount in self.amounts.values())))
        ways = "; ".join(f"{name} {words}" for name, words in self.ways().items())
        replaced = f" It replaces plan {self.replaces}." if self.replaces else ""
        said = [
            Sentence(f"{self.title()}: {granted} of {self.budget} granted.{replaced}", GRANTED),
            *control_sentences(self.control),
            *([f"Orders of the day: {'; '.join(self.orders)}."] if self.orders else []),
            Sentence(f"Expected in a round: {ways}.", EXPECTED),
        ]
        if self.spare:
            spare = listed(f"{name} {amount}" for name, amount in self.spare.items())
            said.append(f"Units that no place needed: {spare}.")
        if self.rest:
            said.append(f"{self.rest} of the budget is less than a unit of {self.unit} and is not granted.")
        said += calm_sentences(self.calm)
        return said if self.note is None else [*said, Sentence(f"Note: {self.note}", NOTE)]

    def title(self) -> str:
        """Which plan it is, and how far it has been reported."""
        return f"{plan_words(self.id, self.date, self.situation_words, capital=True)}, {self.state}"

    @property
    def situation_words(self) -> str | None:
        """The situation in words; both, if it was made for another one than its reports count for."""
        return situation_words(self.made_for, self.situation)

    def ways(self) -> dict[str, str]:
        """What is expected of the plan, and of what else one could do within its bounds, in words."""
        ways = {"this plan": (self.expected_losses, self.expected_cost), **self.beside}
        return {name: losses_and_cost(*found, weighted=self.weighted) for name, found in ways.items()}
