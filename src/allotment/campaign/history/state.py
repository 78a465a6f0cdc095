"""The state that a history implies: settings, plans, reports, imports and evidence.

It is a pure function of the events. The evidence follows the history: a new report costs
as much as its plan, however long the history is.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from allotment.campaign.forms import payloads
from allotment.campaign.forms.amounts import plain
from allotment.campaign.history.events import ORIGIN, Event
from allotment.campaign.history.kinds import KINDS, VERSION
from allotment.campaign.history.ledger import (
    AmountTally,
    ImportRecord,
    SeenRows,
    all_rows,
    in_order,
    rows_of,
    tallied,
)
from allotment.campaign.history.plan_records import Amounts, PlanRecord, asked
from allotment.campaign.settings.settings import Settings
from allotment.errors import HistoryError, NotFoundError, shown

Place = tuple[int, int, int]  # arm, situation and amount, by their numbers


@dataclass
class _Sum:
    """Rows of an arm, a situation and an amount.

    Their rounds are added up exactly, so that rows can be taken out again.
    """

    rows: int = 0
    rounds: Fraction = Fraction(0)
    losses: int = 0


class RunningTally:
    """What `tallied` gives without a half-life, bit for bit, kept up to date."""

    def __init__(self, rows: SeenRows) -> None:
        self._sums: dict[Place, _Sum] = {}
        self.add(rows)

    def add(self, rows: SeenRows) -> None:
        """Count rows."""
        for key, many, rounds, losses in _added_up(rows):
            found = self._sums.setdefault(key, _Sum())
            found.rows += many
            found.rounds += rounds
            found.losses += losses

    def remove(self, rows: SeenRows) -> None:
        """Count rows no longer."""
        for key, many, rounds, losses in _added_up(rows):
            found = self._sums[key]
            found.rows -= many
            found.rounds -= rounds
            found.losses -= losses
            if not found.rows:
                del self._sums[key]

    def tallies(self, known: Amounts) -> list[AmountTally]:
        """Rounds and losses by arm, situation and amount, in that order."""
        return in_order(
            AmountTally(arm, known.values[amount], float(found.rounds), float(found.losses), situation)
            for (arm, situation, amount), found in self._sums.items()
        )


def _added_up(rows: SeenRows) -> Iterator[tuple[Place, int, Fraction, int]]:
    """Where rows count, how many, their rounds and losses; once for each number of rounds that a row has."""
    if not len(rows):
        return
    exposures, exposure = np.unique(rows.rounds, return_inverse=True)
    width = int(rows.amount.max()) + 1
    many_situations = int(rows.situation.max()) + 1
    places = (rows.arm * many_situations + rows.situation) * width + rows.amount
    keys = places * exposures.size + exposure
    distinct, inverse = np.unique(keys, return_inverse=True)
    many = np.bincount(inverse).tolist()
    losses = np.bincount(inverse, rows.losses).tolist()
    exact = [Fraction(each) for each in exposures.tolist()]
    for key, count, lost in zip(distinct.tolist(), many, losses, strict=True):
        place, at = divmod(key, exposures.size)
        round_of, amount = divmod(place, width)
        yield (*divmod(round_of, many_situations), amount), count, count * exact[at], int(lost)


@dataclass
class State:
    """A history up to an event (its `number` and `hash`). `apply` takes in the next one."""

    number: int = 0
    hash: str = ORIGIN
    _settings: Settings | None = None
    amounts: Amounts = field(default_factory=Amounts)
    plans: list[PlanRecord] = field(default_factory=list)
    imports: list[ImportRecord] = field(default_factory=list)
    fresh: int = 0  # what a new snapshot would save: events, and rows in them, since the last
    running: RunningTally | None = field(default=None, compare=False)  # made when evidence is first asked for

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        if self._settings is None:
            raise HistoryError("the history is empty")
        return self._settings

    def tallies(self, half_life: Decimal | None = None, on: date | None = None) -> list[AmountTally]:
        """Rounds and losses by arm, situation and amount; aged to a date if there is a half-life."""
        if half_life is not None:
            return tallied(all_rows(self.plans, self.imports), self.amounts, half_life, on)
        if self.running is None:
            self.running = RunningTally(all_rows(self.plans, self.imports))
        return self.running.tallies(self.amounts)

    def granted(self, plan: PlanRecord) -> dict[int, int | float]:
        """What a plan grants, by the numbers of arms, in the user's amounts."""
        values = [plain(self.amounts.values[number]) for number in plan.planned.tolist()]
        return dict(zip(plan.arms.tolist(), values, strict=True))

    def apply(self, event: Event) -> None:
        """Apply the next event. Raises an error if it does not follow the last one."""
        event.check_follows(self.number, self.hash)
        if event.version > VERSION:
            raise HistoryError(f"event {event.number} was written by a newer allotment")
        try:
            self._apply(event, event.payload)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            why = f"{shown(error.args[0])} is not known" if type(error) is KeyError else error
            raise HistoryError(f"event {event.number} ({shown(event.kind)}) is invalid: {why}") from None
        self.number, self.hash = event.number, event.hash

    def _apply(self, event: Event, payload: dict[str, Any]) -> None:
        """Take in what happened; every name, number and date in it is checked as if it were given now."""
        event.check_form()
        self.fresh += 1
        if (event.kind == "created") is not (event.number == 1):
            raise ValueError("a campaign is created by its first event, and by no other")
        if event.kind not in KINDS:
            raise ValueError("a kind that this allotment does not know")
        KINDS[event.kind].apply(self, event.number, payload)

    def begin(self, settings: Settings) -> None:
        """Take in the first settings."""
        self._settings = settings

    def change(self, after: Settings) -> None:
        """Take in new settings. A new calendar reads the situations again that followed from dates."""
        before, self._settings = self.settings.situations, after
        if not before.read_alike(after.situations):
            self.read_situations()

    def under(self, tried: Settings) -> "State":
        """The same history under other settings, to try them. This state stays as it is."""
        if tried is self.settings:
            return self
        if self.settings.situations.read_alike(tried.situations):
            return replace(self, _settings=tried)
        plans, imports = [copy(each) for each in self.plans], [copy(each) for each in self.imports]
        found = replace(self, _settings=tried, plans=plans, imports=imports)
        found.read_situations()
        return found

    def read_situations(self) -> None:
        """Read the situations of all plans and imports by the calendar."""
        for plan in self.plans:
            plan.read_again(self.settings.situations)
        for each in self.imports:
            each.read_again(self.settings.situations)
        self.running = None

    def ask(self, event: int, payload: dict[str, Any]) -> None:
        """Take in a plan, which may replace another."""
        before = self.plans[-1] if self.plans else None
        plan = asked(event, payload, self.settings, self.amounts, before)
        if "replaces" in payload:
            replaced = self.plan(payloads.text("replaces", payload["replaces"]))
            replaced.check_untold()
            replaced.cancelled = event
        self.plans.append(plan)

    @contextmanager
    def counted_anew(self, plan: PlanRecord) -> Iterator[None]:
        """Keep the evidence up to date while the report of a plan changes."""
        running, self.running = self.running, None  # in case of an error
        if running is not None:
            running.remove(rows_of(plan, self.imports))
        yield
        if running is not None:
            running.add(rows_of(plan, self.imports))
        self.running = running

    def stored_plan(self, payload: dict[str, Any]) -> PlanRecord:
        """The plan that a payload names."""
        return self.plan(payloads.text("plan", payload["plan"]))

    def follow(self, events: Iterable[Event]) -> "State":
        """Take in events, one after the other."""
        for event in events:
            self.apply(event)
        return self

    def plan(self, plan_id: Any) -> PlanRecord:
        """The plan of an id."""
        text = plan_id if isinstance(plan_id, str) else shown(plan_id)
        short = text.isdecimal() and len(text) <= len(str(len(self.plans)))
        if short and text == str(int(text)) and 1 <= int(text) <= len(self.plans):
            return self.plans[int(text) - 1]
        some = f"one of 1 to {len(self.plans)}" if self.plans else "a plan first; `allotment ask` makes one"
        which = shown(plan_id) if self.plans else "yet"
        raise NotFoundError(f"there is no plan {which}", some, what="plan", value=plan_id)

    def find_import(self, import_id: str) -> ImportRecord:
        """The import of an id."""
        for each in self.imports:
            if each.id == import_id:
                return each
        raise NotFoundError(f"there is no import {shown(import_id)}", what="import", value=import_id)

    def latest(self, day: date | None = None, situation: int | None = None) -> PlanRecord | None:
        """The newest plan that is not cancelled, of a date or situation if given; None if there is none."""
        for plan in reversed(self.plans):
            if not plan.cancelled and day in (None, plan.date) and situation in (None, plan.situation):
                return plan
        return None
