"""Connections to SQLite files and PostgreSQL databases, with the safety settings of each."""

import getpass
import os
import re
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from allotment.campaign.forms.names import unknown
from allotment.errors import InputError, NotFoundError, StoreError
from allotment.system.extras import needed
from allotment.system.files import AnyPath

SMALLEST = 512  # bytes of a page: SQLite would take less for an empty file, and begin to fill it
WAIT_SECONDS = 60  # for other writers, before giving up
STEP_MILLISECONDS = 100  # SQLite hears no signal while it waits, so it waits this long at a time
PRAGMAS = {  # what each connection to a file must have, and how SQLite says that it has it
    "busy_timeout": (f"{STEP_MILLISECONDS}", STEP_MILLISECONDS),
    "trusted_schema": ("OFF", 0),
    "journal_mode": ("WAL", "wal"),
    "synchronous": ("FULL", 2),
    "foreign_keys": ("ON", 1),
}
REPLACED = ".replaced-"  # how the name goes on of a store that a restore moved aside
NUL = "\0"  # which is in no sentence
ADDRESS = "postgresql://user@host/database"
SECRET = re.compile(r"[^/\\:@]+:[^/\\@]*@|password\s*=", re.IGNORECASE)
MISTYPED = re.compile(rf"^[a-z][a-z0-9+.-]+:/|^postgres\w*\s*[:;]|{SECRET.pattern}", re.IGNORECASE)
SETTINGS = {"synchronous_commit": "on", "lock_timeout": f"{WAIT_SECONDS}s"}  # the same for PostgreSQL


def is_url(store: AnyPath) -> bool:
    """Whether it names a database on a server, and not a file."""
    if not isinstance(store, str) or "://" in store:
        return isinstance(store, str)
    if MISTYPED.search(store) and not os.path.exists(store):  # noqa: PTH110 - whatever the text is
        raise _no_address("it looks like one, but is mistyped")
    return False


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
        raise _no_address("it is mistyped") from None
    if url.get_backend_name() != "postgresql":
        raise InputError.of("store", url.drivername, "a file, or a postgresql:// address")
    if "@" in (url.host or "") or SECRET.search(url.database or ""):
        raise _no_address("it is mistyped; a password holds %40 for @, %2F for / and %3F for ?")
    secret = url.query.get("password")
    if isinstance(secret, str):  # where it would be shown
        url = url.set(password=secret).difference_update_query(["password"])
    if not url.password:  # "user:@host" has none, which is not to be shown as ***
        url = url._replace(password=None)
    return url.set(drivername="postgresql+psycopg")


def _no_address(why: str) -> InputError:
    """An error that does not repeat the address: a password may be in it."""
    return InputError(f"store is no address: {why}", ADDRESS, what="store")


def shown_url(url: URL) -> str:
    """A store in a sentence; its password is nobody's business."""
    if url.database is not None and url.get_backend_name() == "sqlite":
        return url.database
    where = {name: url.query[name] for name in ("host", "port") if name in url.query}  # others may be secret
    return url.set(drivername="postgresql", query=where).render_as_string(hide_password=True)


def check_file(path: Path, name: str, *, create: bool) -> None:
    """Raise an error if a file cannot be a store, or is not there and is not to be made."""
    if path.is_dir():
        raise NotFoundError(f"{name} is a folder", "a file", what="store", value=name)
    if not create and not path.exists():
        if aside := sorted(path.parent.glob(f"{escape(path.name)}{REPLACED}*Z")):
            raise NotFoundError(
                f"there is no file {name}: a restore was stopped. {aside[-1]} is the store as it was before",
                f"`allotment restore COPY {name}` again, or both files under their old names",
                what="store",
                value=name,
            )
        expected = "the file of a campaign; `allotment new` makes one"
        raise unknown(f"there is no file {name}", path.name, _files_beside(path), expected, what="store")
    if not create and path.is_file() and path.stat().st_size < SMALLEST:
        raise StoreError(f"cannot use {name}: it is not a store of campaigns")


def _files_beside(path: Path) -> list[str]:
    """The names of the files in the same folder that end alike; none if the folder cannot be read."""
    try:
        return sorted(each.name for each in path.parent.iterdir() if each.suffix == path.suffix)
    except OSError:
        return []


def engine_for(url: URL) -> Engine:
    """Connections whose transactions are begun for reading, or (option `writes`) for writing."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, creator=lambda: _open_file(Path(url.database or "")))
        event.listen(engine, "begin", _begin)
    else:
        needed("psycopg", "PostgreSQL databases", "postgres")
        # Whatever the server has as its default: a stricter level would refuse reports that come together.
        engine = create_engine(url, pool_pre_ping=True, isolation_level="READ COMMITTED")
        event.listen(engine, "do_connect", _Connecting(shown_url(url)))
        event.listen(engine, "connect", _prepare_server)
    return engine


class _Connecting:
    """Connects to a server; at a terminal, asks for the password if the server does and nothing has it.

    libpq itself looks into PGPASSWORD and the .pgpass file.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.typed: dict[str, str] = {}

    def __call__(self, dialect: Any, record: Any, arguments: Any, options: dict[str, Any]) -> Any:
        try:
            return dialect.connect(*arguments, **options | self.typed)
        except dialect.loaded_dbapi.OperationalError as error:
            asked = error.pgconn is not None and error.pgconn.needs_password
            if self.typed or not asked or not sys.stdin.isatty():
                raise
            try:
                self.typed = {"password": getpass.getpass(f"Password of {self.name}: ")}
            except EOFError:
                raise error from None
            return dialect.connect(*arguments, **options | self.typed)


