"""The store: histories of campaigns, to which events are added, one writer at a time."""

import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import DBAPIError

from allotment.campaign.forms import names
from allotment.campaign.history.events import ORIGIN, Draft, Event, Request, chained
from allotment.campaign.history.store.broken_tail import warn_of_broken_tail
from allotment.campaign.history.store.connecting import (
    DAMAGED,
    check_file,
    engine_for,
    in_sentences,
    lost_a_race,
    shown_url,
    url_of,
    went_away,
)
from allotment.campaign.history.store.event_rows import (
    PAGE,
    Last,
    answer_to,
    check_whole,
    in_parts,
    last_of,
    listed_after,
    new_campaign,
    of_kinds,
    page_after,
    row_of,
    with_numbers,
)
from allotment.campaign.history.store.found_rows import found_by
from allotment.campaign.history.store.migrating import bring_up_to_date, warn_of_shared_places
from allotment.campaign.history.store.snapshot_rows import (
    Snapshot,
    delete_snapshot,
    replace_snapshot,
    snapshot_of,
)
from allotment.campaign.history.store.stopped_restore import finish_restore
from allotment.campaign.history.store.tables import campaigns, events
from allotment.campaign.history.store.tail_mark import (
    checkpoint,
    close_in_order,
    has_tail,
    mark_open,
    warn_of_lost_tail,
)
from allotment.errors import ConflictError, HistoryError, NotFoundError, StoreError, shown
from allotment.system.files import AnyPath

TRIES = 3  # of a write whose connection is lost, or which another transaction overtakes
Read = Callable[[int], Iterator[Event]]  # the events after a number
Connected = Callable[[], AbstractContextManager[Connection]]


