"""Copies: backups of a store while it is in use; histories exported, and replayed into another store."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from allotment.campaign.events import Event, text_of
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
            for name, history in store.histories():
                copy.adopt(name, history)


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
        for event in store.events(campaign):
            if event.number > number:
                break
            file.write(text_of(event.to_dict()) + "\n")


def replay(path: AnyPath, store: Store) -> int:
    """A campaign made of an exported history, every event checked; nothing is kept of a damaged one."""
    try:
        file = Path(path).open(encoding="utf-8")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"cannot read {os.fspath(path)}: {reason}") from None
    with file:
        try:
            heading = json.loads(file.readline())
            kind, count, seal = heading["format"], heading["events"], heading["hash"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FileError(f"{os.fspath(path)} is not a history exported by allotment") from None
        if kind != FORMAT:
            raise FileError(f"{os.fspath(path)} has format {shown(kind)}", FORMAT, what="format", value=kind)
        state = State()
        events = _checked(file, state, os.fspath(path))
        try:
            first = next(events, None)
            if first is None:
                raise HistoryError(f"{os.fspath(path)} holds no events")
            return store.adopt(
                state.settings.name, _until(first, events, state, count, seal, os.fspath(path))
            )
        except UnicodeError:
            raise FileError(f"{os.fspath(path)} is not a history exported by allotment") from None


def _checked(lines: Iterator[str], state: State, name: str) -> Iterator[Event]:
    for number, line in enumerate(lines, start=2):
        try:
            event = Event.from_dict(json.loads(line))
            state.apply(event)
        except (ValueError, RecursionError):
            raise HistoryError(f"{name}, line {number}: this is not an event") from None
        except HistoryError as error:
            raise error.within(f"{name}, line {number}") from None
        yield event


def _until(
    first: Event, events: Iterator[Event], state: State, count: int, seal: str, name: str
) -> Iterator[Event]:
    """All events; an error at the end if some are missing."""
    yield first
    yield from events
    if (state.number, state.hash) != (count, seal):
        raise HistoryError(f"{name} ends at event {state.number}; expected {count}, as its heading says")
