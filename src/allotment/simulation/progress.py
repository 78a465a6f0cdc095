"""A progress bar for what takes longer than two seconds, on a terminal only."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

QUIET_SECONDS = 2.0  # before anything appears


def say(sentence: str, shown: bool = True) -> None:
    """Tell whoever waits, at once and beside the results."""
    if shown:
        print(sentence, file=sys.stderr, flush=True)


@contextmanager
def explained(text: str, *, shown: bool = True) -> Iterator[None]:
    """Say what is going on if the block takes longer than two seconds, on a terminal only."""
    timer = threading.Timer(QUIET_SECONDS, lambda: say(text))
    timer.daemon = True
    if shown and sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Progress:
    """Counts up to a total; draws itself on standard error once that is worth it."""

    def __init__(self, total: int, *, shown: bool = True, text: str = "simulating") -> None:
        self._total = total
        self._text = text
        self._shown = shown and sys.stderr.isatty()
        self._started = time.monotonic()
        self._count = 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def add(self, count: int) -> None:
        """So much more is done."""
        self.set(self._count + count)

    def set(self, count: int) -> None:
        """So much is done in all."""
        self._count = count
        if not self._shown or time.monotonic() - self._started < QUIET_SECONDS:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %")
            left = TimeRemainingColumn(), TextColumn("left")
            console = Console(stderr=True)
            self._bar = Bar(*columns, *left, console=console, transient=True)
            self._task = self._bar.add_task(self._text, total=self._total)
            self._bar.start()
        self._bar.update(self._task, completed=count)

    def describe(self, text: str) -> None:
        """What is going on now."""
        self._text = text
        if self._bar is not None:
            self._bar.update(self._task, description=text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