def _open_file(path: Path) -> sqlite3.Connection:
    only_read = _for_reading(path)
    connection = sqlite3.connect(only_read or path, check_same_thread=False, uri=only_read is not None)
    try:
        _prepare_file(connection, [name for name in PRAGMAS if not (only_read and name == "journal_mode")])
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare_file(connection: sqlite3.Connection, pragmas: list[str]) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for name in pragmas:
        wanted, answer = PRAGMAS[name]
        patiently(connection, f"PRAGMA {name} = {wanted}").close()
        found = patiently(connection, f"PRAGMA {name}").fetchone()[0]
        if found != answer:
            raise sqlite3.OperationalError(f"{name} is {found}, and not {answer}")


def _for_reading(path: Path) -> str | None:
    """How SQLite opens a file that may only be read; None for a file that may be written.

    SQLite makes files beside a store even to read it. Where it may not, it must be told that nobody writes.
    """
    if not path.exists() or (may_be_written(path) and may_be_written(path.parent)):
        return None
    in_use = Path(f"{path}-wal").exists()
    if in_use and not Path(f"{path}-shm").exists():  # without this index, SQLite cannot read the -wal file
        raise sqlite3.OperationalError(NO_INDEX)
    return f"{path.resolve().as_uri()}?{'mode=ro' if in_use else 'immutable=1'}"


def may_be_written(path: Path) -> bool:
    """Whether this user may write to a file, or make files in a folder."""
    return os.access(path, os.W_OK)


def patiently(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute a statement that may have to wait for others; Ctrl-C is heard meanwhile."""
    patience = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return connection.execute(statement)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > patience:
                raise


def is_busy(error: sqlite3.Error) -> bool:
    """Whether SQLite only says that somebody else holds a lock."""
    code = getattr(error, "sqlite_errorcode", 0)  # none where Python itself raised it
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _begin(connection: Connection) -> None:
    """Begin a transaction; whoever waits for a lock waits here, and nowhere later."""
    file: Any = connection.connection.dbapi_connection
    if connection.get_execution_options().get("writes", False):
        patiently(file, "BEGIN IMMEDIATE")
        return
    patiently(file, "BEGIN")
    patiently(file, "SELECT 1 FROM sqlite_master LIMIT 1").close()


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


DAMAGED = (
    "it may be damaged; try again, and then `allotment verify {store}`. If that fails as well, bring back "
    "a backup with `allotment restore COPY {store}`"
)
NO_INDEX = "a -wal file without its index, where none can be made"
SENTENCES = {  # what databases say, and what we say
    NO_INDEX: "its newest events are in {store}-wal, which cannot be read where nothing may be written; copy "
    "both files to a folder that you may write to",
    "file is not a database": "it is not a store of campaigns",
    "disk image is malformed": DAMAGED,
    "malformed database schema": DAMAGED,
    "could not decode to utf-8": DAMAGED,
    "no such table": DAMAGED,
    "no such column": DAMAGED,
    "database or disk is full": "the disk is full; nothing was written",
    "disk i/o error": "the disk failed; nothing was acknowledged",
    "readonly database": "it is write-protected; allow yourself to write to the file and to its folder",
    "unable to open database file": "there is no such folder, or it may not be written",
    "no space left on device": "the disk is full; nothing was written",
    "read-only transaction": "it is write-protected",
    "lock timeout": f"another program has been writing to it for more than {WAIT_SECONDS} seconds",
    "no password supplied": "it asks for a password; set PGPASSWORD, or write it into a .pgpass file",
    "database is locked": f"another program has been writing to it for more than {WAIT_SECONDS} seconds",
}


@contextmanager
def in_sentences(url: URL) -> Iterator[None]:
    """Whatever a database reports becomes one sentence that names the store."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        name = shown_url(url)
        why = _reason(error).format(store=name)
        raise StoreError(f"cannot use {name}: {why.replace(url.password or NUL, '***')}") from None


def _reason(error: Exception) -> str:
    original = error.orig if isinstance(error, DBAPIError) else error
    said = " ".join(str(original).split()) or type(original).__name__
    for part, sentence in SENTENCES.items():
        if part in said.lower():
            return sentence
    said = said[:200].replace("{", "{{").replace("}", "}}")
    if isinstance(error, OperationalError) and not isinstance(original, sqlite3.Error):
        return f"the database cannot be reached, or went away ({said}); nothing was acknowledged"
    return said


def lost_a_race(error: Exception) -> bool:
    """Whether the database took back a transaction because of another one, so that it can be tried again."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state in ("40001", "40P01")  # serialization failure, deadlock


def went_away(error: Exception) -> bool:
    """Whether the connection was lost, so that the answer is not known."""
    return isinstance(error, DBAPIError) and error.connection_invalidated
