"""Lets processes wait for each other, so that each function is compiled once and not in every process.

A lock of the operating system ends with its process, so a killed process keeps nobody waiting. Whoever waits
too long, or cannot lock, compiles as well: that costs time and nothing else.
"""

import functools
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core.registry import CPUDispatcher

from allotment.compiling.cache_folder import home
from allotment.compiling.user_kernels import names_user_class

try:
    import fcntl
except ImportError:  # Windows: each process compiles by itself
    fcntl = None  # type: ignore[assignment]

LOCKS = "compiling.lock"
WAIT_SECONDS, STEP_SECONDS = 120.0, 0.02  # a process may be stopped while it compiles


class CompiledOnce(CPUDispatcher):
    """A compiled function that waits while another process compiles it for the same types."""

    def compile(self, sig: Any) -> Any:
        """Compile for a signature, or load what another process has compiled meanwhile."""
        types, is_kept = tuple(getattr(sig, "args", sig)), bool(vars(self)["_cache"].cache_path)
        if types in self.overloads or not is_kept or names_user_class(types):
            return super().compile(sig)
        with _alone(f"{self.py_func.__module__}.{self.py_func.__qualname__}{types}"):
            return super().compile(sig)


@contextmanager
def _alone(what: str) -> Iterator[None]:
    """Within the block, no other process compiles the same."""
    lock = _locks(home())
    # A byte far inside the file stands for each function and signature: one file serves them all.
    place = int.from_bytes(hashlib.sha256(what.encode()).digest()[:7])
    if lock is None or not _locked(lock, place):
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.lockf(lock, fcntl.LOCK_UN, 1, place)


@functools.cache
def _locks(folder: Path | None) -> int | None:
    """The file of locks. It stays open: to close it would end all locks of this process."""
    with suppress(OSError):
        if fcntl is not None and folder is not None:
            return os.open(folder / LOCKS, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return None


def _locked(lock: int, place: int) -> bool:
    """Whether the place is ours now: False if others hold it for too long, or if nothing can be locked."""
    patience = time.monotonic() + WAIT_SECONDS
    with suppress(OSError):
        while time.monotonic() < patience:
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except (BlockingIOError, PermissionError):  # systems differ in how they say that it is taken
                time.sleep(STEP_SECONDS)
            else:
                return True
    return False
