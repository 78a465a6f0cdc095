"""The history in words: the reports or changes of each event, old → new, and its date."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from allotment.campaign.answers.event_words import kind_meant, kind_shown, words_of
from allotment.campaign.answers.history_book import HistoryBook
from allotment.campaign.history.events import Event


@dataclass(frozen=True)
class HistoryLine:
    """An event as planners read it. `at` is in the campaign's time zone, `date` that of the event's plan."""

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
