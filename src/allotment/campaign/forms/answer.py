"""The base class of answers: rows for tables, data frames and CSV, and plain data for machines.

`plain` is the one way from an answer to JSON. `to_dict`, `--json`, the API, its description and the client's
requests all derive from it.
"""

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, get_type_hints

from allotment.system.extras import needed


class Record:
    """A record with fields. `computed` are the properties that its plain data hold beside the fields."""

    computed: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Get everything as plain data."""
        found: dict[str, Any] = plain_data(self)
        return found


def is_record(value: Any) -> bool:
    """Whether a value, or a type, has fields: a data class or a named tuple."""
    return is_dataclass(value) or hasattr(value, "_fields")


def field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a record or of its type."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else tuple(kind._fields)


def computed_types(kind: Any) -> dict[str, Any]:
    """The types of what a record's plain data hold beside its fields."""
    return {
        name: get_type_hints(getattr(kind, name).fget)["return"] for name in getattr(kind, "computed", ())
    }


# What answers say of situations. The API leaves it out for campaigns without situations, as it always did.
OF_SITUATIONS = frozenset({"situation", "situations", "today_situations", "today_budgets"})


def plain_data(value: Any, without_empty: Container[str] = ()) -> Any:
    """A value as JSON holds it: records by the names of their fields, exact decimals and dates as texts.

    A number that is not finite becomes None, because JSON has none. Fields that `without_empty` names are
    left out if they are empty.

    >>> plain_data((Decimal("2.5"), datetime.date(2026, 1, 2), math.inf))
    ['2.5', '2026-01-02', None]
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if is_record(value):
        names = (*field_names(value), *getattr(value, "computed", ()))
        parts = ((name, getattr(value, name)) for name in names)
        return {
            name: plain_data(part, without_empty) for name, part in parts if part or name not in without_empty
        }
    if isinstance(value, Mapping):
        return {str(name): plain_data(part, without_empty) for name, part in value.items()}
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain_data(value.tolist())
    if isinstance(value, Iterable):
        return [plain_data(part, without_empty) for part in value]
    return value


NONE_YET = "none yet"  # in a column of numbers, of what has not happened yet
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
