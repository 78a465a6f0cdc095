"""Columns become data frames of pandas, or tables of Arrow, which polars and others read."""

from collections.abc import Mapping
from typing import Any

from allotment.errors import MissingExtraError


def pandas_frame(columns: Mapping[str, Any]) -> Any:
    """A pandas data frame."""
    return _loaded("pandas").DataFrame(dict(columns))


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """An Arrow table, without pandas; `polars.from_arrow` takes it."""
    return _loaded("pyarrow").table(dict(columns))


def _loaded(library: str) -> Any:
    import importlib

    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingExtraError(
            f"data frames need {library}; install it with: pip install 'allotment[frames]'"
        ) from None
