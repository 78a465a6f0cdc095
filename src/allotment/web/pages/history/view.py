"""What History shows, as plain data: events by day, the newest first, and what they can be filtered by."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from allotment.campaign.answers.event_words import kind_shown
from allotment.campaign.answers.history_reader import HistoryItem, HistoryPage
from allotment.campaign.campaign import Campaign
from allotment.campaign.history.event_parts import Part
from allotment.campaign.history.kinds import KINDS
from allotment.errors import InputError, NotFoundError, shown

FIELDS = ("first", "last", "kind", "place", "situation", "by")
COLUMNS = ("number", "at", "by", "kind", "plan", "date", "words")
SECONDS = "%Y-%m-%d %H:%M:%S"
PARTS_SHOWN = 8  # of an event; the others are behind "and 12 more"
MORE_SHOWN = 200  # of those; with more, a page of plans for 1000 places would have megabytes
QUIET = "0"
OF_PAGE = {kind_shown(name): kind for name, kind in KINDS.items()}


class Said(NamedTuple):
    """A place and its value, or other words (and no value)."""

    name: str
    value: str


@dataclass(frozen=True)
class EventLine:
    """An event on the page."""

    number: int
    time: str
    title: str
    by: str
    plan: str | None
    plan_day: str
    lead: str
    parts: tuple[Said, ...]
    more: tuple[Said, ...]
    left_out: int


@dataclass(frozen=True)
class DayOfEvents:
    """The events that were recorded on one day."""

    day: date
    events: tuple[EventLine, ...]


@dataclass(frozen=True)
class HistoryView:
    """The whole page."""

    timezone: str
    typed: dict[str, str]
    problem: str | None
    found: int
    page: int
    pages: int
    days: tuple[DayOfEvents, ...]
    kinds: tuple[tuple[str, str], ...]  # each with its title
    people: tuple[str, ...]
    places: tuple[str, ...]
    situations: tuple[str, ...]

    @property
    def is_filtered(self) -> bool:
        """Whether some events are left out."""
        return any(self.typed.values())

    def query(self, page: int | None = None) -> str:
        """The rest of an address that keeps the filter."""
        asked = {name: value for name, value in self.typed.items() if value}
        asked |= {} if page is None else {"page": str(page)}
        return f"?{urlencode(asked)}" if asked else ""


def history_view(campaign: Campaign, asked: Mapping[str, str], page: int) -> HistoryView:
    """A page of the history; if a filter cannot be used, all events and a sentence that says why."""
    typed = {name: asked.get(name, "").strip()[:200] for name in FIELDS}
    problem = None
    try:
        found = campaign.history_page(page, **wanted_in(campaign, typed))
    except InputError as error:
        problem = f"{str(error)[:1].upper()}{str(error)[1:]}."
        found = campaign.history_page()
    settings = campaign.settings
    place = typed["place"] if problem is None else ""
    names = frozenset(n for n in settings.aliases if place and settings.aliases[n] == settings.known(place))
    return HistoryView(
        timezone=settings.timezone,
        typed=typed,
        problem=problem,
        found=found.found,
        page=found.page,
        pages=found.pages,
        days=tuple(_by_day(found, names or None)),
        kinds=tuple((kind, title_of(kind)) for kind in found.kinds),
        people=found.people,
        places=tuple(arm.name for arm in settings.arms),
        situations=settings.situations.names,
    )


def wanted_in(campaign: Campaign, typed: Mapping[str, str]) -> dict[str, Any]:
    """What `history_page` is asked for."""
    wanted = {name: typed[name] for name in FIELDS if typed.get(name)}
    place = wanted.get("place")
    if place is not None and campaign.settings.known(place) is None:
        raise NotFoundError(f"there is no place named {shown(place)}", what="place", value=place)
    return wanted


def title_of(kind: str) -> str:
    """A kind of event as a title."""
    return OF_PAGE[kind].title or kind.capitalize()


def _by_day(found: HistoryPage, names: frozenset[str] | None) -> Iterator[DayOfEvents]:
    for day, items in groupby(found.items, lambda item: item.entry.at.date()):
        yield DayOfEvents(day, tuple(_line(item, names) for item in items))


def _line(item: HistoryItem, names: frozenset[str] | None) -> EventLine:
    """An event on a page that is filtered by a place says what it says of that place."""
    entry, words = item.entry, item.words
    parts = [_said(each) for each in words.parts if names is None or each.place in (None, *names)]
    lead, plan_day = words.lead, ""
    if entry.plan is not None and entry.date is not None:  # a link to the plan says this
        lead = words.own
        of = "" if entry.situation is None else f" ({entry.situation})"
        plan_day = f"{entry.date.day} {entry.date:%B} {entry.date.year}{of}"
    counted = OF_PAGE[entry.kind].counted
    if len(parts) > PARTS_SHOWN and counted:
        loud = sum(1 for each in parts if each.value != QUIET)
        how = f"{loud} of them not quiet" if loud else "all quiet"
        lead = ", ".join(filter(None, (lead, counted.format(all=len(parts), how=how))))
        parts.sort(key=lambda each: each.value == QUIET)  # what was not quiet comes first
    return EventLine(
        number=entry.number,
        time=f"{entry.at:%H:%M}",
        title=title_of(entry.kind),
        by=entry.by,
        plan=entry.plan,
        plan_day=plan_day,
        lead=lead,
        parts=tuple(parts[:PARTS_SHOWN]),
        more=tuple(parts[PARTS_SHOWN : PARTS_SHOWN + MORE_SHOWN]),
        left_out=max(0, len(parts) - PARTS_SHOWN - MORE_SHOWN),
    )


def _said(part: Part) -> Said:
    if part.place is None or part.value is None:
        return Said(part.words, "")
    return Said(part.place, part.value)


def rows_of(items: Iterator[HistoryItem]) -> Iterator[tuple[Any, ...]]:
    """Events as rows of a table, as `allotment history --csv` writes them."""
    for item in items:
        entry = item.entry
        at = f"{entry.at:{SECONDS}}"
        yield entry.number, at, entry.by, entry.kind, entry.plan, entry.date, str(item.words)
