"""The renames at the end of a restore. Whoever opens the store next finishes them if the restore was killed.

A restore writes the finished new store to FILE.restored-TIME, moves the old one to FILE.replaced-TIME, and
then gives the new one its name. If it is killed in between, both files are there, and FILE is not.
"""

import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from glob import escape
from pathlib import Path

from allotment.campaign.history.store.connecting import REPLACED
from allotment.errors import AllotmentError, ConflictError, FileError, NotFoundError, StoreWarning
from allotment.system.files import sync_folder

try:
    import fcntl
except ImportError:  # Windows, where nobody can be kept from finishing a restore that goes on
    fcntl = None  # type: ignore[assignment]

RESTORED = ".restored-"  # how the name of the new store goes on
# The parts of a SQLite file. The main part moves first, and never without its log.
BESIDE = ("", "-wal", "-shm")


def stopped_restore(path: Path) -> Path | None:
    """The finished new file of a restore that was killed after it began to move the old one."""
    if path.exists():
        return None
    for new in sorted(path.parent.glob(f"{escape(path.name)}{RESTORED}*Z"), reverse=True):
        if _replaced(path, new).exists():
            return new
    return None


def _replaced(path: Path, new: Path) -> Path:
    """Where the restore that made a new file moves the old one."""
    return path.with_name(new.name.replace(f"{path.name}{RESTORED}", f"{path.name}{REPLACED}", 1))


def finish_restore(path: Path) -> None:
    """Finish a restore that was killed, if its new file is whole; otherwise raise an error that names it."""
    new = stopped_restore(path)
    if new is None:
        return
    old = _replaced(path, new)
    with alone_with(new, path) as is_alone:
        if not is_alone or stopped_restore(path) != new:  # another program has just finished it
            return
        try:
            _check_whole(new)
            take_place(new, path)
        except AllotmentError as error:
            raise NotFoundError(
                f"there is no file {path}: a restore was stopped. {old} is the store as it was before, and "
                f"{new} the new one, which cannot be used: {error}",
                f"`allotment restore COPY {path}` again",
                what="store",
                value=path,
            ) from None
    finished = f"{path}: a restore was stopped, and is finished now. {old} is the store as it was before"
    warnings.warn(finished, StoreWarning, stacklevel=3)


def _check_whole(new: Path) -> None:
    """Raise an error unless a file is a store, and the chain of each of its campaigns is right."""
    from allotment.campaign.history.store.store import Store

    with Store(new) as store:
        for _, events in store.histories():
            deque(events, maxlen=0)


@contextmanager
def alone_with(new: Path, path: Path) -> Iterator[bool]:
    """Keep others from finishing the restore that made a new file; False where that is not possible."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(new.open("rb"))
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wrong = f"{path} is being restored"
            raise ConflictError(wrong, "to try again in a moment", what="store") from None
        except OSError:  # it has just been finished, or this disk has no locks
            yield False
            return
        yield fcntl is not None


def take_place(new: Path, path: Path) -> Path | None:
    """Give a new store its name, once the old one is moved aside; the name of the old one, if there was one.

    What a restore that was stopped has not moved yet, such as the old log, is moved here.
    """
    moved_to = _replaced(path, stopped_restore(path) or new)
    moved: list[tuple[Path, Path]] = []
    try:
        for part in BESIDE:
            old, aside = Path(f"{path}{part}"), Path(f"{moved_to}{part}")
            if old.exists():
                old.rename(aside)
                moved.append((old, aside))
        sync_folder(path.parent)
        new.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        for old, aside in reversed(moved):
            with suppress(OSError):
                aside.rename(old)
        raise FileError(f"cannot move {path} aside: {error.strerror}") from None
    return moved_to if moved else None


def finished_name(path: Path, stamp: str) -> Path:
    """What the new store of a restore is called before it takes its place."""
    return path.with_name(f"{path.name}{RESTORED}{stamp}")


def forget_others(path: Path) -> None:
    """Delete the new files of earlier restores that were stopped: the store is there again."""
    for new in path.parent.glob(f"{escape(path.name)}{RESTORED}*Z"):
        with suppress(OSError):
            new.unlink()
