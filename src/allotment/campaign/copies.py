"""Copies: backups of a store while it is in use; histories exported, and replayed into another store."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from allotment.campaign.events import Event, chained, text_of
from allotment.campaign.state import State
from allotment.campaign.store.store import Store
from allotment.errors import FileError, HistoryError, shown
from allotment.files import AnyPath, replacing

FORMAT = "allotment-history-1"
SQLITE = b"SQLite format 3\x00"


def back_up(store: Store, path: AnyPath) -> None:
    """All campaigns of a store, as they are at this moment, as a new SQLite file."""
    if Path(path).exists():
        raise FileError(
            f"{os.fspath(path)} is there already", "the name of a new file", what="path", value=path
        )
    with replacing(path) as draft:
        draft.unlink()  # SQLite makes its own
        with Store(draft, create=True) as copy:
            copy_into(copy, store)


def copy_into(target: Store, source: Store) -> int:
    """Add all campaigns of a store to another; the number of events. The chains are checked on the way."""
    count = 0

    def counted(history: Iterator[Event]) -> Iterator[Event]:
        nonlocal count
        for event in history:
            count += 1
            yield event

    target.adopt((name, counted(history)) for name, history in source.histories())
    return count


def export(store: Store, campaign: int, path: AnyPath) -> None:
    """The history as JSON Lines: a heading, then one event a line."""
    try:
        with Path(path).open("rb") as there:
            precious = there.read(len(SQLITE)) == SQLITE
    except (OSError, ValueError):
        precious = False
    if precious:
        raise FileError(
            f"{os.fspath(path)} is a database", "another file to export to", what="path", value=path
        )
    number, seal = store.last(campaign)
    with replacing(path) as draft, draft.open("w", encoding="utf-8") as file:
        file.write(text_of({"format": FORMAT, "events": number, "hash": seal}) + "\n")
        for event in chained(store.events(campaign)):
            if event.number > number:
                break
            file.write(text_of(event.to_dict()) + "\n")


def check_export(path: AnyPath) -> str:
    """The name of the campaign that an exported history is of, every event checked."""
    state = State()
    for line, event in _events(path):
        try:
            state.apply(event)
        except HistoryError as error:
            raise error.within(f"{os.fspath(path)}, line {line}") from None
    count, seal = _heading(path)
    if (state.number, state.hash) != (count, seal):
        raise HistoryError(
            f"{os.fspath(path)} ends at event {state.number}; expected {count}, as its heading says"
        )
    return state.settings.name


def replay(path: AnyPath, name: str, store: Store) -> int:
    """A campaign made of an exported history that has been checked."""
    return store.adopt([(name, (event for _, event in _events(path)))])[0]


def _lines(path: AnyPath) -> Iterator[tuple[int, str]]:
    try:
        with Path(path).open(encoding="utf-8") as file:
            yield from enumerate(file, start=1)
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(path)}: {error.strerror}") from None
    except ValueError:
        raise FileError(f"{os.fspath(path)} is not a history exported by allotment") from None


def _heading(path: AnyPath) -> tuple[int, str]:
    """How many events there should be, and the hash of the last."""
    _, line = next(_lines(path), (0, ""))
    try:
        heading = json.loads(line)
        kind, count, seal = heading["format"], heading["events"], heading["hash"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{os.fspath(path)} is not a history exported by allotment") from None
    if kind != FORMAT:
        raise FileError(f"{os.fspath(path)} has format {shown(kind)}", FORMAT, what="format", value=kind)
    return count, seal


def _events(path: AnyPath) -> Iterator[tuple[int, Event]]:
    _heading(path)
    for number, line in _lines(path):
        if number == 1:
            continue
        try:
            yield number, Event.from_dict(json.loads(line))
        except (ValueError, RecursionError):
            raise HistoryError(f"{os.fspath(path)}, line {number}: this is not an event") from None
        except HistoryError as error:
            raise error.within(f"{os.fspath(path)}, line {number}") from None
