"""Tables for other programs: data frames, and cells that a spreadsheet shows as text and does not compute.

Columns become data frames of pandas, or tables of Arrow, which polars and others read."""

from collections.abc import Iterable, Mapping
from typing import Any

from allotment.system import extras


def needed(module: str) -> Any:
    """A library of the extra `frames`, or an error that says how to get it."""
    return extras.needed(module, "data frames", "frames")


def pandas_frame(columns: Mapping[str, Any]) -> Any:
    """A pandas data frame."""
    return needed("pandas").DataFrame(dict(columns))


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """An Arrow table, without pandas; `polars.from_arrow` takes it."""
    return needed("pyarrow").table(dict(columns))


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet compute a text
WIDE_FORMULA = ("\uff1d", "\uff0b", "\uff0d", "\uff20")  # full-width = + - @, which some spreadsheets compute


def inert(row: Iterable[Any]) -> list[Any]:
    """A row for a CSV file; an apostrophe comes before texts that would be computed, and numbers stay.

    >>> inert(["Dock", "=1+1", -1])
    ['Dock', "'=1+1", -1]
    """
    computed = (*FORMULA, *WIDE_FORMULA)
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(computed) else cell for cell in row]
