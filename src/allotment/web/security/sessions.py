"""Sessions: who is signed in, since when, and what the next page has to say to them.

A browser holds the 256-bit identifier; the book holds its SHA-256, so that nobody who reads the book can
sign in with it. `SessionBook` is what the pages need. On one laptop `MemorySessions` is enough: a restart
signs everyone out. Several workers share a store, where another book keeps the same records.
"""

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.access.tokens import hash_of

IDLE_SECONDS, ABSOLUTE_SECONDS = 12 * 3600, 7 * 24 * 3600
MOST_SESSIONS = 1000
Clock = Callable[[], float]


@dataclass(frozen=True)
class Notice:
    """A sentence for the next page. With `undo_path`, a button beside it posts `undo_fields` there."""

    sentence: str
    kind: str = "done"  # or "problem"
    undo_path: str | None = None
    undo_fields: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Session:
    """Someone who is signed in, with their rights. `digest` names the session in the book."""

    digest: str
    rights: Rights
    csrf: str
    started: float
    seen: float
    browser: str = ""  # what the browser says that it is, in a word or two
    notices: list[Notice] = field(default_factory=list)

    @property
    def author(self) -> str:
        """The author of events."""
        return self.rights.name

    @property
    def handle(self) -> str:
        """A name for the session on pages: too short to be anything else."""
        return self.digest[:16]

    def tell(self, notice: Notice) -> None:
        """Say something on the next page."""
        self.notices.append(notice)

    def taken_notices(self) -> list[Notice]:
        """What the next page has to say; each notice is shown once."""
        found, self.notices = self.notices, []
        return found


class SessionBook(Protocol):
    """Where sessions are kept."""

    def find(self, identifier: str) -> Session | None:
        """The session of an identifier, now seen; None if there is none, or if it has ended."""
        ...

    def end(self, session: Session) -> None:
        """Sign out."""
        ...

    def live(self) -> list[Session]:
        """List all open sessions, the most recently used first."""
        ...


class MemorySessions:
    """Sessions of one process, for the user of its machine."""

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def start(self, author: str, browser: str = "") -> tuple[str, Session]:
        """A new session, and the identifier for the cookie, which is not kept here."""
        identifier, now = secrets.token_urlsafe(32), self._clock()
        rights = Rights(author, PLANNER)  # whoever uses the machine may do everything
        session = Session(hash_of(identifier), rights, secrets.token_urlsafe(32), now, now, browser)
        with self._lock:
            for digest in [each.digest for each in self._sessions.values() if self._ended(each)]:
                del self._sessions[digest]
            while len(self._sessions) >= MOST_SESSIONS:
                del self._sessions[min(self._sessions.values(), key=lambda each: each.seen).digest]
            self._sessions[session.digest] = session
        return identifier, session

    def find(self, identifier: str) -> Session | None:
        """The session of an identifier, now seen; None if there is none, or if it has ended."""
        with self._lock:
            found = self._sessions.get(hash_of(identifier))
            if found is None:
                return None
            if self._ended(found):
                del self._sessions[found.digest]
                return None
            found.seen = self._clock()
            return found

    def end(self, session: Session) -> None:
        """Sign out."""
        with self._lock:
            self._sessions.pop(session.digest, None)

    def live(self) -> list[Session]:
        """List all open sessions, the most recently used first."""
        with self._lock:
            found = [each for each in self._sessions.values() if not self._ended(each)]
        return sorted(found, key=lambda each: -each.seen)

    def _ended(self, session: Session) -> bool:
        now = self._clock()
        return now - session.seen > IDLE_SECONDS or now - session.started > ABSOLUTE_SECONDS
