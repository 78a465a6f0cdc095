"""Answers in memory, as bytes. What depends on the history holds until the next event."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from allotment.web.kept_answers import Moment

KEPT = 2000  # answers
LARGEST_KEPT = 2**20  # bytes of one


@dataclass(frozen=True)
class Kept:
    """The bytes of an answer, and the moment and the time that they were computed for."""

    moment: Moment
    at: float
    content: bytes


class AnswerCache:
    """Answers of this process, the one that was asked for last at the end."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], Kept] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: tuple[Any, ...]) -> Kept | None:
        """What is kept under a key."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: tuple[Any, ...], kept: Kept) -> None:
        """Keep an answer; those that were not asked for longest go first."""
        if len(kept.content) > LARGEST_KEPT:
            return
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
