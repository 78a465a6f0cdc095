"""Restore a store from a backup. The present store is moved aside, so that nothing is lost."""

import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from allotment.campaign.forms import names
from allotment.campaign.history.store.connecting import REPLACED, is_url
from allotment.campaign.history.store.store import Store
from allotment.campaign.safety.checking import verify
from allotment.campaign.safety.copies import copy_into, new_store
from allotment.errors import ConflictError, FileError
from allotment.system.files import AnyPath, sync_folder

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be moved
    fcntl = None  # type: ignore[assignment]

SHARED_LOCK = 0x40000002, 510  # first byte and number of the bytes that SQLite locks while a store is open
# The parts of a SQLite file. The main part moves first, and never without its log.
BESIDE = ("", "-wal", "-shm")


@dataclass(frozen=True)
class Restored:
    """What a backup brought back: the campaigns, and where the file that was there before is kept."""

    store: str
    campaigns: tuple[str, ...]
    events: int
    moved_to: Path | None


def restore(copy: AnyPath, store: AnyPath) -> Restored:
    """Make a store of a backup, every event of it checked first.

    A file that is there already is moved aside, with its write-ahead log. Into a PostgreSQL database, the
    campaigns of the backup are added; none of them may be there.
    """
    with Store(copy) as source:
        if is_url(store):
            with Store(store, create=True) as target:
                return Restored(target.name, source.campaigns(), copy_into(target, source), None)
        path = Path(store).expanduser()
        if path.exists() and path.samefile(copy):
            raise ConflictError(f"{path} is the backup itself", "another file", what="store", value=path)
        moved_to: list[Path] = []

        def make_room() -> None:
            _check_unused(path)  # again: to copy and verify takes a while
            moved_to.extend(_move_aside(path.resolve()))

        _check_unused(path)
        like = path if path.exists() else Path(copy)
        with new_store(path, like, at_last=make_room) as target:
            events = copy_into(target, source)
            for name in target.campaigns():
                verify(target, target.find(name), None)
        return Restored(str(path), source.campaigns(), events, moved_to[0] if moved_to else None)


def _check_unused(path: Path) -> None:
    """Raise an error if another program has a store open; it would go on writing to the file moved aside.

    To open the store would change it, so this looks for the locks of those who have it open.
    """
    if not path.is_file() or not hasattr(fcntl, "F_OFD_SETLK"):
        return
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, *SHARED_LOCK, 0)
    with path.open("r+b") as file:
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, wanted)
        except (BlockingIOError, PermissionError):
            raise ConflictError(
                f"{path} is in use by another program", "to restore it when nobody uses it", what="store"
            ) from None


def _move_aside(path: Path) -> list[Path]:
    """Give the parts of a store another name; that name, if there were any."""
    stamp = names.now().strftime("%Y%m%dT%H%M%S%fZ")
    moved_to = path.with_name(f"{path.name}{REPLACED}{stamp}")
    moved: list[tuple[Path, Path]] = []
    try:
        for part in BESIDE:
            old, new = Path(f"{path}{part}"), Path(f"{moved_to}{part}")
            if old.exists():
                old.rename(new)
                moved.append((old, new))
        sync_folder(path.parent)
    except OSError as error:
        for old, new in reversed(moved):
            with suppress(OSError):
                new.rename(old)
        raise FileError(f"cannot move {path} aside: {error.strerror}") from None
    return [moved_to] if moved else []
