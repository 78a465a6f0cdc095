"""Limits of tables: a file of a few kilobytes can unpack to any number of rows and bytes."""

from pathlib import Path

from allotment.errors import FileError

Line = tuple[int, list[str]]  # a line's number, and its cells
MOST_BYTES = 2**29  # of a file, and of what it unpacks to
MOST_ROWS = 2_000_000  # about twice as many as an Excel sheet can have
MOST_COLUMNS = 1000


def too_large(path: Path, what: str, most: int, unit: str) -> FileError:
    """The error that names a file which goes beyond a limit, and what to do about it."""
    return FileError(
        f"{path} has {what}",
        f"at most {most:,} {unit}; delete what is not part of the table, or split the file",
    )
