"""An index of the history by author, time, kind and place, for filters and pages.

The book keeps a short entry for every event, and what its words repeat of the time before. The words
themselves come from the events of the page that is shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from allotment.campaign.answers.history.event_words import differences, kind_shown
from allotment.campaign.forms import names
from allotment.campaign.history.event_parts import Before, Part
from allotment.campaign.history.events import Event
from allotment.campaign.history.kinds import KINDS
from allotment.campaign.history.state import State
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
        kind = KINDS.get(event.kind)
        before = Before() if kind is None else kind.before(state, payload)
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
            arms=_bits(KINDS[event.kind].places(state, payload, before)),
            before=before,
            situation=None if plan is None else settings.situations.name(plan.situation),
        )

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
