"""A progress bar for work of more than two seconds, on a terminal or in a notebook."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from types import TracebackType
from typing import Any, Self

QUIET_SECONDS = 2.0  # before anything appears
NOTEBOOK_SECONDS = 0.5  # between two looks of a bar in a notebook


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def say(sentence: str, shown: bool = True) -> None:
    """Tell whoever waits, at once and beside the results."""
    if shown:
        print(sentence, file=sys.stderr, flush=True)


@contextmanager
def explained(text: str, *, shown: bool = True) -> Iterator[None]:
    """Say what is going on if the block takes longer than two seconds, where someone watches."""
    timer = threading.Timer(QUIET_SECONDS, lambda: say(text))
    timer.daemon = True
    if shown and (sys.stderr.isatty() or in_notebook()):
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _TerminalBar:
    """A bar of rich's on standard error, which leaves nothing behind."""

    def __init__(self, text: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %")
        left = TimeRemainingColumn(), TextColumn("left")
        self._bar = Bar(*columns, *left, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(text, total=total)
        self._bar.start()

    def update(self, text: str, count: int, seconds_left: float) -> None:
        self._bar.update(self._task, description=text, completed=count)

    def stop(self) -> None:
        self._bar.stop()


class _NotebookBar:
    """A bar below the cell, which leaves nothing behind; needs no widgets."""

    def __init__(self, text: str, total: int) -> None:
        from IPython.display import display

        self._total, self._drawn = total, time.monotonic()
        self._handle: Any = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def update(self, text: str, count: int, seconds_left: float) -> None:
        now = time.monotonic()
        if now - self._drawn < NOTEBOOK_SECONDS:
            return
        self._drawn, share = now, min(1.0, count / self._total)
        left = f"{text} {share:.0%}, about {seconds_left:.0f} s left"
        bar = f'<progress value="{share:.3f}" max="1"></progress> {escape(left)}'
        self._handle.update({"text/html": bar, "text/plain": left}, raw=True)

    def stop(self) -> None:
        self._handle.update({"text/html": "", "text/plain": ""}, raw=True)


class Progress:
    """Counts up to a total; draws itself once that is worth it, where someone watches."""

    def __init__(self, total: int, *, shown: bool = True, text: str = "simulating") -> None:
        self._total = total
        self._text = text
        self._kind: type[_TerminalBar] | type[_NotebookBar] | None = None
        if shown and (sys.stderr.isatty() or in_notebook()):
            self._kind = _NotebookBar if in_notebook() else _TerminalBar
        self._started = time.monotonic()
        self._count = 0
        self._bar: _TerminalBar | _NotebookBar | None = None

    def __enter__(self) -> Self:
        return self

    def add(self, count: int) -> None:
        """Count more work as done."""
        self.set(self._count + count)

    def set(self, count: int) -> None:
        """Set the amount of work done in all. Work that had to be repeated counts once."""
        self._count = count = min(count, self._total)
        spent = time.monotonic() - self._started
        if self._kind is None or spent < QUIET_SECONDS:
            return
        try:
            if self._bar is None:
                self._bar = self._kind(self._text, self._total)
            self._bar.update(self._text, count, spent * (self._total - count) / max(count, 1))
        except OSError:  # the terminal is gone, and the work is not to end for that
            self._kind = self._bar = None

    def describe(self, text: str) -> None:
        """Set the text beside the bar."""
        self._text = text

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            with suppress(OSError):
                self._bar.stop()
