"""Asks of one campaign queue, so that none is computed in vain. The store decides who was first."""

import hashlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: asks that collide are computed again
    fcntl = None  # type: ignore[assignment]

WAIT_SECONDS, STEP_SECONDS = 30.0, 0.02


@contextmanager
def in_turn(store: str, campaign: int) -> Iterator[None]:
    """Wait for whoever asks for a plan of the same campaign on this machine; not for ever."""
    name = hashlib.sha256(f"{store} {campaign}".encode()).hexdigest()[:20]
    lock = None
    with suppress(OSError):  # another user's, perhaps
        lock = Path(tempfile.gettempdir(), f"allotment-{name}.lock").open("a")  # noqa: SIM115 - closed below
    try:
        if lock is not None and fcntl is not None:
            patience = time.monotonic() + WAIT_SECONDS
            while time.monotonic() < patience:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    time.sleep(STEP_SECONDS)
        yield
    finally:
        if lock is not None:
            lock.close()
