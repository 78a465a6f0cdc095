"""Answers in memory, as bytes. What depends on the history holds until the next event."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from allotment.system.interrupts import WORKER
from allotment.web.requests.problems import LOG, BusyError
from allotment.web.work.kept_answers import Moment

KEPT = 2000  # answers
# Who waits for a dear answer that others asked for; each holds one of forty threads.
WAITING_FOR_ONE, WAITING_IN_ALL = 6, 12
LARGEST_KEPT = 2**22  # bytes of one
MOST_BYTES = 2**27  # of all
Key = tuple[Any, ...]
Compute = Callable[[], bytes]


@dataclass(frozen=True)
class Kept:
    """The bytes of an answer, the moment that they hold for, and when they began to be computed."""

    moment: Moment
    at: float
    content: bytes


class AnswerCache:
    """Answers of this process, ordered by when they were last asked for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self._computing: dict[Key, tuple[threading.Lock, int]] = {}

    def find(self, key: Key, moment: Moment) -> Kept | None:
        """The answer of a key, if it holds at a moment."""
        found = self._latest(key)
        return found if found is not None and found.moment == moment else None

    def answer(self, key: Key, moment: Moment, compute: Compute, *, dear: bool = False) -> Kept:
        """The answer of a key. Of several who ask at once, one computes it, and the others wait.

        If it is `dear`, few wait, and the others get a BusyError.
        """
        return self.find(key, moment) or self._computed(key, moment, compute, self._clock(), dear=dear)

    def answer_of_late(
        self, key: Key, moment: Moment, compute: Compute, seconds: float, *, dear: bool = False
    ) -> tuple[Kept, float]:
        """An answer that may be some seconds old, and its age; 0 if nothing was recorded since.

        Halfway through these seconds it is computed anew in the background, so that hardly anyone waits.
        """
        now, known = self._clock(), self._latest(key)
        if known is None or (known.moment != moment and now - known.at > seconds):
            return self._computed(key, moment, compute, now, dear=dear), 0.0
        if known.moment == moment:
            return known, 0.0
        if now - known.at > seconds / 2 and key not in self._computing:
            work = threading.Thread(
                target=self._compute_anew, args=(key, moment, compute), name=f"{WORKER}-answer", daemon=True
            )
            work.start()
        return known, now - known.at

    def keep(self, key: Key, kept: Kept) -> Kept:
        """Keep an answer; those that were not asked for longest go first."""
        with self._lock:
            self._forget(key)
            if len(kept.content) <= LARGEST_KEPT:
                self._kept[key] = kept
                self._bytes += len(kept.content)
            while len(self._kept) > KEPT or self._bytes > MOST_BYTES:
                self._forget(next(iter(self._kept)))
        return kept

    def _forget(self, key: Key) -> None:
        gone = self._kept.pop(key, None)
        self._bytes -= 0 if gone is None else len(gone.content)

    def _latest(self, key: Key) -> Kept | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def _computed(self, key: Key, moment: Moment, compute: Compute, asked: float, *, dear: bool) -> Kept:
        with self._alone(key, dear=dear):
            found = self._latest(key)  # another may have computed it meanwhile, even for a later moment
            if found is not None and (found.moment == moment or found.at > asked):
                return found
            begun = self._clock()
            return self.keep(key, Kept(moment, begun, compute()))

    def _compute_anew(self, key: Key, moment: Moment, compute: Compute) -> None:
        try:
            self._computed(key, moment, compute, self._clock(), dear=False)  # no request waits
        except Exception:  # whoever asks when the answer is too old hears what is wrong
            LOG.info("an answer cannot be computed ahead", exc_info=True)

    @contextmanager
    def _alone(self, key: Key, *, dear: bool) -> Iterator[None]:
        with self._lock:
            lock, many = self._computing.get(key, (threading.Lock(), 0))
            waiting = sum(each - 1 for _, each in self._computing.values())
            if dear and many and (many > WAITING_FOR_ONE or waiting >= WAITING_IN_ALL):
                raise BusyError("Others are waiting for the same answer. Ask again in a moment.")
            self._computing[key] = (lock, many + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, many = self._computing.pop(key)
                if many > 1:
                    self._computing[key] = (lock, many - 1)
