"""Attempts to sign in, counted in memory: a wrong token costs no write, and guessing soon meets a wall."""

import ipaddress
import threading
import time
from collections import OrderedDict, deque

from allotment.web.security.front import unmapped
from allotment.web.security.sessions import Clock

MOST_FAILURES, WINDOW_SECONDS = 10, 900.0
MOST_ADDRESSES, MOST_TOKENS = 10_000, 1000


class TooManyAttemptsError(Exception):
    """An address has failed to sign in too often; `seconds` is how long it has to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many wrong tokens came from your address. Wait {seconds // 60 + 1} minutes.")
        self.seconds = seconds


class Attempts:
    """The failures of the last minutes, by address. Of IPv6, one household has a whole /64."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._right: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, address: str, digest: str = "") -> None:
        """Raise an error if an address has failed too often.

        A token that was right before, by its digest, still is: a neighbour who guesses shuts nobody out.
        """
        with self._lock:
            if digest in self._right:
                return
            failures = self._recent(_household(address))
            if len(failures) >= MOST_FAILURES:
                raise TooManyAttemptsError(int(WINDOW_SECONDS - (self._clock() - failures[0])) + 1)

    def fail(self, address: str) -> None:
        """Count a failure. The addresses that failed longest ago are forgotten first."""
        with self._lock:
            household = _household(address)
            failures = self._recent(household)
            failures.append(self._clock())
            self._failures[household] = failures
            self._failures.move_to_end(household)
            while len(self._failures) > MOST_ADDRESSES:
                self._failures.popitem(last=False)

    def succeed(self, digest: str) -> None:
        """Remember a token that was right."""
        with self._lock:
            self._right[digest] = None
            while len(self._right) > MOST_TOKENS:
                self._right.popitem(last=False)

    def _recent(self, household: str) -> deque[float]:
        failures = self._failures.get(household, deque(maxlen=MOST_FAILURES))
        while failures and self._clock() - failures[0] > WINDOW_SECONDS:
            failures.popleft()
        return failures


def _household(address: str) -> str:
    try:
        found = unmapped(ipaddress.ip_address(address))
    except ValueError:
        return address
    return str(found if found.version == 4 else ipaddress.ip_network((found, 64), strict=False))
