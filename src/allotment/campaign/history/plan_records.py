"""Plans and their reports, as the history implies them."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import exact, exact_unit
from allotment.campaign.forms.payloads import (
    SOMETIMES,
    TEXT,
    check_plan,
    column,
    counts,
    keyed,
    keys_of,
    mapping,
)
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situations import Situations
from allotment.checks import flag
from allotment.errors import ConflictError, InputError

UNTOLD = -1
WAITING, PARTLY_TOLD, TOLD, CANCELLED = "waiting", "partly told", "told", "cancelled"
CLOSED = "closed"
REPORT, CANCELLATION, CLOSING = "report", "cancellation", "closing"
SITUATION = ("situation", "stated")  # further parts of plans, rows and keys, where there are situations
UNDOABLE = (REPORT, CANCELLATION, CLOSING)


class Amounts:
    """Exact amounts, each with a number, so that tables can hold the numbers."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.values: list[Decimal] = []
        self._numbers: dict[Decimal, int] = {}
        for text in texts or ():
            self.number(Decimal(text))

    def number(self, amount: Decimal) -> int:
        """The number of an amount."""
        found = self._numbers.get(amount)
        if found is None:
            found = self._numbers[amount] = len(self.values)
            self.values.append(amount)
        return found


@dataclass
class PlanRecord:
    """One plan: arms (by number), their amounts, and what was told of each: losses, amount, event."""

    number: int
    asked: int  # the event
    day: int
    unit: Decimal
    arms: IntArray
    planned: IntArray  # numbers of amounts
    losses: IntArray
    amounts: IntArray  # told instead of planned
    told: IntArray  # the event that last said something of the arm
    cancelled: int = 0  # the event, if the plan is cancelled
    closed: int = 0  # the event, if nothing more will be reported
    recorded: int = 0  # the situation that it was made for
    stated: bool = False  # whether someone stated that situation; otherwise it followed from the date
    situation: int = 0  # the same as the calendar reads it now

    @property
    def id(self) -> str:
        """How users name it."""
        return str(self.number)

    @property
    def date(self) -> date:
        """The date that it is for."""
        return date.fromordinal(self.day)

    @property
    def origin(self) -> int:
        """The situation as it was recorded, and whether it was stated, in one number."""
        return 2 * self.recorded + self.stated

    def read_again(self, situations: Situations) -> None:
        """Read its situation by another calendar."""
        self.situation = situations.read(self.date, self.recorded, self.stated)

    @cached_property
    def missing(self) -> int:
        """The number of places without a report."""
        return int((self.losses == UNTOLD).sum())

    @cached_property
    def last_told(self) -> int:
        """The last event that said something of the plan's places; 0 if there is none."""
        return int(self.told.max(initial=0))

    @cached_property
    def lost(self) -> IntArray:
        """The arms of which losses are reported."""
        return self.arms[self.losses > 0]

    def _report_changes(self) -> None:
        for name in ("missing", "last_told", "lost"):
            self.__dict__.pop(name, None)

    @property
    def state(self) -> str:
        """Waiting, partly told, told, closed or cancelled. A closed plan with all its reports is told."""
        if self.cancelled:
            return CANCELLED
        if not self.missing:
            return TOLD
        if self.closed:
            return CLOSED
        return WAITING if self.missing == self.arms.size else PARTLY_TOLD

    @property
    def open(self) -> bool:
        """Whether a report is still awaited."""
        return self.state in (WAITING, PARTLY_TOLD)

    @property
    def in_force(self) -> dict[str, list[int]]:
        """What `undo` can take back, each with the events that it goes back to."""
        reports = np.unique(self.told).tolist()
        events = {REPORT: reports, CANCELLATION: [self.cancelled], CLOSING: [self.closed]}
        return {what: list(filter(None, each)) for what, each in events.items() if any(each)}

    def positions(self, arms: IntArray) -> IntArray:
        """Where arms stand in the plan; -1 where they do not."""
        found = np.searchsorted(self.arms, arms)
        found[found == self.arms.size] = 0
        return np.where(self.arms[found] == arms, found, -1)

    def position(self, arm: int) -> int | None:
        """Where an arm stands in the plan; None if it does not."""
        found = int(np.searchsorted(self.arms, arm))
        return found if found < self.arms.size and self.arms[found] == arm else None

    def tell(self, event: int, payload: dict[str, Any], settings: Settings, known: Amounts) -> None:
        """Take in a report."""
        self.check_carried_out()
        flag("correct", payload["correct"])
        amounts, losses = mapping("amounts", payload["amounts"]), mapping("losses", payload["losses"])
        granted, places = self._places(amounts, settings), self._places(losses, settings)
        counts(
            "losses", [each for each in losses.values() if each is not None], below=settings.most_losses + 1
        )
        seen = np.array([UNTOLD if each is None else each for each in losses.values()], np.int64)
        exactly = [exact("an amount", each) for each in amounts.values()]
        for at, amount in zip(granted.tolist(), exactly, strict=True):
            self.amounts[at], self.told[at] = known.number(amount), event
        self._report_changes()
        self.losses[places], self.told[places] = seen, event
        self.amounts[places[seen == UNTOLD]] = UNTOLD

    def _places(self, named: dict[str, Any], settings: Settings) -> IntArray:
        """Where the named arms stand in the plan, each of them once."""
        arms = [settings.aliases[name] for name in named]
        places = self.positions(np.array(arms, np.int64))
        if arms and (places.min() < 0 or len(set(arms)) < len(arms)):
            raise ValueError("a place is not in the plan, or named twice")
        return places

    def check_carried_out(self) -> None:
        """Raise an error if the plan was cancelled, so that there is nothing to tell of it."""
        if self.cancelled:
            raise self._conflict("was cancelled", "a plan that was carried out, or to undo the cancellation")

    def check_untold(self) -> None:
        """Raise an error if the plan cannot be cancelled, because it is or because something was told."""
        if self.cancelled:
            raise self._conflict("is cancelled already")
        if (self.losses != UNTOLD).any():
            raise self._conflict(f"is {self.state}", "its report to be undone first; `allotment undo` does")
        if self.closed:
            raise self._conflict("is closed", "the closing to be undone first; `allotment undo` does")

    def check_open(self) -> None:
        """Raise an error if the plan cannot be closed, because no report is awaited."""
        if not self.open:
            raise self._conflict(f"is {self.state} already")

    def check_in_force(self, what: str) -> None:
        """Raise an error if the plan has no such thing to undo."""
        if what not in self.in_force:
            raise self._conflict(f"has no {what} to undo", " or ".join(self.in_force))

    def undo(self, what: str) -> None:
        """Take back the whole report, the cancellation or the closing."""
        self.check_in_force(what)
        if what == REPORT:
            self._report_changes()
            self.losses[:] = self.amounts[:] = UNTOLD
            self.told[:] = 0
        elif what == CANCELLATION:
            self.cancelled = 0
        else:
            self.closed = 0

    def _conflict(self, wrong: str, expected: str = "") -> ConflictError:
        return ConflictError(f"plan {self.id} {wrong}", expected, what="plan", value=self.id)


