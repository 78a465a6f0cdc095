"""Connections to a store: SQLite files and PostgreSQL databases, with the safety that each must give."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from allotment.errors import InputError, StoreError
from allotment.extras import needed
from allotment.files import AnyPath

WAIT_SECONDS = 60  # for other writers, before giving up
PRAGMAS = {  # what each connection to a file must have, and how SQLite says that it has it
    "journal_mode": ("WAL", "wal"),
    "synchronous": ("FULL", 2),
    "foreign_keys": ("ON", 1),
    "busy_timeout": (f"{WAIT_SECONDS * 1000}", WAIT_SECONDS * 1000),
}
SETTINGS = {"synchronous_commit": "on", "lock_timeout": f"{WAIT_SECONDS}s"}  # the same for PostgreSQL


def is_url(store: AnyPath) -> bool:
    """Whether it names a database on a server, and not a file."""
    return isinstance(store, str) and "://" in store


def url_of(store: AnyPath) -> URL:
    """The address of a store: a file's name, or postgresql://…"""
    if not is_url(store):
        try:
            path = Path(store).expanduser()
        except (TypeError, RuntimeError):
            raise InputError.of("store", store, "a file, or a postgresql:// address") from None
        return URL.create("sqlite", database=str(path))
    try:
        url = make_url(os.fspath(store))
    except (ArgumentError, ValueError):
        raise InputError("store is no address", "postgresql://user@host/database", what="store") from None
    if url.get_backend_name() != "postgresql":
        raise InputError.of("store", url.drivername, "a file, or a postgresql:// address")
    return url.set(drivername="postgresql+psycopg")


def shown_url(url: URL) -> str:
    """A store in a sentence; its password is nobody's business."""
    if url.database is not None and url.get_backend_name() == "sqlite":
        return url.database
    return url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def engine_for(url: URL) -> Engine:
    """Connections whose transactions are begun for reading, or (option `writes`) for writing."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"check_same_thread": False})
        event.listen(engine, "connect", _prepare_file)
        event.listen(engine, "begin", _begin)
    else:
        needed("psycopg", "PostgreSQL databases", "postgres")
        engine = create_engine(url, pool_pre_ping=True)
        event.listen(engine, "connect", _prepare_server)
    return engine


def _prepare_file(connection: sqlite3.Connection, record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for name, (wanted, answer) in PRAGMAS.items():
        connection.execute(f"PRAGMA {name} = {wanted}").close()
        found = connection.execute(f"PRAGMA {name}").fetchone()[0]
        if found != answer:
            raise sqlite3.OperationalError(f"{name} is {found}, and not {answer}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_server(connection: Any, record: Any) -> None:
    with connection.cursor() as cursor:
        for name, wanted in SETTINGS.items():
            cursor.execute(f"SET {name} = '{wanted}'")
        for name, needed in (("synchronous_commit", "on"), ("fsync", "on")):
            cursor.execute(f"SHOW {name}")
            found = cursor.fetchone()[0]
            if found != needed:
                raise sqlite3.OperationalError(f"its {name} is {found}, and not {needed}")
    connection.commit()


SENTENCES = {  # what databases say, and what we say
    "file is not a database": "it is not a store of campaigns",
    "disk image is malformed": "it is damaged; restore it from a backup",
    "database or disk is full": "the disk is full; nothing was written",
    "disk i/o error": "the disk failed; nothing was acknowledged",
    "readonly database": "it is write-protected",
    "unable to open database file": "there is no such folder, or it may not be written",
    "no space left on device": "the disk is full; nothing was written",
    "read-only transaction": "it is write-protected",
    "lock timeout": f"another program has been writing to it for more than {WAIT_SECONDS} seconds",
    "database is locked": f"another program has been writing to it for more than {WAIT_SECONDS} seconds",
}


@contextmanager
def in_sentences(url: URL) -> Iterator[None]:
    """Whatever a database reports becomes one sentence that names the store."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        raise StoreError(f"cannot use {shown_url(url)}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    original = error.orig if isinstance(error, DBAPIError) else error
    said = " ".join(str(original).split()) or type(original).__name__
    for part, sentence in SENTENCES.items():
        if part in said.lower():
            return sentence
    if isinstance(error, OperationalError) and not isinstance(original, sqlite3.Error):
        return f"the database cannot be reached, or went away ({said[:200]}); nothing was acknowledged"
    return said[:200]


def went_away(error: Exception) -> bool:
    """Whether the connection was lost, so that the answer is not known."""
    return isinstance(error, DBAPIError) and error.connection_invalidated
