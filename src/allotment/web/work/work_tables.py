"""Where long work and logs that wait are kept.

For a team they are in its store, so that all workers see the same. On one machine they are in a database of
the process: it has no name on disk, so that it is gone when the process ends in any way.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from sqlalchemy import Connection, QueuePool, create_engine, text

from allotment.campaign.history.store.tables import jobs, metadata, staged_logs

ONE_AT_A_TIME = 0x616C6C6F74  # the advisory lock under which workers on PostgreSQL begin work


class WorkTables(Protocol):
    """What has the tables: a store, or a database of the process."""

    def transaction(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """A transaction that reads, or writes."""
        ...


class ProcessTables:
    """A database of this process alone. Its threads take turns at the one connection."""

    def __init__(self) -> None:
        self._engine = create_engine(
            "sqlite://",
            creator=lambda: sqlite3.connect("", check_same_thread=False),  # a file without a name
            poolclass=QueuePool,
            pool_size=1,
            max_overflow=0,
        )
        metadata.create_all(self._engine, tables=[jobs, staged_logs])

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """A transaction that reads, or writes."""
        with self._engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Let go of everything."""
        self._engine.dispose()


@contextmanager
def alone(tables: WorkTables) -> Iterator[Connection]:
    """A transaction that looks before it writes: no other worker writes in between."""
    with tables.transaction(writes=True) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:it)"), {"it": ONE_AT_A_TIME})
        yield connection
