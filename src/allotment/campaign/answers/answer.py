"""What answers share: rows for a table, a data frame, a CSV file; plain data for machines."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from allotment.extras import needed


class Answer(ABC):
    """An answer with rows, and sentences beside them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole answer as plain data."""

    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What the columns of its rows are called."""

    @abstractmethod
    def rows(self) -> list[tuple[Any, ...]]:
        """Its rows."""

    def sentences(self) -> list[str]:
        """What there is to say beside the rows."""
        return []

    def to_frame(self) -> Any:
        """The rows as a pandas data frame."""
        pandas = needed("pandas", "data frames", "frames")
        return pandas.DataFrame(self.rows(), columns=list(self.columns()))

    def __str__(self) -> str:
        lines = aligned(self.columns(), [[cell(each) for each in row] for row in self.rows()])
        return "\n".join([*lines, *self.sentences()])


def cell(value: Any) -> str:
    """A value in a table: numbers short, nothing where there is nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e5 else f"{value:.0f}"
    return str(value)


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table in which each column is as wide as it needs to be."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    return [
        "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *rows)
    ]
