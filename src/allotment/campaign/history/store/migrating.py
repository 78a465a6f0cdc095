"""The format of a store: create it, recognise it, migrate it after a backup, or refuse a newer one."""

import sqlite3
import warnings
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from allotment.campaign.history.store.connecting import DAMAGED, may_be_written, shown_url
from allotment.campaign.history.store.schema import check_schema
from allotment.errors import StoreError, StoreWarning, shown
from allotment.system.files import make_empty

FIRST, NEWEST = "0001", "0003"
VERSION_TABLE = "allotment_version"
SCRIPTS = Path(__file__).parent / "migrations"
ONE_AT_A_TIME = 0x616C6C6F746D656E  # the advisory lock under which PostgreSQL is migrated


def version_of(connection: Connection, store: str) -> str | None:
    """The format of a store; None if there is none yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all()
    if len(found) != 1 or not isinstance(found[0], str) or not found[0].isdecimal() or found[0] < FIRST:
        reason = DAMAGED.format(store=store)
        raise StoreError(f"cannot use {store}: its format is {shown(*found[:1] or [None])}; {reason}")
    return str(found[0])


def bring_up_to_date(engine: Engine, *, create: bool) -> None:
    """Make the tables, migrate older ones (a file after a backup), or say why not."""
    name = shown_url(engine.url)
    with engine.connect() as connection:
        found = version_of(connection, name)
        empty = found is None and not inspect(connection).get_table_names()
        if found == NEWEST or (found is not None and found < NEWEST and _is_write_protected(engine)):
            check_schema(connection, name, found)  # campaigns of an older format can be read as they are
            return
    if found is not None and found > NEWEST:
        raise StoreError(
            f"{name} was written by a newer allotment (format {found}); this one knows formats up to {NEWEST}"
        )
    if found is None and (not create or (not empty and engine.dialect.name == "sqlite")):
        raise StoreError(f"{name} is not a store of campaigns" if not empty else f"{name} holds no campaigns")
    with engine.execution_options(writes=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:it)"), {"it": ONE_AT_A_TIME})
        current = version_of(connection, name)  # somebody else may have done it meanwhile
        if current == NEWEST:
            return
        if current is not None and engine.url.database and engine.dialect.name == "sqlite":
            _keep_a_copy(Path(engine.url.database), current)
        _migrate(connection)
        check_schema(connection, name, NEWEST)


def _is_write_protected(engine: Engine) -> bool:
    """Whether a store is a file that this user may only read."""
    if engine.dialect.name != "sqlite" or not engine.url.database:
        return False
    path = Path(engine.url.database)
    return not (may_be_written(path) and may_be_written(path.parent))


def _migrate(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes.update(connection=connection, version_table=VERSION_TABLE)
    command.upgrade(config, "head")


def _keep_a_copy(path: Path, version: str) -> None:
    """The file as it is before a migration, beside it."""
    copy = path.with_name(f"{path.name}.format-{version}")
    if copy.exists():  # of an attempt that did not end
        copy.unlink()
    make_empty(copy, like=path)  # it holds the seed, as the file does
    source, target = sqlite3.connect(path), sqlite3.connect(copy)
    try:
        with target:
            source.backup(target)
    finally:
        source.close()
        target.close()


SYNCED = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents", "nextcloud")
REMOTE = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "fuse.sshfs",
    "9p",
    "afpfs",
    "webdav",
    "davfs",
    "fuse.davfs2",
)


def warn_of_shared_places(path: Path, mounts: Path = Path("/proc/mounts")) -> None:
    """Say so if a file lies on a network drive or in a folder that something else copies."""
    parts = [part.lower() for part in path.resolve().parts]
    place = next((word for word in SYNCED if any(part.startswith(word) for part in parts)), None)
    if place is not None:
        reason = f"in a folder that {place} copies"
    elif _file_system(path, mounts) in REMOTE:
        reason = "on a network drive"
    else:
        return
    warnings.warn(
        f"{path} lies {reason}: a database there can be damaged; keep it on a disk of this machine and take "
        f"backups to the other place",
        StoreWarning,
        stacklevel=2,
    )


def _file_system(path: Path, mounts: Path) -> str | None:
    try:
        lines = [line.split() for line in mounts.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeError):
        return None
    resolved = path.resolve()
    holds = [
        (len(line[1]), line[2])
        for line in lines
        if len(line) > 2 and resolved.is_relative_to(line[1].replace("\\040", " "))
    ]
    return max(holds)[1] if holds else None
