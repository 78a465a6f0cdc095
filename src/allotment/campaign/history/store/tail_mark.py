"""A mark in a SQLite file: whether it holds all events, or some are still in its `-wal` file.

SQLite keeps the newest events in FILE-wal until it checkpoints them. If that file is deleted or left behind,
SQLite opens the rest as if nothing were missing. So the first event that is written after an orderly close
marks the file itself, and the next orderly close removes the mark. A marked file without its `-wal` has lost
events, or was last closed by a program that knows nothing of the mark.
"""

import sqlite3
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from allotment.errors import StoreWarning

OPEN, IN_ORDER = 1, 0  # values of SQLite's user_version, which allotment uses for nothing else


def mark_open(connection: Connection) -> bool:
    """Mark the file as part of a transaction that writes; whether the mark is new."""
    if connection.dialect.name != "sqlite" or _mark(connection) == OPEN:
        return False
    connection.exec_driver_sql(f"PRAGMA user_version = {OPEN}")
    return True


def checkpoint(engine: Engine) -> None:
    """Bring what was committed, the mark with it, from the `-wal` file into the file itself."""
    with suppress(SQLAlchemyError, sqlite3.Error):  # the events are safe in any case
        file = engine.raw_connection()
        try:
            file.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)").close()
        finally:
            file.close()


def close_in_order(engine: Engine) -> None:
    """Close all connections; if nobody else is writing, remove the mark first."""
    pool = engine.pool
    if engine.dialect.name == "sqlite" and isinstance(pool, QueuePool) and pool.checkedin():
        with suppress(SQLAlchemyError, sqlite3.Error):  # whoever writes now removes the mark in the end
            _remove_mark(engine)
    engine.dispose()


def _remove_mark(engine: Engine) -> None:
    connection: Any = engine.raw_connection()
    try:
        if connection.cursor().execute("PRAGMA user_version").fetchone()[0] == OPEN:
            connection.cursor().execute("PRAGMA busy_timeout = 0").close()
            connection.cursor().execute("BEGIN IMMEDIATE")
            connection.cursor().execute(f"PRAGMA user_version = {IN_ORDER}")
            connection.cursor().execute("COMMIT")
    finally:
        connection.close()


def has_tail(path: Path) -> bool:
    """Whether a file has a `-wal` file with anything in it."""
    try:
        return Path(f"{path}-wal").stat().st_size > 0
    except OSError:
        return False


def warn_of_lost_tail(engine: Engine, path: Path) -> None:
    """Say so if a file is marked and has no `-wal` file; the caller has seen that there was none before."""
    with engine.connect() as connection:
        marked = _mark(connection) == OPEN
    if marked and not has_tail(path):
        warnings.warn(
            f"{path} was not closed in order, and {path.name}-wal is missing: the newest events may be lost. "
            f"If the file was copied or moved, bring {path.name}-wal along before anything is written; else "
            f"compare `allotment history` with your notes, or bring back a backup with `allotment restore`",
            StoreWarning,
            stacklevel=4,
        )


def _mark(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
