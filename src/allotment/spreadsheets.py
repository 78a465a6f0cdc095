"""Cells that a spreadsheet shows as text and does not compute."""

from collections.abc import Iterable
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet compute a text
WIDE_FORMULA = ("\uff1d", "\uff0b", "\uff0d", "\uff20")  # full-width = + - @, which some spreadsheets compute


def inert(row: Iterable[Any]) -> list[Any]:
    """A row for a CSV file; an apostrophe comes before texts that would be computed, and numbers stay.

    >>> inert(["Dock", "=1+1", -1])
    ['Dock', "'=1+1", -1]
    """
    computed = (*FORMULA, *WIDE_FORMULA)
    return [f"'{cell}" if isinstance(cell, str) and cell.startswith(computed) else cell for cell in row]
