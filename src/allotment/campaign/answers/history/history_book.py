"""An index of the history by author, time, kind and place, for filters and pages.

The book keeps a short entry for every event, and what its words repeat of the time before. The words
themselves come from the events of the page that is shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from allotment.campaign.answers.history.event_words import (
    Before,
    Part,
    differences,
    kind_shown,
)
from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import written
from allotment.campaign.history.events import Event
from allotment.campaign.history.plan_records import UNTOLD
from allotment.campaign.history.state import State
from allotment.campaign.settings.changes import APPLY
from allotment.campaign.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in short. `at` is in the campaign's time zone, `date` that of its plan."""

    number: int
    at: datetime
    by: str
    kind: str
    plan: str | None
    date: date | None
    arms: int  # a bit for the number of each arm that it is about
    before: Before
    situation: str | None = None  # of its plan, by the name and the calendar of that time

    def is_about(self, arm: int) -> bool:
        """Whether the event is about an arm."""
        return bool(self.arms >> arm & 1)


@dataclass(frozen=True)
class HistoryFilter:
    """Which events are wanted; None for all."""

    first: date | None = None  # of the days on which they were recorded, or that their plans are for
    last: date | None = None
    kind: str | None = None  # in a planner's terms
    arm: int | None = None
    by: str | None = None
    situations: frozenset[str] | None = None  # all names that the situation of a plan ever had

    def keeps(self, entry: Entry) -> bool:
        """Whether an event is wanted."""
        return (
            self.kind in (None, entry.kind)
            and self.by in (None, entry.by)
            and (self.situations is None or entry.situation in self.situations)
            and (self.arm is None or entry.is_about(self.arm))
            and any(self._spans(day) for day in (entry.at.date(), entry.date) if day is not None)
        )

    def _spans(self, day: date) -> bool:
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


class HistoryBook:
    """The entries of a history, as far as it was read."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._state = State()

    @property
    def number(self) -> int:
        """The number of the last event that was read."""
        return self._state.number

    @property
    def settings(self) -> Settings:
        """The settings after the last event that was read."""
        return self._state.settings

    def follow(self, events: Iterable[Event]) -> None:
        """Read on."""
        for event in events:
            self.entries.append(self.take(event))

    def take(self, event: Event) -> Entry:
        """The entry of the next event, which is not kept."""
        state, payload = self._state, event.payload
        before = self._before(event.kind, payload)
        earlier = state.settings if state.number else None
        state.apply(event)
        if event.kind == "changed" and earlier is not None:
            found = differences(earlier, state.settings)
            before = Before(changes=tuple(Part(each.place, each.words) for each in found))
        settings = state.settings
        plan = state.plan(payload["plan"]) if "plan" in payload else None
        return Entry(
            number=event.number,
            at=event.at.astimezone(names.zone(settings.timezone)),
            by=event.by,
            kind=kind_shown(event.kind),
            plan=payload.get("plan"),
            date=None if plan is None else plan.date,
            arms=_bits(self._arms(event.kind, payload, before)),
            before=before,
            situation=None if plan is None else settings.situations.name(plan.situation),
        )

    def _before(self, kind: str, payload: dict[str, Any]) -> Before:
        """What was known of the places that an event tells of."""
        if kind == "imported":
            return Before(report=payload.get("report"))
        if kind != "told":
            return Before()
        plan, values = self._state.plan(payload.get("plan")), self._state.amounts.values
        aliases = self._state.settings.aliases

        def places(named: Iterable[str]) -> list[int]:
            return plan.positions(np.array([aliases[name] for name in named], np.int64)).tolist()

        losses = zip(payload["losses"], plan.losses[places(payload["losses"])].tolist(), strict=True)
        told = np.where(plan.amounts == UNTOLD, plan.planned, plan.amounts)
        amounts = zip(payload["amounts"], told[places(payload["amounts"])].tolist(), strict=True)
        return Before(
            {name: count for name, count in losses if count != UNTOLD},
            {name: written(values[number]) for name, number in amounts},
        )

    def _arms(self, kind: str, payload: dict[str, Any], before: Before) -> Iterable[int]:
        """The numbers of the arms that an event is about."""
        state, aliases = self._state, self._state.settings.aliases
        if kind == "created":
            return range(len(state.settings.arms))
        if kind == "told":
            return (aliases[name] for part in ("losses", "amounts") for name in payload[part])
        if kind == "asked":
            return (
                aliases[name] for name, units in zip(payload["arms"], payload["units"], strict=True) if units
            )
        if kind == "imported":
            return (aliases[name] for name in payload["report"]["places"])
        if kind == "undone" and "import" in payload:
            return np.unique(state.find_import(payload["import"]).rows.arm).tolist()
        if "plan" in payload:
            return state.plan(payload["plan"]).arms.tolist()
        if kind == "changed":
            return (aliases[each.place] for each in before.changes if each.place is not None)
        if kind == "situation renamed":
            return ()
        assert kind in APPLY
        named: Any = payload.get("arm", payload.get("new"))
        return (aliases[named["name"] if isinstance(named, dict) else named],)

    def live_imports(self) -> frozenset[str]:
        """The ids of the imports that were not undone."""
        return frozenset(each.id for each in self._state.imports if each.live)

    def chosen(self, wanted: HistoryFilter) -> list[Entry]:
        """The entries that a filter keeps, the newest first."""
        return [entry for entry in reversed(self.entries) if wanted.keeps(entry)]


def _bits(numbers: Iterable[int]) -> int:
    found = bytearray()
    for number in numbers:
        if number >> 3 >= len(found):
            found.extend(bytes((number >> 3) + 1 - len(found)))
        found[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(found, "little")
