"""Backups of a store in use; exports of a history, and their replay into another store."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import Any

from allotment.campaign.history.events import LARGEST, Event, text_of
from allotment.campaign.history.state import State
from allotment.campaign.history.store.store import Store
from allotment.campaign.safety.checking import checked
from allotment.errors import FileError, HistoryError, InputError, StoreError, shown
from allotment.system.files import AnyPath, open_ordinary, replacing

FORMAT, REDACTED = "allotment-history-1", "allotment-history-1-redacted"
SQLITE = b"SQLite format 3\x00"
LONGEST_LINE = LARGEST + 10_000  # an event: its payload, and what is around it
IN_MEMORY = 2**25  # bytes of an exported history, before they go to disk
MOST_IN_HEADING = 1000  # bytes


def back_up(store: Store, path: AnyPath) -> None:
    """All campaigns of a store, as they are at this moment, as a new SQLite file."""
    if Path(path).exists():
        raise FileError(
            f"{os.fspath(path)} is there already", "the name of a new file", what="path", value=path
        )
    file = None if store.url.get_backend_name() != "sqlite" else Path(store.url.database or "")
    with new_store(path, like=file) as copy:
        copy_into(copy, store)


@contextmanager
def new_store(path: AnyPath, like: Path | None = None) -> Iterator[Store]:
    """A new SQLite file that takes the place of `path` when the block ends well, and leaves nothing if not.

    Whoever may read and write the file `like` may do so with the new one.
    """
    with replacing(path, like) as draft:
        try:
            with Store(draft, create=True) as store:
                yield store
            _settle(draft)
        except StoreError as error:  # the user knows nothing of the draft
            raise type(error)(str(error).replace(str(draft), os.fspath(path))) from None
        finally:
            for part in ("-wal", "-shm"):
                Path(f"{draft}{part}").unlink(missing_ok=True)


def _settle(path: Path) -> None:
    """Put all that was written into the one file; SQLite keeps quiet if it cannot when a store is closed."""
    try:
        file = sqlite3.connect(path)
        try:
            mode = file.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        finally:
            file.close()
    except sqlite3.Error as error:
        raise StoreError(f"cannot write {path}: {error}") from None
    if mode != "delete" or Path(f"{path}-wal").exists():
        raise StoreError(f"cannot write {path}: the disk may be full")


def copy_into(target: Store, source: Store) -> int:
    """Add all campaigns of a store to another; the number of events. The chains are checked on the way."""
    count = 0

    def counted(history: Iterator[Event]) -> Iterator[Event]:
        nonlocal count
        for event in history:
            count += 1
            yield event

    with closing(source.histories()) as histories:  # else an error would keep the connection of the source
        target.adopt((name, counted(history)) for name, history in histories)
    return count


def export(
    store: Store, campaign: int, path: AnyPath, *, overwrite: bool = False, redacted: bool = False
) -> None:
    """The history as JSON Lines: a heading, then one event a line."""
    check_target(path, overwrite)
    number, seal = store.last(campaign)
    with replacing(path) as draft, draft.open("w", encoding="utf-8") as file:
        heading = {"format": REDACTED, "events": number}
        file.write(
            text_of(heading if redacted else {"format": FORMAT, "events": number, "hash": seal}) + "\n"
        )
        for event in store.chain(campaign):
            if event.number > number:
                break
            try:
                file.write(text_of(event.redacted() if redacted else event.to_dict()) + "\n")
            except (ValueError, RecursionError):  # NaN or half a character, which no event of ours holds
                raise HistoryError(f"event {event.number} cannot be exported: it is invalid") from None


def check_target(path: AnyPath, overwrite: bool) -> None:
    """Raise an error unless a file may be replaced: an empty one, or with `overwrite` any but a database."""
    if not os.path.exists(path):  # noqa: PTH110 - says no to what cannot be a path, too
        return
    with open_ordinary(path) as there:
        start = there.readline(MOST_IN_HEADING)
    if start.startswith(SQLITE):
        wrong, instead = "is a database", "another file to export to"
    elif start and not overwrite:
        wrong = "is there already"
        instead = "a new file name, or --overwrite (overwrite=True) to replace it"
    else:
        return
    raise FileError(f"{os.fspath(path)} {wrong}", instead, what="path", value=path)


@contextmanager
def checked_export(path: AnyPath) -> Iterator[tuple[str, Iterator[Event]]]:
    """The name and the events of an exported history, every one of them checked.

    The file is read once, into a copy that nobody else can write to.
    """
    name, state = os.fspath(path), State()
    with SpooledTemporaryFile(max_size=IN_MEMORY) as copy:
        lines, number = _lines(path), 1

        def copied() -> Iterator[bytes]:
            nonlocal number
            for line in lines:
                number += 1
                try:
                    copy.write(line)
                except OSError as error:
                    raise FileError(
                        f"cannot keep a copy of {name} in {gettempdir()}: {error.strerror}"
                    ) from None
                yield line

        kind, count, seal = _heading(next(lines, b""))
        if kind is None:
            raise FileError(f"{name} is not a history exported by allotment")
        if kind == REDACTED:
            raise FileError(
                f"{name} is redacted: without the seed of the campaign, its history cannot be replayed",
                "the export of a planner for all campaigns",
            )
        if kind != FORMAT:
            raise FileError(f"{name} has format {shown(kind)}", FORMAT, what="format", value=kind)
        try:
            for _ in checked(state, map(_event, copied())):
                pass
        except (HistoryError, InputError) as error:
            raise error.within(f"{name}, line {number}") from None
        if (state.number, state.hash) != (count, seal):
            raise HistoryError(
                f"{name} ends at event {state.number}; expected {shown(count)}, as its heading says"
            )
        copy.seek(0)
        yield state.settings.name, map(_event, copy)


def _lines(path: AnyPath) -> Iterator[bytes]:
    with open_ordinary(path) as file:
        while True:
            try:
                line = file.readline(LONGEST_LINE + 1)
            except OSError as error:
                raise FileError(f"cannot read {os.fspath(path)}: {error.strerror}") from None
            if len(line) > LONGEST_LINE:
                raise FileError(
                    f"{os.fspath(path)} has a line of more than {LONGEST_LINE} bytes", "an export"
                )
            if not line:
                return
            yield line


def _heading(line: bytes) -> tuple[Any, Any, Any]:
    """The format of an export, its number of events and the hash of the last; Nones if it is no heading."""
    try:
        heading = json.loads(line.decode())
        return heading["format"], heading["events"], heading.get("hash")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None, None


def _event(line: bytes) -> Event:
    try:
        return Event.from_dict(json.loads(line.decode()))
    except (ValueError, RecursionError):
        raise HistoryError("this is not an event") from None
