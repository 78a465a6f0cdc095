"""Handles Ctrl-C, SIGTERM and SIGHUP, so that finished work can be kept.

Those that arrive within two seconds of the first count as one: people press twice, and `timeout` sends two.
Only a later one leaves at once. Python runs handlers in the main thread alone, and not before compiled code
returns; so a program of our own has a second thread that leaves if the main one does not hear.
"""

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

TOGETHER_SECONDS = 2.0
DEFAULTS: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
HANGUP = getattr(signal, "SIGHUP", None)  # the terminal is gone; Windows has no such signal
if HANGUP is not None:
    DEFAULTS[HANGUP] = signal.SIG_DFL
LAST_SECONDS = 1.0  # what workers get to finish once they are told to stop
WORKER = "allotment-worker"  # how the names of their threads begin
CALLED_BY_LLVM = ("_raw_object_cache_notify", "_raw_object_cache_getbuffer")  # of llvmlite
BUSY = b"allotment: still busy; press Ctrl-C again to leave at once\n"
Leave = Callable[[int], NoReturn]


class Interrupts:
    """What has arrived. Outside `held`, the first one raises KeyboardInterrupt where it finds the program."""

    def __init__(self, leave: Leave | None = None) -> None:
        self.signal: int | None = None  # the first that arrived
        self.open = True
        self._leave = leave
        self._at = 0.0
        self._heard = 0  # how often the main thread did
        self._listening: int | None = None  # a pipe, to which Python writes each one at once
        self._terminals: list[int] = []  # that standard output and error go to
        self._holds = 0
        self._process = os.getpid()
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        """Whether to stop has been asked for."""
        return self.signal is not None

    @property
    def leaves(self) -> bool:
        """Whether the program ends by itself, whatever still runs in it."""
        return self._leave is not None

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
        """Replace the default handlers; those that somebody else has set stay, as does what nohup ignores."""
        for number, default in DEFAULTS.items():
            if signal.getsignal(number) == default:
                self._before[number] = signal.signal(number, self._handle)
        if self._leave is not None:
            self._terminals = [number for number in (1, 2) if os.isatty(number)]
            hears, self._listening = os.pipe()
            os.set_blocking(self._listening, False)
            signal.set_wakeup_fd(self._listening, warn_on_full_buffer=False)
            threading.Thread(target=self._leave_if_deaf, args=(hears, self._leave), daemon=True).start()

    def give_back(self) -> None:
        """Put back what was there."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        if self._listening is not None:  # which ends the second thread
            signal.set_wakeup_fd(-1)
            os.close(self._listening)
            self._listening = None

    def _leave_if_deaf(self, hears: int, leave: Leave) -> None:
        """Leave for a main thread that has not heard one after two seconds; if held, at the next one."""
        heard, warned = 0, False
        while numbers := os.read(hears, 100):
            time.sleep(TOGETHER_SECONDS)
            while select.select([hears], [], [], 0)[0] and os.read(hears, 100):
                pass  # they count as one
            if self._heard > heard or self._listening is None:
                heard = self._heard
            elif self._holds and not warned:
                warned = True
                with suppress(OSError):  # the terminal may be gone
                    os.write(2, BUSY)
            else:
                leave(numbers[0])
        os.close(hears)

    def close(self) -> None:
        """End the watch; if one has just arrived, those that belong to it are still taken for the same."""
        self.open = False
        if not self.asked or time.monotonic() - self._at > TOGETHER_SECONDS:
            self.give_back()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._heard += 1
        if os.getpid() != self._process:  # a forked worker: Ctrl-C is for its parent
            if number != signal.SIGINT:
                self._pass_on(number)
        elif self.signal is None:
            if number == HANGUP:
                self._look_away()
            self.signal, self._at = number, time.monotonic()
            if not self._holds:
                if self._leave is not None and _swallows_errors(frame):
                    self._leave(number)
                raise KeyboardInterrupt
        elif time.monotonic() - self._at > TOGETHER_SECONDS:
            if self._leave is not None:
                self._leave(number)
            self._pass_on(number)

    def _look_away(self) -> None:
        """Write to nowhere instead of a terminal that is gone, where every write is an error."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for number in self._terminals:
            os.dup2(nowhere, number)
        os.close(nowhere)

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


def _forget_parent() -> None:
    """In a forked process: what arrives here is none of the parent's business."""
    if _latest is not None:
        with suppress(ValueError):
            signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


def _swallows_errors(frame: FrameType | None) -> bool:
    """Whether nobody may hear of an error: while importing, or in what LLVM calls when it has compiled."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib") or code.co_name in CALLED_BY_LLVM:
            return True
        frame = frame.f_back
    return False