def asked(
    event: int, payload: dict[str, Any], settings: Settings, known: Amounts, before: PlanRecord | None
) -> PlanRecord:
    """The plan that an event tells of; `before` is the last one."""
    further = SITUATION if "situation" in mapping("the plan", payload) else ()
    keyed("the plan", payload, (*keys_of(payload), *further), SOMETIMES)
    number = 1 if before is None else before.number + 1
    if payload["plan"] != str(number):
        raise InputError.of("plan", payload["plan"], f"{number}, the next one")
    since = 1 if before is None else before.asked
    if type(payload["knew"]) is not int or not since <= payload["knew"] < event:
        raise InputError.of("knew", payload["knew"], f"an event from {since} to {event - 1}")
    unit = exact_unit(payload["unit"])
    arms = np.array([settings.aliases[name] for name in column("arms", payload["arms"], TEXT)], np.int64)
    units = np.array(counts("units", payload["units"], length=arms.size), np.int64)
    if not arms.size or (np.diff(arms) <= 0).any():
        raise ValueError("places are missing, or not in their order")
    check_plan(payload, settings.aliases)
    distinct, places = np.unique(units, return_inverse=True)
    numbers = np.array([known.number(units * unit) for units in distinct.tolist()], np.int64)
    nothing = np.full(arms.size, UNTOLD)
    situations = settings.situations
    plan = PlanRecord(
        number=number,
        asked=event,
        day=names.stored_day("date", payload["date"]).toordinal(),
        unit=unit,
        arms=arms,
        planned=numbers[places],
        losses=nothing,
        amounts=nothing.copy(),
        told=np.zeros_like(arms),
        recorded=situations.aliases[payload["situation"]] if further else 0,
        stated=flag("stated", payload["stated"]) if further else False,
    )
    plan.read_again(situations)
    return plan
