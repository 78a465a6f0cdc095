"""Logs that were sent and are not yet kept. Each belongs to one session for an hour.

A file that was sent has no name on disk: it is gone when it is dropped, and when the process ends in any way.
"""

import secrets
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from allotment.errors import NotFoundError
from allotment.web.security.sessions import Clock

if TYPE_CHECKING:
    from allotment.web.visits import Visit

LIFE_SECONDS = 3600.0
MOST = 20  # of all sessions together; the oldest goes first
BLOCK = 1 << 20
GONE = "this file is no longer waiting: it was kept or dropped, or it is older than an hour"


class SentFile:
    """A copy of a file that was sent. It is read by one thread at a time."""

    def __init__(self, file: BinaryIO) -> None:
        self.lock = threading.Lock()
        self.content: Any = tempfile.TemporaryFile(prefix="allotment-")  # noqa: SIM115 - `close` ends it
        try:
            while block := file.read(BLOCK):
                self.content.write(block)
        except BaseException:
            self.content.close()
            raise

    def from_start(self) -> BinaryIO:
        """The bytes, from the first on."""
        self.content.seek(0)
        found: BinaryIO = self.content
        return found

    def close(self) -> None:
        """Let go of the bytes, when nobody reads them."""
        with self.lock:
            self.content.close()


@dataclass
class Stage:
    """Something that waits to be kept. Pages derive their own kinds from it."""

    owner: str  # the digest of the session
    campaign: int
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16), init=False)
    begun: float = field(default=0.0, init=False)

    def close(self) -> None:
        """Let go of files."""


AnyStage = TypeVar("AnyStage", bound=Stage)


class Stages:
    """What waits, of all sessions. A session has one of a kind and campaign: the next one takes its place."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._stages: dict[str, Stage] = {}
        self._lock = threading.Lock()

    def start(self, stage: AnyStage) -> AnyStage:
        """Keep something for an hour."""
        stage.begun = self._clock()
        with self._lock:
            gone = [each for each in self._stages.values() if self._ended(each) or _same(each, stage)]
            rest = [each for each in self._stages.values() if each not in gone]
            gone += rest[: max(0, len(rest) + 1 - MOST)]
            for each in gone:
                del self._stages[each.id]
            self._stages[stage.id] = stage
        timer = threading.Timer(LIFE_SECONDS + 1.0, self._drop_ended)
        timer.daemon = True
        timer.start()
        _close(gone)
        return stage

    def find(self, visit: "Visit", id: str, kind: type[AnyStage]) -> AnyStage:  # noqa: A002 - as in addresses
        """What waits under an id, for its own session and campaign."""
        self._drop_ended()
        with self._lock:
            found = self._stages.get(id)
        if not isinstance(found, kind) or not _belongs(found, visit):
            raise NotFoundError(GONE, "to send it again", what="file")
        return found

    def waiting(self, visit: "Visit", kind: type[AnyStage]) -> AnyStage | None:
        """What this session has left waiting."""
        self._drop_ended()
        with self._lock:
            mine = [
                each for each in self._stages.values() if isinstance(each, kind) and _belongs(each, visit)
            ]
        return mine[-1] if mine else None

    def drop(self, stage: Stage) -> None:
        """Let go of something; that it is gone already is no error."""
        with self._lock:
            found = self._stages.pop(stage.id, None)
        _close([] if found is None else [found])

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            gone, self._stages = list(self._stages.values()), {}
        _close(gone)

    def _drop_ended(self) -> None:
        with self._lock:
            gone = [each for each in self._stages.values() if self._ended(each)]
            for each in gone:
                del self._stages[each.id]
        _close(gone)

    def _ended(self, stage: Stage) -> bool:
        return self._clock() - stage.begun > LIFE_SECONDS


def _same(one: Stage, other: Stage) -> bool:
    return (type(one), one.owner, one.campaign) == (type(other), other.owner, other.campaign)


def _belongs(stage: Stage, visit: "Visit") -> bool:
    return (stage.owner, stage.campaign) == (visit.session.digest, visit.number)


def _close(stages: list[Stage]) -> None:
    for each in stages:
        each.close()
