"""Compiles in the background, so that the first plan does not wait and later plans are quick.

A process of its own compiles with low priority and ends when it is done. It has no terminal, one lock per
cache keeps a second one from starting, and a mark in the cache says what is compiled. If it is killed, the
next command starts it again; files of the cache are written whole or not at all.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from allotment.compiling.cache_folder import digest_of_all, home, write_whole
from allotment.system.processes import same_imports

try:
    import fcntl
except ImportError:  # Windows: nothing is compiled in the background
    fcntl = None  # type: ignore[assignment]

VARIABLE = "ALLOTMENT_BACKGROUND"  # 0: compile nothing in the background
LOCK = "background.lock"
NICENESS = 10


def compile_in_background(program: str, mark: str) -> None:
    """Run a program that compiles in a process of its own, unless the mark says that this was done."""
    folder = _folder()
    if folder is None or mark_in(folder, mark).exists() or _is_locked(folder):
        return
    with suppress(OSError):  # no room for another process: the next command tries again
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # no terminal, and no Ctrl-C meant for the command
            cwd=folder,
            env=same_imports(),
        )
        threading.Thread(target=process.wait, daemon=True).start()  # or it would stay listed after its end


def compile_and_mark(compile_all: Callable[[], None], mark: str) -> None:
    """The program's side: compile, and leave the mark. If another process holds the lock, do nothing."""
    folder = _folder()
    if folder is None:
        return
    lock = _locked(folder)
    if lock is None:
        return
    try:
        os.nice(NICENESS)
        compile_all()
        write_whole(mark_in(folder, mark), b"")
    finally:
        os.close(lock)


def _folder() -> Path | None:
    """The cache, or None if nothing is to be compiled in the background or nothing could be kept."""
    uncompiled = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    off = fcntl is None or uncompiled or os.environ.get(VARIABLE) == "0"
    return None if off else home()


def mark_in(folder: Path, mark: str) -> Path:
    """The file that says that all was compiled, from the code of now."""
    return folder / f"{mark}-{digest_of_all()}"


def _locked(folder: Path) -> int | None:
    """The open lock, or None if another process holds it or it cannot be made."""
    with suppress(OSError):
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return lock
    return None


def _is_locked(folder: Path) -> bool:
    lock = _locked(folder)
    if lock is not None:
        os.close(lock)
    return lock is None