class Store:
    """Campaigns in a SQLite file or a PostgreSQL database. Only `append` and `create` add to a history."""

    def __init__(self, store: AnyPath, *, create: bool = False) -> None:
        self.url = url_of(store)
        self.name = shown_url(self.url)
        path = Path(self.url.database or "") if self.url.get_backend_name() == "sqlite" else None
        if path is not None:
            finish_restore(path)
            check_file(path, self.name, create=create)
            warn_of_shared_places(path)
        alone = path is not None and not has_tail(path)  # asked first: to open a file makes an empty one
        self.engine = engine_for(self.url)
        self._ending = weakref.finalize(self, close_in_order, self.engine)  # at exit, if nobody calls close
        try:
            with in_sentences(self.url):
                bring_up_to_date(self.engine, create=create)
                if path is not None and alone:
                    warn_of_lost_tail(self.engine, path)
                if path is not None and not alone:
                    warn_of_broken_tail(self.engine, path)
        except BaseException:
            self._ending.detach()
            self.engine.dispose()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        self._ending()
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """A transaction that reads, or writes; what the database reports becomes one sentence."""
        with in_sentences(self.url), self._writing() if writes else self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self.engine.execution_options(writes=True).begin() as connection:
            newly_marked = mark_open(connection)
            yield connection
        if newly_marked:
            checkpoint(self.engine)

    def campaigns(self) -> tuple[str, ...]:
        """The names of the campaigns, in the order in which they were made."""
        with self.transaction() as connection:
            found = tuple(connection.execute(select(campaigns.c.name).order_by(campaigns.c.id)).scalars())
        if not all(type(name) is str for name in found):
            raise StoreError(f"cannot use {self.name}: {DAMAGED.format(store=self.name)}")
        return found

    def find(self, name: str | None = None) -> int:
        """The campaign of a name; the only one, if no name is given."""
        known = self.campaigns()
        if name is None and len(known) == 1:
            name = known[0]
        if name is None:
            what = f"{self.name} holds {len(known)} campaigns" if known else f"{self.name} holds no campaign"
            raise NotFoundError(what, f"the name of one: {', '.join(known)}" if known else "", what="name")
        stored = names.stored_as(name, names.spellings(known))
        with self.transaction() as connection:
            found = connection.execute(select(campaigns.c.id).where(campaigns.c.name == stored)).scalar()
        if found is None:
            wrong = f"{self.name} holds no campaign named {shown(name)}"
            raise names.unknown(
                wrong, name, known, f"one of {', '.join(known)}" if known else "", what="name"
            )
        return int(found)

    def create(self, name: str, request: Request, draft: Draft) -> int:
        """A new campaign with its first event; the same request under the same key gives the same one."""
        with self.transaction(writes=True) as connection:
            campaign = new_campaign(connection, name)
            if campaign is None:
                return self._known(connection, name, request)
            first = Event.after(ORIGIN, 1, names.now(), request, draft)
            connection.execute(insert(events).values(row_of(campaign, first)))
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
            f"{self.name} already holds a campaign named {shown(name)}",
            "another name (--name), or another file",
            what="name",
            value=name,
        )

    def adopt(self, histories: Iterable[tuple[str, Iterable[Event]]]) -> list[int]:
        """New campaigns, each a name and a whole history that the caller has checked. All, or none."""
        adopted = []
        with self.transaction(writes=True) as connection:
            for name, history in histories:
                campaign = new_campaign(connection, name)
                if campaign is None:
                    raise self._taken(name)
                for some in in_parts(history):
                    connection.execute(insert(events), [row_of(campaign, event) for event in some])
                adopted.append(campaign)
        return adopted

    def append(self, campaign: int, request: Request, decide: Callable[[Read], Draft]) -> Event:
        """Append the event that `decide` makes from the current history, or find the event of the same key.

        The event is on disk when this returns. If the connection is lost, or another transaction wins, it
        tries again, which the key makes safe.
        """
        with in_sentences(self.url):
            for _ in range(TRIES - 1):
                try:
                    return self._append(campaign, request, decide)
                except DBAPIError as error:
                    if not (went_away(error) or lost_a_race(error)):
                        raise
            return self._append(campaign, request, decide)

    def _append(self, campaign: int, request: Request, decide: Callable[[Read], Draft]) -> Event:
        with self._writing() as connection:
            # SQLite has one writer at a time; PostgreSQL one for each campaign
            if self.engine.dialect.name != "sqlite":
                connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign).with_for_update())
            last = self._last(connection, campaign, request.key)
            if last.answered is not None:
                known = self._answered(connection, campaign, request)
                assert known is not None
                return known
            found_by(connection, campaign, request)

            def read(after: int) -> Iterator[Event]:
                return self._read(connection, campaign, after) if after < last.number else iter(())

            event = Event.after(last.hash, last.number + 1, names.now(), request, decide(read))
            connection.execute(insert(events).values(row_of(campaign, event)))
        return event

    def answered(self, campaign: int, request: Request) -> Event | None:
        """The event that a request of this key led to, if there was one; another request is a conflict."""
        with self.transaction() as connection:
            return self._answered(connection, campaign, request)

    def _answered(self, connection: Connection, campaign: int, request: Request) -> Event | None:
        return answer_to(self.name, connection, campaign, request)

    def last(self, campaign: int) -> tuple[int, str]:
        """The number and the hash of the last event."""
        with self.transaction() as connection:
            found = self._last(connection, campaign)
        return found.number, found.hash

    def _last(self, connection: Connection, campaign: int, key: str = "") -> Last:
        return last_of(self.name, connection, campaign, key)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Add the name of the store to errors about a history in this block."""
        try:
            yield
        except HistoryError as error:
            raise error if self.name in str(error) else error.within(self.name) from None

    def chain(self, campaign: int) -> Iterator[Event]:
        """Iterate over the whole history, checking each event against its predecessor."""
        with self.named():
            yield from chained(self.events(campaign))

    def events(self, campaign: int, after: int = 0) -> Iterator[Event]:
        """The events after a number, in order; nobody who writes waits for their reader."""
        return self._paged(campaign, after, self.transaction)

    def listed_events(self, campaign: int, after: int, limit: int) -> list[dict[str, Any]]:
        """Some events after a number as plain data, without the rows of imports."""
        with self.transaction() as connection:
            return listed_after(self.name, connection, campaign, after, limit)

    def events_of(
        self, campaign: int, kinds: Sequence[str], after: int = 0, until: int | None = None
    ) -> list[Event]:
        """All events of some kinds, in order, without the check of their chain."""
        with self.transaction() as connection:
            return of_kinds(self.name, connection, campaign, kinds, after, until)

    def _read(self, connection: Connection, campaign: int, after: int) -> Iterator[Event]:
        """The same, within a transaction."""

        @contextmanager
        def connected() -> Iterator[Connection]:
            with in_sentences(self.url):  # for a page only: whoever reads may be writing to another store
                yield connection

        return self._paged(campaign, after, connected)

    def _paged(self, campaign: int, after: int, connected: Connected) -> Iterator[Event]:
        while True:
            with connected() as connection:
                page = self._page(connection, campaign, after)
            if not page:
                return
            after, many = page[-1].number, len(page)
            page.reverse()
            while page:  # let go of each at once: what was parsed of an import may be large
                yield page.pop()
            if many < PAGE:
                return

    def _page(self, connection: Connection, campaign: int, after: int) -> list[Event]:
        return page_after(self.name, connection, campaign, after)

    def event(self, campaign: int, number: int) -> Event:
        """Get one event, checked against its predecessor."""
        return self.some(campaign, [number])[0]

    def some(self, campaign: int, numbers: Sequence[int]) -> list[Event]:
        """Get events of some numbers, each checked against its predecessor."""
        found = self._found(campaign, numbers)
        for number in numbers:
            if number not in found:
                raise HistoryError(f"{self.name}: event {number} is missing")
        return [found[number] for number in numbers]

    def _found(self, campaign: int, numbers: Sequence[int]) -> dict[int, Event]:
        found: dict[int, Event] = {}
        with self.transaction() as connection:
            for first in range(0, len(numbers), PAGE):
                found |= with_numbers(self.name, connection, campaign, numbers[first : first + PAGE])
        return found

    def snapshot(self, campaign: int) -> Snapshot | None:
        """The last snapshot, if there is one; whether it can be used is not yet known."""
        with self.transaction() as connection:
            return snapshot_of(connection, campaign)

    def follows(self, campaign: int, snapshot: Snapshot) -> bool:
        """Whether a snapshot belongs to the event that it names; raises an error if that was edited."""
        if type(snapshot.number) is not int:
            return False
        found = self._found(campaign, [snapshot.number]).get(snapshot.number)
        return found is not None and found.hash == snapshot.hash

    def keep_snapshot(self, campaign: int, snapshot: Snapshot) -> None:
        """Replace the snapshot of a campaign."""
        with self.transaction(writes=True) as connection:
            replace_snapshot(connection, campaign, snapshot)

    def drop_snapshot(self, campaign: int) -> None:
        """Forget the snapshot; it is made anew when it is needed."""
        with self.transaction(writes=True) as connection:
            delete_snapshot(connection, campaign)

    def histories(self) -> Generator[tuple[str, Iterator[Event]], None, None]:
        """All campaigns with their events, as they were at one moment, the chain checked."""
        with in_sentences(self.url), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                rows = connection.execute(select(campaigns).order_by(campaigns.c.id)).all()
                check_whole(self.name, connection, rows)
                for row in rows:
                    yield row.name, self._chain(connection, row.id)

    def _chain(self, connection: Connection, campaign: int) -> Iterator[Event]:
        with self.named():
            yield from chained(self._read(connection, campaign, 0))
