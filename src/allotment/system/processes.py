"""Runs a line of Python in a fresh process with the same import path."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from allotment.errors import AllotmentError

_running: set[subprocess.Popen[str]] = set()


def same_imports() -> dict[str, str]:
    """The variables with which a fresh `python -P` finds the modules that this process finds, and no others.

    Without -P it would also find modules in the working folder, which may be anybody's.
    """
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(each).absolute()) for each in sys.path)}


def run_elsewhere(program: str, given: str, **variables: str) -> str:
    """What a program prints that is given this text; if it fails, an error with the last line of why."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=same_imports() | variables,
        text=True,
    ) as process:
        _running.add(process)
        try:
            printed, complaint = process.communicate(given)
        except BaseException:
            process.kill()
            raise
        finally:
            _running.discard(process)
    if process.returncode != 0:
        raise AllotmentError((complaint.strip().splitlines() or ["it gave no reason"])[-1])
    return printed


@contextmanager
def side_by_side(workers: int | None = None) -> Iterator[Callable[..., Future[Any]]]:
    """Yields what starts a call in a thread of its own; programs that run elsewhere end with the block."""
    started: list[Future[Any]] = []
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as threads:

        def start(call: Callable[..., Any], *arguments: Any) -> Future[Any]:
            started.append(threads.submit(call, *arguments))
            return started[-1]

        try:
            yield start
        finally:  # nobody waits for what is still going on: the block was left early
            for future in started:
                future.cancel()
            while wait(started, 0.05).not_done:
                for process in tuple(_running):
                    process.kill()
