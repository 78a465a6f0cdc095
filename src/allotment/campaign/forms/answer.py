"""The base class of answers: rows for tables, data frames and CSV, and plain data for machines."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from allotment.campaign.forms.plain_data import Record
from allotment.system.extras import needed

LEAST = 0.001  # an expectation below is not worth its digits


class Sentence(str):
    """A sentence with its topic, by which pages choose sentences. Everywhere else, it is a text."""

    topic: str

    def __new__(cls, text: str, topic: str = "") -> "Sentence":
        """Make a sentence of a topic."""
        made = super().__new__(cls, text)
        made.topic = topic
        return made


def about(said: Iterable[str], *topics: str) -> list[str]:
    """The sentences of some topics."""
    return [each for each in said if getattr(each, "topic", None) in topics]


def besides(said: Iterable[str], *topics: str) -> list[str]:
    """The sentences of all other topics."""
    return [each for each in said if getattr(each, "topic", None) not in topics]


class Answer(Record, ABC):
    """An answer with rows, and sentences beside them."""

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

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """Columns and rows as people read them: expectations short, and not more than 80 columns wide."""
        return self.columns(), list(self.rows())

    def __str__(self) -> str:
        columns, rows = self.table()
        lines = aligned(columns, [[cell(each) for each in row] for row in rows])
        return "\n".join([*lines, *self.sentences()])


def cell(value: Any) -> str:
    """A value in a table: amounts and counts as they are, nothing where there is nothing."""
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def short(value: float | None) -> str:
    """An expectation for people: at most three significant digits, and no exponent.

    >>> short(0.12345), short(1234.5), short(0.00092), short(2.0)
    ('0.123', '1230', '<0.001', '2')
    """
    if value is None:
        return "unknown"
    if 0.0 < abs(value) < LEAST:
        return "<0.001" if value > 0.0 else ">-0.001"
    text = f"{float(f'{value:.3g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def spoken(value: float) -> str:
    """An expectation for a sentence.

    >>> spoken(0.12345), spoken(0.00012)
    ('0.123', 'less than 0.001')
    """
    return short(value).replace("<", "less than ").replace(">", "more than ")


def between(low: float, high: float) -> str:
    """A band for people."""
    return f"{short(low)}-{short(high)}"


def percent(chance: float) -> str:
    """A chance for people; neither certain nor impossible unless it is.

    >>> percent(0.42), percent(0.998), percent(1.0), percent(0.002)
    ('42 %', '>99 %', '100 %', '<1 %')
    """
    if 0.99 < chance < 1.0:
        return ">99 %"
    return "<1 %" if 0.0 < chance < 0.01 else f"{100.0 * chance:.0f} %"


def losses_and_cost(losses: float | None, cost: float, *, weighted: bool) -> str:
    """Expected losses for a sentence, and their cost where severities differ."""
    if not weighted:
        return f"{spoken(cost if losses is None else losses)} losses"
    return f"{spoken(losses)} losses (cost {spoken(cost)})" if losses is not None else f"cost {spoken(cost)}"


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table in which each column is as wide as it needs to be."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    return [
        "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *rows)
    ]
