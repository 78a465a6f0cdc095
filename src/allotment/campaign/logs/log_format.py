"""The format of a log from another program: column names, row of the heading, sheet, dates.

Columns are known by their names: our own names, and words in the tables of other programs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from allotment.campaign.forms.dates import ORDERS
from allotment.campaign.forms.names import composed
from allotment.campaign.settings.specification import OF_ONE_PLACE
from allotment.checks import one_of, whole
from allotment.errors import InputError

COLUMNS = ("date", "place", "amount", "incidents", "exposure", "situation")
LAST_HEADER = 1000  # rows before which a heading stands


@dataclass(frozen=True)
class LogFormat:
    """What was said of a log's form. Empty (None) where the log is to be read as usual."""

    columns: Mapping[str, str] = field(default_factory=dict)  # names in the log, by ours
    header: int | None = None  # the row of the heading; the first row is 1
    sheet: str | None = None
    dates: str | None = None  # dmy, mdy or ymd

    @classmethod
    def of(cls, columns: Any, header: Any, sheet: Any, dates: Any) -> "LogFormat":
        """What the user said, checked."""
        if columns is not None and not isinstance(columns, Mapping):
            raise InputError.of("columns", columns, 'names by our own, such as {"place": "Ort"}')
        given: Mapping[Any, Any] = columns or {}
        for ours, theirs in given.items():
            one_of("columns", ours, COLUMNS)
            _check_text(f"column {ours}", theirs, "the name of a column of the log")
        if sheet is not None:
            _check_text("sheet", sheet, "the name of a sheet")
        return cls(
            {ours: composed(given[ours].strip()) for ours in COLUMNS if ours in given},
            None if header is None else whole("header", header, least=1, most=LAST_HEADER),
            sheet,
            None if dates is None else one_of("dates", dates, ORDERS),
        )

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "LogFormat":
        """What `to_dict` gave, checked as if it were given now."""
        return cls.of(*(content.get(name) for name in ("columns", "header", "sheet", "dates")))

    @property
    def wanted(self) -> dict[str, str]:
        """The name of each column in a log, in lower case, by ours."""
        return {ours: self.columns.get(ours, ours).lower() for ours in COLUMNS}

    def to_dict(self, heading: Sequence[str]) -> dict[str, Any] | None:
        """What was said, and the heading of the log for which it was; None if nothing was said."""
        said = {name: value for name, value in vars(self).items() if value}
        return {**said, "heading": list(heading)} if said else None

    def options(self) -> str:
        """The same as options of `allotment import`."""
        said = []
        if self.columns:
            pairs = [f"{ours}={theirs}" for ours, theirs in self.columns.items()]
            text = ",".join(f'"{pair}"' if "," in pair else pair for pair in pairs)
            said.append(f"--columns '{text}'" if " " in text or '"' in text else f"--columns {text}")
        said += [f"--header {self.header}"] if self.header else []
        said += [f"--sheet '{self.sheet}'"] if self.sheet else []
        said += [f"--dates {self.dates}"] if self.dates else []
        return " ".join(said)


def _check_text(what: str, value: Any, expected: str) -> None:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise InputError.of(what, value, expected)


# Words in the names of columns, by ours; words that say more come first.
PLACE = "place zone location site area beat district sector ort platz stelle gebiet bezirk lieu"
LOSSES = (
    "incidents incident losses loss events event crimes thefts cases vorfälle vorfall fälle schäden verluste "
    "delikte diebstähle incidentes pertes count number anzahl"
)
AMOUNT = "amount granted units officers patrols staff hours traps menge einheiten streifen stunden"
OF_LOGS = {
    "date": "date day datum tag when timestamp datetime time zeitpunkt zeit fecha jour data dia",
    "place": PLACE,
    "incidents": LOSSES,
    "exposure": "exposure rounds nights shifts runden nächte schichten",
    "amount": AMOUNT,
    "situation": "situation shift schicht lage dienst turnus",
}
OF_REPORTS = {"place": PLACE, "losses": LOSSES, "amount": AMOUNT}
OF_PLACES = {"name": f"name {PLACE}", **{name: each.columns for name, each in OF_ONE_PLACE.items()}}


def by_name(heading: Sequence[str], known: Mapping[str, str]) -> dict[str, int]:
    """Where the columns stand that are known by their names; each stands for one of ours.

    >>> by_name(["Ort", "Datum", "Anzahl Vorfälle", "Bemerkung"], OF_LOGS)
    {'date': 1, 'place': 0, 'incidents': 2}
    """
    called = [composed(cell).casefold() for cell in heading]
    found: dict[str, int] = {}

    def take(ours: str, places: Iterable[int]) -> None:
        free = [place for place in places if place not in found.values()]
        if ours not in found and free:
            found[ours] = free[0]

    for ours in known:  # our own names come first
        take(ours, [place for place, name in enumerate(called) if name == ours])
    for ours, words in known.items():
        for word in words.split():
            take(ours, [place for place, name in enumerate(called) if word in _words(name)])
    return {ours: found[ours] for ours in known if ours in found}


def _words(name: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in name).split()
