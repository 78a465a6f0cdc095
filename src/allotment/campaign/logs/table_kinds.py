"""The kinds of tables, and their limits.

A file of a few kilobytes can unpack to any number of rows and bytes.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from allotment.errors import FileError

Line = tuple[int, list[str]]  # a line's number, and its cells
Reader = Callable[[Path, Any, Collection[str], int, str | None], Iterable[tuple[int, Any]]]
MOST_BYTES = 2**29  # of a file, and of what it unpacks to
MOST_ROWS = 2_000_000  # about twice as many as an Excel sheet can have
MOST_COLUMNS = 1000


@dataclass(frozen=True)
class TableKind:
    """A kind of table: how it is called and recognised, and what reads it."""

    name: str
    one: str  # such a file, in a sentence
    suffixes: tuple[str, ...]  # the first is the usual one
    reader: str  # module and function of this room; loaded when it is needed
    has_sheets: bool = False
    has_lines: bool = True  # so that the heading can be further down

    def rows(self) -> Reader:
        """The function that reads it: (path, file, columns wanted, line of the heading, sheet) to rows."""
        module, function = self.reader.split(".")
        return getattr(import_module(f"{__package__}.{module}"), function)


CSV = TableKind("CSV", "a table as text (CSV)", (".csv", ".tsv", ".txt"), "log_files.csv_rows")
EXCEL = TableKind("Excel", "an Excel file", (".xlsx", ".xlsm"), "excel_files.excel_rows", has_sheets=True)
PARQUET = TableKind(
    "Parquet", "a Parquet file", (".parquet",), "parquet_files.numbered_rows", has_lines=False
)
KINDS = (CSV, EXCEL, PARQUET)


def kind_of(path: Path) -> TableKind:
    """The kind of a table by the name of its file; CSV unless the name says otherwise."""
    found = [kind for kind in KINDS if path.suffix.lower() in kind.suffixes]
    return found[0] if found else CSV


def kinds_in_words() -> str:
    """All kinds, as an error lists them."""
    *names, last = (f"{each.name} ({each.suffixes[0]})" if each.has_sheets else each.name for each in KINDS)
    return f"{', '.join(names)} or {last}"


def too_large(path: Path, what: str, most: int, unit: str) -> FileError:
    """The error that names a file which goes beyond a limit, and what to do about it."""
    return FileError(
        f"{path} has {what}",
        f"at most {most:,} {unit}; delete what is not part of the table, or split the file",
    )
