"""Reads a history in words: whole, or page by page with filters; and its imports.

The book is an index of the history by author, time, kind and place. It keeps a short entry for every event,
and what its words repeat of the time before. The words themselves come from the events of the page that is
shown.
"""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from allotment.campaign.answers.event_words import differences, kind_meant, kind_shown, words_of
from allotment.campaign.forms import names
from allotment.campaign.history.event_parts import Before, Part, Words
from allotment.campaign.history.events import Event
from allotment.campaign.history.kinds import KINDS
from allotment.campaign.history.state import State
from allotment.campaign.history.store.store import Store
from allotment.campaign.logs.import_report import ImportReport
from allotment.campaign.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in short. `at` is in the campaign's time zone, `date` that of its plan or its remark."""

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
            date=KINDS[event.kind].day(state, payload),
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


@dataclass(frozen=True)
class HistoryItem:
    """An event on a page: in short, and in words."""

    entry: Entry
    words: Words


@dataclass(frozen=True)
class HistoryPage:
    """Some events, the newest first; how many there are in all; and what they can be filtered by."""

    items: tuple[HistoryItem, ...]
    found: int
    page: int
    pages: int
    kinds: tuple[str, ...]
    people: tuple[str, ...]


@dataclass(frozen=True)
class PastImport:
    """An import as planners look back on it."""

    report: ImportReport
    at: datetime
    by: str
    is_live: bool  # and not undone

    @classmethod
    def of(cls, entry: Entry, live: frozenset[str]) -> "PastImport":
        """The import of an entry."""
        assert entry.before.report is not None
        report = ImportReport.from_dict(entry.before.report)
        return cls(report, entry.at, entry.by, report.id in live)


class HistoryReader:
    """The book of a campaign, read on when it is asked. Those who write never wait for its reader."""

    def __init__(self, store: Store, campaign: int) -> None:
        self._store, self._campaign = store, campaign
        self._book = HistoryBook()
        self._lock = threading.Lock()

    def page(self, number: int, size: int, **wanted: Any) -> HistoryPage:
        """Some of the events that are wanted, the newest first. Pages are numbered from 1."""
        with self._lock:
            book = self._read_on()
            chosen = book.chosen(_filter(book.settings, **wanted))
            kinds = tuple(dict.fromkeys(entry.kind for entry in book.entries))
            people = tuple(sorted({entry.by for entry in book.entries}))
        pages = max(1, -(-len(chosen) // size))
        number = min(max(1, number), pages)
        shown = chosen[(number - 1) * size : number * size]
        return HistoryPage(tuple(self._items(shown)), len(chosen), number, pages, kinds, people)

    def _items(self, shown: Iterable[Entry]) -> Iterator[HistoryItem]:
        """Entries with their words. The events of imports may be large: their entries say it all."""
        needed = [entry.number for entry in shown if entry.before.report is None]
        events = iter(self._store.some(self._campaign, needed))
        for entry in shown:
            if entry.before.report is None:
                yield item_of(entry, next(events))
            else:
                yield HistoryItem(entry, words_of("imported", {}, None, entry.before))

    def imports(self) -> tuple[PastImport, ...]:
        """All imports, the newest first, those that were undone included."""
        with self._lock:
            book = self._read_on()
            made = [entry for entry in reversed(book.entries) if entry.before.report is not None]
            live = book.live_imports()
        return tuple(PastImport.of(entry, live) for entry in made)

    def items(self, **wanted: Any) -> Iterator[HistoryItem]:
        """All events that are wanted, first to last."""
        with self._lock:
            book = self._read_on()
            chosen = book.chosen(_filter(book.settings, **wanted))[::-1]
        entries = iter(chosen)
        entry = next(entries, None)
        for event in self._store.events(self._campaign):
            if entry is None:
                return
            if event.number == entry.number:
                yield item_of(entry, event)
                entry = next(entries, None)

    def _read_on(self) -> HistoryBook:
        book, self._book = self._book, HistoryBook()  # a history that makes no sense is read anew
        with self._store.named():
            book.follow(self._store.events(self._campaign, book.number))
        self._book = book
        return book


def _filter(
    settings: Settings,
    *,
    first: Any = None,
    last: Any = None,
    kind: str | None = None,
    place: str | None = None,
    by: str | None = None,
    situation: str | None = None,
) -> HistoryFilter:
    """What is wanted in the user's words, checked."""
    return HistoryFilter(
        None if first is None else settings.day(first, "first"),
        None if last is None else settings.day(last, "last"),
        kind_meant(kind),
        None if place is None else settings.find(place),
        by,
        None if situation is None else settings.situations.names_of(settings.situations.find(situation)),
    )


def item_of(entry: Entry, event: Event) -> HistoryItem:
    """An event of the book in words."""
    return HistoryItem(entry, words_of(event.kind, event.payload, entry.date, entry.before, entry.situation))


@dataclass(frozen=True)
class HistoryLine:
    """An event as planners read it. `at` is in the campaign's time zone, `date` that of a plan or remark."""

    event: Event
    at: datetime
    plan: str | None
    date: date | None
    words: str
    situation: str | None = None  # of the event's plan, by the name of that time

    @property
    def kind(self) -> str:
        """The kind of event in a planner's terms."""
        return kind_shown(self.event.kind)


def history_lines(
    events: Iterable[Event],
    *,
    on: Any = None,
    kind: str | None = None,
    situations: frozenset[str] | None = None,
) -> Iterator[HistoryLine]:
    """The events in words, first to last.

    `on` keeps what was recorded on a date, and what is about a plan of that date; `kind` keeps one kind.
    `situations` keeps what is about plans of one situation, by all names that it ever had.
    """
    wanted, book = kind_meant(kind), HistoryBook()
    for event in events:
        entry = book.take(event)
        if wanted not in (None, entry.kind):
            continue
        if situations is not None and entry.situation not in situations:
            continue
        if on is None or book.settings.day(on) in (entry.date, entry.at.date()):
            words = words_of(event.kind, event.payload, entry.date, entry.before, entry.situation)
            yield HistoryLine(event, entry.at, entry.plan, entry.date, str(words), entry.situation)
