"""Restoring a store from a backup: what is there is moved aside whole, and nothing of it is lost."""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from allotment.campaign import names
from allotment.campaign.history.checking import verify
from allotment.campaign.history.copies import copy_into
from allotment.campaign.history.store.connecting import is_busy, is_url
from allotment.campaign.history.store.store import Store
from allotment.errors import ConflictError, FileError
from allotment.files import AnyPath, replacing

BESIDE = (
    "",
    "-wal",
    "-shm",
)  # the parts of a SQLite file; the main one goes first, and never without its log


@dataclass(frozen=True)
class Restored:
    """What a backup brought back: the campaigns, and where the file that was there before is kept."""

    store: str
    campaigns: tuple[str, ...]
    events: int
    kept_as: Path | None


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
        with replacing(path) as draft:
            draft.unlink()  # SQLite makes its own
            with Store(draft, create=True) as target:
                events = copy_into(target, source)
                for name in target.campaigns():
                    verify(target, target.find(name), None)
            kept_as = _move_aside(path.resolve())
        return Restored(str(path), source.campaigns(), events, kept_as)


def _check_unused(path: Path) -> None:
    """Raise an error if another program has a store open; it would go on writing to the file moved aside."""
    if not path.is_file():
        return
    file = sqlite3.connect(path, timeout=0)
    try:
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:  # damaged, and so in nobody's use; or busy
        if is_busy(error):
            raise ConflictError(
                f"{path} is in use by another program", "to restore it when nobody uses it", what="store"
            ) from None
    finally:
        file.close()


def _move_aside(path: Path) -> Path | None:
    """Give the parts of a store another name; where it is kept, if there was any."""
    stamp = names.now().strftime("%Y%m%dT%H%M%S%fZ")
    kept_as = path.with_name(f"{path.name}.replaced-{stamp}")
    moved: list[tuple[Path, Path]] = []
    try:
        for part in BESIDE:
            old, new = Path(f"{path}{part}"), Path(f"{kept_as}{part}")
            if old.exists():
                old.rename(new)
                moved.append((old, new))
    except OSError as error:
        for old, new in reversed(moved):
            with suppress(OSError):
                new.rename(old)
        raise FileError(f"cannot move {path} aside: {error.strerror}") from None
    return kept_as if moved else None
