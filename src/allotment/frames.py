"""Columns become data frames of pandas, or tables of Arrow, which polars and others read."""

from collections.abc import Mapping
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
