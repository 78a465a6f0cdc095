"""Restore a store from a backup. The present store is moved aside, so that nothing is lost."""

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from allotment.campaign.forms import names
from allotment.campaign.history.store.connecting import is_url
from allotment.campaign.history.store.stopped_restore import (
    alone_with,
    finished_name,
    forget_others,
    stopped_restore,
    take_place,
)
from allotment.campaign.history.store.store import Store
from allotment.campaign.safety.checking import verify
from allotment.campaign.safety.copies import copy_into, new_store
from allotment.errors import AllotmentError, ConflictError
from allotment.system.files import AnyPath, ensure_writable

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be moved
    fcntl = None  # type: ignore[assignment]

SHARED_LOCK = 0x40000002, 510  # first byte and number of the bytes that SQLite locks while a store is open


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
        _check_unused(path)
        ensure_writable(path)
        real = path.resolve()
        new = finished_name(real, names.now().strftime("%Y%m%dT%H%M%S%fZ"))
        try:
            with new_store(new, path if path.exists() else Path(copy)) as target:
                events = copy_into(target, source)
                for name in target.campaigns():
                    verify(target, target.find(name), None)
            with alone_with(new, path):
                _check_unused(path)  # again: to copy and verify takes a while
                moved_to = take_place(new, real)
        except AllotmentError as error:  # the user knows nothing of the new file
            raise type(error)(str(error).replace(str(new), str(path)), what=error.what) from None
        finally:
            _tidy(real, new)
        return Restored(str(path), source.campaigns(), events, moved_to)


def _tidy(path: Path, new: Path) -> None:
    """Leave no new file behind, unless the old one is moved aside and whoever comes next can finish this."""
    if stopped_restore(path) != new:
        new.unlink(missing_ok=True)
    if path.exists():
        forget_others(path)


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
