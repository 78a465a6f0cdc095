"""Attempts to sign in, counted in memory: a wrong token costs no write, and guessing soon meets a wall."""

import threading
import time
from collections import OrderedDict, deque

from allotment.web.security.front import household
from allotment.web.security.sessions import Clock

MOST_FAILURES, WINDOW_SECONDS = 10, 900.0
MOST_ADDRESSES = 10_000


class TooManyAttemptsError(Exception):
    """An address has failed to sign in too often; `seconds` is how long it has to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many wrong tokens came from your address. Wait {seconds // 60 + 1} minutes.")
        self.seconds = seconds


class Attempts:
    """The failures of the last minutes, by address. Of IPv6, one household has a whole /64.

    Only wrong tokens are counted and refused. Phones behind one router share its address, and a token that is
    right lets its holder in, whatever others there have guessed.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def fail(self, address: str) -> None:
        """Count a failure; raise an error if there were too many. Addresses that failed first go first."""
        house = household(address)
        with self._lock:
            failures = self._recent(house)
            if len(failures) >= MOST_FAILURES:
                raise TooManyAttemptsError(int(WINDOW_SECONDS - (self._clock() - failures[0])) + 1)
            failures.append(self._clock())
            self._failures[house] = failures
            self._failures.move_to_end(house)
            while len(self._failures) > MOST_ADDRESSES:
                self._failures.popitem(last=False)

    def _recent(self, house: str) -> deque[float]:
        failures = self._failures.get(house, deque(maxlen=MOST_FAILURES))
        while failures and self._clock() - failures[0] > WINDOW_SECONDS:
            failures.popleft()
        return failures
