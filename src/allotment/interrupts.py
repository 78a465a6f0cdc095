"""Ctrl-C and SIGTERM, so that what is finished can be kept.

Those that arrive within two seconds of the first count as one: people press twice, and `timeout` sends two.
Only a later one leaves at once.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

TOGETHER_SECONDS = 2.0
Leave = Callable[[int], NoReturn]


class Interrupts:
    """What has arrived. Outside `held`, the first one raises KeyboardInterrupt where it finds the program."""

    def __init__(self, leave: Leave | None = None) -> None:
        self.signal: int | None = None  # the first that arrived
        self.open = True
        self._leave = leave
        self._at = 0.0
        self._holds = 0
        self._process = os.getpid()
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        """Whether to stop has been asked for."""
        return self.signal is not None

    def note(self) -> None:
        """One has come in another way: as a KeyboardInterrupt that somebody raised."""
        if self.signal is None:
            self.signal, self._at = signal.SIGINT, time.monotonic()

    def heed(self) -> None:
        """Raise KeyboardInterrupt if it has."""
        if self.asked:
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within, the first one waits: who holds it looks at `asked`, where it suits."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1

    def take_over(self) -> None:
        """Replace the default handlers; those that somebody else has set stay."""
        for number, default in (
            (signal.SIGINT, signal.default_int_handler),
            (signal.SIGTERM, signal.SIG_DFL),
        ):
            if signal.getsignal(number) == default:
                self._before[number] = signal.signal(number, self._handle)

    def give_back(self) -> None:
        """Put back what was there."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def close(self) -> None:
        """End the watch; if one has just arrived, those that belong to it are still taken for the same."""
        self.open = False
        if not self.asked or time.monotonic() - self._at > TOGETHER_SECONDS:
            self.give_back()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._process:  # a worker forked from us: Ctrl-C is for the one who started it
            if number == signal.SIGTERM:
                self._pass_on(number)
        elif self.signal is None:
            self.signal, self._at = number, time.monotonic()
            if not self._holds:
                if self._leave is not None and _is_importing(frame):  # where errors may be swallowed
                    self._leave(number)
                raise KeyboardInterrupt
        elif time.monotonic() - self._at > TOGETHER_SECONDS:
            if self._leave is not None:
                self._leave(number)
            self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        self.give_back()
        signal.raise_signal(number)


_latest: Interrupts | None = None


@contextmanager
def interrupts(leave: Leave | None = None) -> Iterator[Interrupts]:
    """Take interrupts, in the main thread, until the block ends; a block within another shares its own.

    `leave` ends a program that has nothing else to do, at once; without it, a late interrupt does what it did
    before.
    """
    global _latest
    if threading.current_thread() is not threading.main_thread():  # none arrive here
        yield Interrupts()
        return
    if _latest is not None and _latest.open:
        yield _latest
        return
    if _latest is not None:
        _latest.give_back()
    _latest = taken = Interrupts(leave)
    taken.take_over()
    try:
        yield taken
    finally:
        taken.close()


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
