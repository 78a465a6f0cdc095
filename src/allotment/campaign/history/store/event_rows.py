"""Events and campaigns as rows of a table. `store` is the store's name, for error messages."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, insert, select
from sqlalchemy.exc import IntegrityError

from allotment.campaign.history.events import ORIGIN, Event, Request, from_moment, moment
from allotment.campaign.history.store.connecting import DAMAGED
from allotment.campaign.history.store.tables import campaigns, events
from allotment.errors import ConflictError, HistoryError, shown

PAGE = 500  # events read at once, so that a long history is never in memory as a whole
LARGE = 2**22  # characters written at once
LARGE_KIND, LEFT_OUT = "imported", '{"left_out":true}'
PLAIN_PARTS: dict[str, type] = {  # parts of an event that need no conversion
    "number": int,
    "by": str,
    "kind": str,
    "version": int,
    "key": str,
    "request": str,
    "hash": str,
}


def row_of(campaign: int, event: Event) -> dict[str, Any]:
    """An event as a row."""
    parts = {name: getattr(event, name) for name in PLAIN_PARTS}
    return {"campaign": campaign, "at": moment(event.at), "payload": event.text, **parts}


def event_of(store: str, row: Any) -> Event:
    """The event that a row holds."""
    try:
        parts = {name: getattr(row, name) for name in PLAIN_PARTS}
        event = Event(**parts, at=from_moment(row.at), text=row.payload)
        sound = type(event.text) is str and all(
            type(parts[name]) is kind for name, kind in PLAIN_PARTS.items()
        )
    except (TypeError, ValueError, OverflowError):
        sound = False
    if not sound:
        raise _unreadable(store, row.number)
    return event


def _unreadable(store: str, number: Any) -> HistoryError:
    reason = DAMAGED.format(store=store)
    return HistoryError(f"cannot use {store}: event {shown(number)} cannot be read; {reason}")


def page_after(store: str, connection: Connection, campaign: int, after: int) -> list[Event]:
    """The next events after a number, in order; none if it is the last."""
    query = select(events).where(events.c.campaign == campaign, events.c.number > after)
    rows = connection.execute(query.order_by(events.c.number).limit(PAGE))
    return [event_of(store, row) for row in rows]


def listed_after(
    store: str, connection: Connection, campaign: int, after: int, limit: int
) -> list[dict[str, Any]]:
    """Events after a number as plain data, for a list: without the rows of imports, which may be millions.

    Without these rows the hashes cannot be checked, and so they are not.
    """
    columns = [each for each in events.c if each.name not in ("campaign", "payload")]
    payload = case((events.c.kind == LARGE_KIND, LEFT_OUT), else_=events.c.payload).label("payload")
    query = select(*columns, payload).where(events.c.campaign == campaign, events.c.number > after)
    rows = connection.execute(query.order_by(events.c.number).limit(limit))
    return [event_of(store, row).to_dict() for row in rows]


def of_kinds(
    store: str, connection: Connection, campaign: int, kinds: Sequence[str], after: int, until: int | None
) -> list[Event]:
    """All events of some kinds, in order. Their chain is not checked: others stand between them."""
    query = select(events).where(events.c.campaign == campaign, events.c.kind.in_(kinds))
    query = query.where(events.c.number > after)
    if until is not None:
        query = query.where(events.c.number <= until)
    return [event_of(store, row) for row in connection.execute(query.order_by(events.c.number))]


def with_numbers(
    store: str, connection: Connection, campaign: int, numbers: Sequence[int]
) -> dict[int, Event]:
    """Events of some numbers, each checked against its predecessor. One that is missing is left out."""
    before = events.alias()
    predecessor = select(before.c.hash).where(
        before.c.campaign == events.c.campaign, before.c.number == events.c.number - 1
    )
    previous = predecessor.scalar_subquery().label("previous")  # without its payload: it may be an import
    query = select(events, previous).where(events.c.campaign == campaign, events.c.number.in_(numbers))
    found = {}
    for row in connection.execute(query):
        event = found[row.number] = event_of(store, row)
        event.check_follows(event.number - 1, ORIGIN if row.previous is None else row.previous)
    return found


class Last(NamedTuple):
    """The number and the hash of the last event, and the number of the event of a key, if there is one."""

    number: int
    hash: str
    answered: int | None


def last_of(store: str, connection: Connection, campaign: int, key: str = "") -> Last:
    """The last event, and whether a request of this key has led to one; no key is empty."""
    keyed = events.alias()
    answered = select(keyed.c.number).where(keyed.c.campaign == campaign, keyed.c.key == key)
    columns = events.c.number, events.c.hash, answered.scalar_subquery().label("answered")
    query = select(*columns).where(events.c.campaign == campaign)
    row = connection.execute(query.order_by(events.c.number.desc()).limit(1)).first()
    if row is None:
        raise HistoryError(f"{store}: the history is empty")
    if type(row.number) is not int or type(row.hash) is not str:
        raise _unreadable(store, row.number)
    return Last(row.number, row.hash, row.answered)


def answer_to(store: str, connection: Connection, campaign: int, request: Request) -> Event | None:
    """The event that a request of this key led to, if there was one; another request is a conflict."""
    query = select(events).where(events.c.campaign == campaign, events.c.key == request.key)
    row = connection.execute(query).first()
    if row is None:
        return None
    if row.request != request.digest:
        raise key_taken(request, f"event {row.number}")
    return event_of(store, row)


def key_taken(request: Request, by: str) -> ConflictError:
    """An error that says what another request of the same key has led to."""
    return ConflictError(
        f"key {shown(request.key)} was used for another request ({by})",
        "a key of its own for each request",
        what="key",
        value=request.key,
    )


def in_parts(history: Iterable[Event]) -> Iterator[list[Event]]:
    """Events a page at a time, fewer where they are large."""
    some: list[Event] = []
    size = 0
    for event in history:
        some.append(event)
        size += len(event.text)
        if len(some) == PAGE or size > LARGE:
            yield some
            some, size = [], 0
    if some:
        yield some


def new_campaign(connection: Connection, name: str) -> int | None:
    """A new campaign of this name; None if there is one, perhaps since a moment ago."""
    query = insert(campaigns).values(name=name).returning(campaigns.c.id)
    try:
        with connection.begin_nested():
            return int(connection.execute(query).scalar_one())
    except IntegrityError:
        return None


def check_whole(store: str, connection: Connection, rows: Sequence[Any]) -> None:
    """Raise an error unless every campaign has a name and events, and all events have a campaign."""
    found = set(connection.execute(select(events.c.campaign).distinct()).scalars())
    if found != {row.id for row in rows} or not all(type(row.name) is str for row in rows):
        raise HistoryError(
            f"cannot use {store}: its campaigns and its events do not fit together; "
            f"{DAMAGED.format(store=store)}"
        )
