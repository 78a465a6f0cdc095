"""Long work of the API: a token does one of a kind at a time, and a campaign has a queue of one."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allotment.web.api.calls import Call

RETRY_SECONDS = 2


class BusyError(Exception):
    """The server is busy with work of this kind; it can be asked for again in a moment."""


class Turns:
    """Who computes, and who waits, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: set[tuple[str, str]] = set()
        self._waiting: Counter[tuple[int, str]] = Counter()
        self._running: dict[tuple[int, str], threading.Lock] = {}

    @contextmanager
    def turn(self, call: "Call", kind: str) -> Iterator[None]:
        """Do long work alone; wait for at most one who is before us."""
        mine, place = (call.token.id, kind), (call.number, kind)
        with self._lock:
            if mine in self._tokens:
                raise BusyError(f"You have asked for this before ({kind}), and it is still being computed.")
            if self._waiting[place] > 1:
                raise BusyError(f"Others are waiting for the same work ({kind}). Ask again in a moment.")
            self._tokens.add(mine)
            self._waiting[place] += 1
            running = self._running.setdefault(place, threading.Lock())
        try:
            with running:
                yield
        finally:
            with self._lock:
                self._tokens.discard(mine)
                self._waiting[place] -= 1
