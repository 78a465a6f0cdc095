"""Sign-in codes: each lives five minutes and works once."""

import secrets
import threading
import time
from collections.abc import Callable

from allotment.campaign.access.tokens import hash_of
from allotment.web.security.sessions import Clock

LIFE_SECONDS = 300


class SignInCodes:
    """The code that is out. Only its SHA-256 is kept. It has 256 bits, so that guessing is hopeless."""

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}  # by digest
        self._lock = threading.Lock()
        self.on_redeemed: Callable[[], None] = lambda: None

    def issue(self) -> str:
        """A new code. Earlier codes end."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._ends = {hash_of(code): self._clock() + LIFE_SECONDS}
        return code

    def redeem(self, code: str) -> bool:
        """Whether a code is valid; if so, it is used up."""
        with self._lock:
            end = self._ends.pop(hash_of(code), None)  # a hash is looked up: timing tells nothing of a code
        if end is None or self._clock() > end:
            return False
        self.on_redeemed()
        return True
