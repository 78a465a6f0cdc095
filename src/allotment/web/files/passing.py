"""Folders for files that pass through: each goes with its use, and what a crash left goes later.

The folders of a process lie in one of its own, which it locks. The lock ends with the process. Whoever can
take it knows that nobody uses the folder any more.
"""

import atexit
import functools
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: what a crash left stays until somebody deletes it
    fcntl = None  # type: ignore[assignment]

PREFIX, LOCK = "allotment-files-", "lock"
BEGINNING = 3600.0  # seconds: a younger folder without a lock may be one that is just being made


def passing_folder() -> "tempfile.TemporaryDirectory[str]":
    """A new folder that only this user may enter; it is to be used in a `with`, or cleaned up."""
    return tempfile.TemporaryDirectory(dir=_own_folder())


@functools.cache
def _own_folder() -> Path:
    """The folder of this process."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # mode 0700
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if fcntl is not None:
        made = folder / f"{LOCK}.new"
        lock = os.open(made, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)  # open as long as the process
        fcntl.flock(lock, fcntl.LOCK_EX)
        made.rename(folder / LOCK)  # there only once it is locked
    return folder


def remove_left_over() -> None:
    """Delete the folders of processes that ended without doing so."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and _is_left(folder, status):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path, status: os.stat_result) -> bool:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return time.time() - status.st_mtime > BEGINNING
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
