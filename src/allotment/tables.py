"""Tables for other programs: data frames, and cells that a spreadsheet shows as text and does not compute.

Columns become data frames of pandas, or tables of Arrow, which polars and others read.
"""

import re
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


INNER_FORMULA = re.compile(
    "[,;\t] *[=+\\-@\uff1d\uff0b\uff0d\uff20]"
)  # if a table is split at another character


def is_computed(text: str) -> bool:
    """Whether a spreadsheet would compute a text, or a part of it after a comma, a semicolon or a tab.

    >>> is_computed("x;=1+1"), is_computed("Dock - east"), is_computed("A, B")
    (True, False, False)
    """
    return text.startswith((*FORMULA, *WIDE_FORMULA)) or INNER_FORMULA.search(text) is not None


def as_text(cell: str) -> str:
    """A cell as it was before `inert` put an apostrophe before it.

    >>> as_text("'x;=1+1"), as_text("'s Gate")
    ('x;=1+1', "'s Gate")
    """
    return cell[1:] if cell.startswith("'") and is_computed(cell[1:]) else cell


def inert(row: Iterable[Any]) -> list[Any]:
    """A row for a CSV file; an apostrophe comes before texts that would be computed, and numbers stay.

    >>> inert(["Dock", "=1+1", -1])
    ['Dock', "'=1+1", -1]
    """
    return [f"'{cell}" if isinstance(cell, str) and is_computed(cell) else cell for cell in row]
