"""Sessions in the store, so that several workers agree and a restart signs nobody out.

A session belongs to a token and ends with it. Reading one costs one query; "last seen" is written at most
once an hour, so that the idle limit may come up to an hour early.
"""

import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update

from allotment.campaign.access.rights import RECORDER
from allotment.campaign.access.tokens import SEEN_SECONDS, Token, Tokens, hash_of
from allotment.campaign.history.store.store import Store
from allotment.campaign.history.store.tables import sessions
from allotment.web.security.sessions import (
    ABSOLUTE_SECONDS,
    IDLE_SECONDS,
    Clock,
    Notice,
    Session,
)

RECORDER_SECONDS = 30 * 24 * 3600  # a phone of a recorder stays signed in
LONGEST_NOTICES = 20_000  # characters


@dataclass
class StoredSession(Session):
    """A session whose notices are in the store, too: another worker may answer the next page."""

    store: Store | None = None

    def tell(self, notice: Notice) -> None:
        """Say something on the next page."""
        super().tell(notice)
        self._keep()

    def taken_notices(self) -> list[Notice]:
        """What the next page has to say; each notice is shown once."""
        found = super().taken_notices()
        if found:
            self._keep()
        return found

    def _keep(self) -> None:
        assert self.store is not None
        text = json.dumps([asdict(each) for each in self.notices])
        with self.store.transaction(writes=True) as connection:
            connection.execute(
                update(sessions)
                .where(sessions.c.digest == self.digest)
                .values(notices=text if len(text) <= LONGEST_NOTICES else "[]")
            )


class StoredSessions:
    """The sessions of a store."""

    def __init__(self, tokens: Tokens, clock: Clock = time.time) -> None:
        self._tokens, self._store, self._clock = tokens, tokens.store, clock

    def start(self, token: Token, browser: str = "") -> tuple[str, Session]:
        """A new session of a token's holder, and the identifier for the cookie, which is not kept."""
        identifier, now = secrets.token_urlsafe(32), self._clock()
        session = StoredSession(
            hash_of(identifier), token.rights, secrets.token_urlsafe(32), now, now, browser, store=self._store
        )
        row = {name: getattr(session, name) for name in ("digest", "csrf", "started", "seen", "browser")}
        with self._store.transaction(writes=True) as connection:
            connection.execute(delete(sessions).where(sessions.c.started < now - RECORDER_SECONDS))
            connection.execute(insert(sessions).values(**row, token=token.id, notices="[]"))
        return identifier, session

    def find(self, identifier: str) -> Session | None:
        """The session of an identifier, now seen; None if there is none, or if it or its token has ended."""
        with self._store.transaction() as connection:
            query = select(sessions).where(sessions.c.digest == hash_of(identifier))
            row = connection.execute(query).first()
        token = None if row is None else self._tokens.holder(row.token)
        found = None if row is None or token is None else self._session(row, token)
        if found is None or self._ended(found):
            return None
        if self._clock() - found.seen > SEEN_SECONDS:
            found.seen = self._clock()
            with self._store.transaction(writes=True) as connection:
                connection.execute(
                    update(sessions).where(sessions.c.digest == found.digest).values(seen=found.seen)
                )
        return found

    def end(self, session: Session) -> None:
        """Sign out."""
        with self._store.transaction(writes=True) as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == session.digest))

    def live(self) -> list[Session]:
        """All sessions that have not ended, last seen first."""
        now = self._tokens.clock()
        tokens = {each.id: each for each in self._tokens.all() if each.state(now) == "valid"}
        with self._store.transaction() as connection:
            rows = connection.execute(select(sessions).order_by(sessions.c.seen.desc())).all()
        found = [self._session(row, tokens[row.token]) for row in rows if row.token in tokens]
        return [each for each in found if not self._ended(each)]

    def _session(self, row: Any, token: Token) -> Session:
        notices = [Notice(**each) for each in json.loads(row.notices)]
        parts = (row.digest, token.rights, row.csrf, row.started, row.seen, row.browser, notices)
        return StoredSession(*parts, store=self._store)

    def _ended(self, session: Session) -> bool:
        now = self._clock()
        if session.rights.role == RECORDER:
            return now - session.started > RECORDER_SECONDS
        return now - session.seen > IDLE_SECONDS or now - session.started > ABSOLUTE_SECONDS
