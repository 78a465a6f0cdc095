"""Columns become data frames of pandas, or tables of Arrow, which polars and others read."""

import importlib
from collections.abc import Mapping
from typing import Any

from allotment.errors import MissingExtraError


def needed(module: str) -> Any:
    """A library of the extra `frames`, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise MissingExtraError(
            f"data frames need {name}; install it with: pip install 'allotment[frames]'"
        ) from None


def pandas_frame(columns: Mapping[str, Any]) -> Any:
    """A pandas data frame."""
    return needed("pandas").DataFrame(dict(columns))


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """An Arrow table, without pandas; `polars.from_arrow` takes it."""
    return needed("pyarrow").table(dict(columns))
