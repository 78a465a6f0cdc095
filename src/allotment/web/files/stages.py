"""Logs that were sent and are not yet kept. Each belongs to one session for an hour."""

import secrets
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Select, delete, insert, select, update

from allotment.campaign.history.store.tables import staged_logs
from allotment.errors import AllotmentError, NotFoundError
from allotment.web.security.sessions import Clock
from allotment.web.work.work_tables import WorkTables, alone

if TYPE_CHECKING:
    from allotment.web.requests.visits import Visit

LIFE_SECONDS = 3600.0
MOST = 20  # of all sessions together; the oldest goes first
GONE = "this file is no longer waiting: it was kept or dropped, or it is older than an hour"


class Stage(NamedTuple):
    """A log that waits, and what is known of it, as its page wrote it."""

    id: str
    state: str


class Stages:
    """What waits, of all sessions. A session has one log a campaign: the next one takes its place."""

    def __init__(self, tables: WorkTables, clock: Clock = time.time) -> None:
        self._tables, self._clock = tables, clock

    def start(self, visit: "Visit", content: bytes, state: str) -> str:
        """Keep a log for an hour, and return its id."""
        new = secrets.token_urlsafe(16)
        row = {"owner": visit.session.digest, "campaign": visit.number, "begun": self._clock()}
        with alone(self._tables) as connection:
            connection.execute(delete(staged_logs).where(*_of(visit)))
            rest = select(staged_logs.c.id).order_by(staged_logs.c.begun.desc()).offset(MOST - 1)
            old = [*connection.execute(rest).scalars()]
            connection.execute(delete(staged_logs).where(staged_logs.c.id.in_(old) | self._ended()))
            connection.execute(insert(staged_logs).values(id=new, **row, content=content, state=state))
        timer = threading.Timer(LIFE_SECONDS + 1.0, self._drop_ended)
        timer.daemon = True
        timer.start()
        return new

    def find(self, visit: "Visit", id: str) -> Stage:  # noqa: A002 - as in addresses
        """What waits under an id, for its own session and campaign."""
        return Stage(*self._one(self._waiting(visit).where(staged_logs.c.id == id)))

    def content(self, visit: "Visit", id: str) -> bytes:  # noqa: A002 - as in addresses
        """The log as it was sent."""
        wanted = self._waiting(visit).with_only_columns(staged_logs.c.content)
        found: bytes = self._one(wanted.where(staged_logs.c.id == id))[0]
        return found

    def waiting(self, visit: "Visit") -> Stage | None:
        """What this session has left waiting."""
        with self._tables.transaction() as connection:
            found = connection.execute(self._waiting(visit)).first()
        return None if found is None else Stage(*found)

    def keep(self, stage: Stage) -> None:
        """Keep what is by now known of a log; that it is gone already is no error."""
        with self._tables.transaction(writes=True) as connection:
            connection.execute(
                update(staged_logs).where(staged_logs.c.id == stage.id).values(state=stage.state)
            )

    def drop(self, id: str) -> None:  # noqa: A002 - as in addresses
        """Let go of a log; that it is gone already is no error."""
        with self._tables.transaction(writes=True) as connection:
            connection.execute(delete(staged_logs).where(staged_logs.c.id == id))

    def _one(self, query: Select[Any]) -> Any:
        with self._tables.transaction() as connection:
            found = connection.execute(query).first()
        if found is None:
            raise NotFoundError(GONE, "to send it again", what="file")
        return found

    def _waiting(self, visit: "Visit") -> Select[Any]:
        return select(staged_logs.c.id, staged_logs.c.state).where(*_of(visit), ~self._ended())

    def _ended(self) -> Any:
        return staged_logs.c.begun < self._clock() - LIFE_SECONDS

    def _drop_ended(self) -> None:
        with suppress(AllotmentError), self._tables.transaction(writes=True) as connection:
            connection.execute(delete(staged_logs).where(self._ended()))


def _of(visit: "Visit") -> list[Any]:
    return [staged_logs.c.owner == visit.session.digest, staged_logs.c.campaign == visit.number]
