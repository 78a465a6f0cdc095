"""A `-wal` file that is damaged in the middle: SQLite drops what follows the damage, and says nothing of it.

Each commit is some frames in the `-wal` file, with the numbers ("salts") of its header and a checksum over
all frames before. SQLite reads up to the first frame whose checksum is wrong, and writes into its index how
many frames that were. If a whole commit with the same salts lies behind them, acknowledged events are lost.
"""

import os
import sqlite3
import struct
import warnings
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from allotment.errors import StoreWarning

HEADER, FRAME = 32, 24  # bytes before the first frame, and before the page of each frame
READ_FRAMES = struct.Struct("=I")  # in the index, in the order of bytes of the machine
AT = 16  # where the index holds the number of frames that were read


def warn_of_broken_tail(engine: Engine, path: Path) -> None:
    """Say so if commits were dropped; the caller has opened the file, so that its index is there.

    While another program writes, its commit is in the file before it is in the index. So look again under the
    write lock.
    """
    with engine.connect():  # as long as it is open, nobody deletes the file
        lost = _commits_lost(path)
    if lost:
        with suppress(SQLAlchemyError, sqlite3.Error), engine.execution_options(writes=True).begin():
            lost = _commits_lost(path)
    if lost:
        warnings.warn(
            f"{path.name}-wal is damaged: {lost} of the last writes to {path} cannot be read. Before you "
            f"write anything, copy {path.name} and {path.name}-wal to another folder; then compare "
            f"`allotment history` with your notes, or bring back a backup with `allotment restore`",
            StoreWarning,
            stacklevel=4,
        )


def _commits_lost(path: Path) -> int:
    """The number of commits in the file that SQLite has not read."""
    commits, read = _commits(Path(f"{path}-wal")), _frames_read(Path(f"{path}-shm"))
    return 0 if read is None else sum(number > read for number in commits)


def _commits(path: Path) -> list[int]:
    """The numbers of the frames that end a commit and belong to the present use of the file."""
    found: list[int] = []
    try:
        with path.open("rb") as file:
            header, end = file.read(HEADER), path.stat().st_size
            if len(header) < HEADER:
                return []
            size, salts = int.from_bytes(header[8:12], "big"), header[16:24]
            number = 0
            while len(frame := file.read(FRAME)) == FRAME:
                number += 1
                ends_commit = frame[4:8] != bytes(4)  # it says how many pages the file has
                is_whole = file.seek(size, os.SEEK_CUR) <= end
                if ends_commit and is_whole and frame[8:16] == salts:
                    found.append(number)
    except OSError:
        return []
    return found


def _frames_read(path: Path) -> int | None:
    try:
        with path.open("rb") as file:
            file.seek(AT)
            found: int = READ_FRAMES.unpack(file.read(READ_FRAMES.size))[0]
    except (OSError, struct.error):
        return None
    return found
