"""The store: histories of campaigns, to which events are added, one writer at a time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.exc import DBAPIError, IntegrityError

from allotment.campaign import names
from allotment.campaign.events import ORIGIN, Draft, Event, Request, from_moment, moment
from allotment.campaign.store.connecting import engine_for, in_sentences, shown_url, url_of, went_away
from allotment.campaign.store.migrating import bring_up_to_date, warn_of_shared_places
from allotment.campaign.store.tables import campaigns, events, snapshots
from allotment.errors import ConflictError, HistoryError, NotFoundError, shown
from allotment.files import AnyPath

PAGE = 500  # events read at once, so that a long history is never in memory as a whole
LARGE = 2**22  # characters written at once


class Snapshot(NamedTuple):
    """What a history implied up to an event, and that event's hash."""

    number: int
    hash: str
    content: bytes


Read = Callable[[int], Iterator[Event]]  # the events after a number


class Store:
    """Campaigns in a SQLite file or a PostgreSQL database. Only `append` and `create` add to a history."""

    def __init__(self, store: AnyPath, *, create: bool = False) -> None:
        self.url = url_of(store)
        self.name = shown_url(self.url)
        if self.url.get_backend_name() == "sqlite":
            path = Path(self.url.database or "")
            if path.is_dir():
                raise NotFoundError(f"{self.name} is a folder", "a file", what="store", value=self.name)
            if not create and not path.exists():
                raise NotFoundError(
                    f"there is no file {self.name}", "a store of campaigns", what="store", value=self.name
                )
            warn_of_shared_places(path)
        self.engine = engine_for(self.url)
        try:
            with in_sentences(self.url):
                bring_up_to_date(self.engine, create=create)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        with in_sentences(self.url), self.engine.execution_options(writes=writes).begin() as connection:
            yield connection

    def campaigns(self) -> tuple[str, ...]:
        """The names of the campaigns, in the order in which they were made."""
        with self._transaction() as connection:
            return tuple(connection.execute(select(campaigns.c.name).order_by(campaigns.c.id)).scalars())

    def find(self, name: str | None = None) -> int:
        """The campaign of a name; the only one, if no name is given."""
        known = self.campaigns()
        if name is None and len(known) == 1:
            name = known[0]
        if name is None:
            what = f"{self.name} holds {len(known)} campaigns" if known else f"{self.name} holds no campaign"
            raise NotFoundError(what, f"the name of one: {', '.join(known)}" if known else "", what="name")
        with self._transaction() as connection:
            found = connection.execute(select(campaigns.c.id).where(campaigns.c.name == name)).scalar()
        if found is None:
            raise NotFoundError(
                f"{self.name} holds no campaign named {shown(name)}",
                f"one of {', '.join(known)}" if known else "",
                what="name",
                value=name,
            )
        return int(found)

    def create(self, name: str, request: Request, draft: Draft) -> int:
        """A new campaign with its first event; the same request under the same key gives the same one."""
        with self._transaction(writes=True) as connection:
            campaign = _named(connection, name)
            if campaign is None:
                return self._known(connection, name, request)
            first = Event.after(ORIGIN, 1, names.now(), request, draft)
            connection.execute(insert(events).values(_row(campaign, first)))
            return campaign

    def _known(self, connection: Connection, name: str, request: Request) -> int:
        """The campaign that this request has made already."""
        found = connection.execute(select(campaigns.c.id).where(campaigns.c.name == name)).scalar_one()
        query = select(events.c.key, events.c.request).where(events.c.campaign == found, events.c.number == 1)
        if tuple(connection.execute(query).one()) != (request.key, request.digest):
            raise self._taken(name)
        return int(found)

    def _taken(self, name: str) -> ConflictError:
        return ConflictError(
            f"{self.name} already holds a campaign named {shown(name)}", what="name", value=name
        )

    def adopt(self, name: str, history: Iterable[Event]) -> int:
        """A new campaign with a whole history, checked by the caller."""
        with self._transaction(writes=True) as connection:
            campaign = _named(connection, name)
            if campaign is None:
                raise self._taken(name)
            for some in _in_parts(history):
                connection.execute(insert(events), [_row(campaign, event) for event in some])
            return campaign

    def append(self, campaign: int, request: Request, decide: Callable[[Read], Draft]) -> Event:
        """Add the event that `decide` makes of the history as it then is; or the one of the same key.

        It is written on disk when this returns. If the connection is lost the request is made once more: its
        key sees to it that nothing is written twice.
        """
        with in_sentences(self.url):
            try:
                return self._append(campaign, request, decide)
            except DBAPIError as error:
                if not went_away(error):
                    raise
                return self._append(campaign, request, decide)

    def _append(self, campaign: int, request: Request, decide: Callable[[Read], Draft]) -> Event:
        with self.engine.execution_options(writes=True).begin() as connection:
            # SQLite has one writer at a time; PostgreSQL one for each campaign
            connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())
            if (known := self._answered(connection, campaign, request)) is not None:
                return known
            draft = decide(lambda after: self._read(connection, campaign, after))
            number, previous = self._last(connection, campaign)
            event = Event.after(previous, number + 1, names.now(), request, draft)
            connection.execute(insert(events).values(_row(campaign, event)))
        return event

    def answered(self, campaign: int, request: Request) -> Event | None:
        """The event that a request of this key led to, if there was one; another request is a conflict."""
        with self._transaction() as connection:
            return self._answered(connection, campaign, request)

    def _answered(self, connection: Connection, campaign: int, request: Request) -> Event | None:
        query = select(events).where(events.c.campaign == campaign, events.c.key == request.key)
        row = connection.execute(query).first()
        if row is None:
            return None
        if row.request != request.digest:
            raise ConflictError(
                f"key {shown(request.key)} was used for another request (event {row.number})",
                "a key of its own for each request",
                what="key",
                value=request.key,
            )
        return _event(row)

    def last(self, campaign: int) -> tuple[int, str]:
        """The number and the hash of the last event."""
        with self._transaction() as connection:
            return self._last(connection, campaign)

    def _last(self, connection: Connection, campaign: int) -> tuple[int, str]:
        query = select(events.c.number, events.c.hash).where(events.c.campaign == campaign)
        row = connection.execute(query.order_by(events.c.number.desc()).limit(1)).first()
        if row is None:
            raise HistoryError(f"{self.name}: the history is empty")
        return int(row.number), str(row.hash)

    def events(self, campaign: int, after: int = 0) -> Iterator[Event]:
        """The events after a number, in order; nobody who writes waits for their reader."""
        while True:
            with self._transaction() as connection:
                page = list(self._page(connection, campaign, after))
            if not page:
                return
            yield from page
            after = page[-1].number

    def _read(self, connection: Connection, campaign: int, after: int) -> Iterator[Event]:
        while page := list(self._page(connection, campaign, after)):
            yield from page
            after = page[-1].number

    def _page(self, connection: Connection, campaign: int, after: int) -> Iterator[Event]:
        query = select(events).where(events.c.campaign == campaign, events.c.number > after)
        for row in connection.execute(query.order_by(events.c.number).limit(PAGE)):
            yield _event(row)

    def event(self, campaign: int, number: int) -> Event:
        """One event."""
        query = select(events).where(events.c.campaign == campaign, events.c.number == number)
        with self._transaction() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise HistoryError(f"{self.name}: event {number} is missing")
        return _event(row)

    def snapshot(self, campaign: int) -> Snapshot | None:
        """The last snapshot that still agrees with the history."""
        query = select(snapshots, events.c.hash.label("now")).join(
            events, (events.c.campaign == snapshots.c.campaign) & (events.c.number == snapshots.c.number)
        )
        with self._transaction() as connection:
            row = connection.execute(query.where(snapshots.c.campaign == campaign)).first()
        return None if row is None or row.hash != row.now else Snapshot(row.number, row.hash, row.content)

    def keep_snapshot(self, campaign: int, snapshot: Snapshot) -> None:
        """Keep a snapshot instead of the one before."""
        with self._transaction(writes=True) as connection:
            older = select(func.max(snapshots.c.number)).where(snapshots.c.campaign == campaign)
            connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())
            if (connection.execute(older).scalar() or 0) < snapshot.number:
                connection.execute(delete(snapshots).where(snapshots.c.campaign == campaign))
                connection.execute(insert(snapshots).values(campaign=campaign, **snapshot._asdict()))

    def drop_snapshot(self, campaign: int) -> None:
        """Forget the snapshot; it is made anew when it is needed."""
        with self._transaction(writes=True) as connection:
            connection.execute(delete(snapshots).where(snapshots.c.campaign == campaign))

    def histories(self) -> Iterator[tuple[str, Iterator[Event]]]:
        """All campaigns with their events, as they were at one moment."""
        with in_sentences(self.url), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                rows = connection.execute(select(campaigns).order_by(campaigns.c.id)).all()
                for row in rows:
                    yield row.name, self._read(connection, row.id, 0)


def _named(connection: Connection, name: str) -> int | None:
    """A new campaign of this name; None if there is one, perhaps since a moment ago."""
    query = insert(campaigns).values(name=name).returning(campaigns.c.id)
    try:
        with connection.begin_nested():
            return int(connection.execute(query).scalar_one())
    except IntegrityError:
        return None


def _in_parts(history: Iterable[Event]) -> Iterator[list[Event]]:
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


def _row(campaign: int, event: Event) -> dict[str, Any]:
    content = vars(event)
    kept = {name: content[name] for name in ("number", "by", "kind", "version", "key", "request", "hash")}
    return {"campaign": campaign, "at": moment(event.at), "payload": event.text, **kept}


def _event(row: Any) -> Event:
    try:
        at = from_moment(row.at)
    except (TypeError, ValueError):
        raise HistoryError(f"event {row.number} cannot be read") from None
    return Event(row.number, at, row.by, row.kind, row.version, row.key, row.request, row.payload, row.hash)
