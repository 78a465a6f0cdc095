"""The command line: each command is a file here that calls one library function and shows the result."""

import gc
import importlib
import os
import pkgutil
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from allotment.system.interrupts import LAST_SECONDS, WORKER, interrupts

STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}


def main() -> None:
    """Collect the commands and run one."""
    gc.set_threshold(500_000, 50, 50)  # loading makes many objects and no garbage
    before = set(threading.enumerate())
    with _every_stream(), interrupts(_leave) as arrived:
        collect()
        from allotment.cli.app import run

        try:
            run(arrived)
        except SystemExit as ended:
            _leave_loops_behind(ended, before)
            gc.freeze()  # a process that ends need not look for garbage among all that it loaded
            raise


@contextmanager
def _every_stream() -> Iterator[None]:
    """Put an empty file where Python has None, because a shell or a service closed a standard stream."""
    closed = [(name, mode) for name, mode in STREAMS.items() if getattr(sys, name) is None]
    with ExitStack() as stack:
        for name, mode in closed:
            stack.callback(setattr, sys, name, None)
            setattr(sys, name, stack.enter_context(Path(os.devnull).open(mode)))
        yield


def collect() -> None:
    """Import every module with commands, which adds them to the application."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def _leave_loops_behind(ended: SystemExit, before: set[threading.Thread]) -> None:
    """End at once if a policy never returns, since Python would wait for its thread.

    A program that calls the command line may have threads of its own from before.
    """
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith(WORKER):
            thread.join(LAST_SECONDS)
            if thread.is_alive():
                with suppress(OSError, ValueError):  # nobody may be there to read it any more
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(ended.code if isinstance(ended.code, int) else 1)


def _leave(number: int) -> NoReturn:
    """End at once, without saving anything."""
    os.write(2, b"allotment: interrupted\n")
    os._exit(128 + number)
