"""Queues the asks of a campaign, so that none is computed in vain. The store decides which is first."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from allotment.campaign.history.store.connecting import is_url
from allotment.errors import FileError
from allotment.system.files import private_folder

try:
    import fcntl
except ImportError:  # Windows: asks that collide are computed again
    fcntl = None  # type: ignore[assignment]

WAIT_SECONDS, STEP_SECONDS = 30.0, 0.02


@contextmanager
def in_turn(store: str, campaign: int) -> Iterator[None]:
    """Wait for whoever asks for a plan of the same campaign on this machine; not for ever."""
    path = None if fcntl is None else _lock_file(store, campaign)
    lock = None if path is None else _locked(path)
    try:
        yield
    finally:
        if path is not None and lock is not None:
            with suppress(OSError):
                path.unlink()  # still locked: whoever waits for this file notices that it is gone
            os.close(lock)


def _lock_file(store: str, campaign: int) -> Path | None:
    """The file to lock, in a folder that only this user can change; None if there is no such folder."""
    place = store if is_url(store) else os.path.realpath(store)
    name = hashlib.sha256(f"{place} {campaign}".encode()).hexdigest()[:20]
    for folder in _folders():
        with suppress(FileError):
            return private_folder(folder) / f"{name}.lock"
    return None


def _folders() -> Iterator[Path]:
    if os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(os.environ["XDG_RUNTIME_DIR"], "allotment")
    with suppress(FileNotFoundError):  # no temporary folder can be written to
        yield Path(tempfile.gettempdir(), f"allotment-{os.geteuid()}")


def _locked(path: Path) -> int | None:
    """The open file once it is locked; None if it cannot be, or if others hold it for too long."""
    patience = time.monotonic() + WAIT_SECONDS
    with suppress(OSError):  # a link, a folder or a pipe is in its place, or the disk is full
        while time.monotonic() < patience:
            lock = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
            is_ours = False
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_ours = os.path.samestat(os.fstat(lock), path.lstat())
            except BlockingIOError:
                time.sleep(STEP_SECONDS)
            except FileNotFoundError:
                pass  # whoever held the lock has deleted the file: a new one is made
            finally:
                if not is_ours:
                    os.close(lock)
            if is_ours:
                return lock
    return None
