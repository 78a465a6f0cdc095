"""Rows of a log: read or refused line by line, and added up by place, date and amount."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.forms.amounts import exact, listed
from allotment.campaign.forms.dates import MIDNIGHT, day_of, moment_in
from allotment.campaign.forms.names import composed, shown_text, unknown
from allotment.campaign.history.ledger import exposure_of, keys
from allotment.campaign.logs.log_format import COLUMNS, LogFormat
from allotment.campaign.logs.table_kinds import Line
from allotment.campaign.settings.settings import Settings
from allotment.checks import LARGEST_COUNT
from allotment.errors import AllotmentError, InputError, NotFoundError

NEEDED = ("date", "place", "incidents")
ROW = ("arm", "day", "amount", "exposure", "incidents", "line", "situation", "stated")
UNSTATED = -1
ROUND = Decimal(1)
FIRST_DAY = date(1900, 1, 1)  # an earlier date in a log is a mistyped one
MOST_REFUSED = 1000  # lines; then the rest is not looked at
TOO_MANY = 2 * LARGEST_COUNT  # stands for any larger number of incidents


@dataclass(frozen=True)
class Refused:
    """A line that was not taken, and why. Lines with the same mistake are told together."""

    line: int
    reason: str
    mistake: str = ""  # the reason, but for values that differ from line to line

    @classmethod
    def of(cls, line: int, error: AllotmentError) -> "Refused":
        """A line that made an error; places that are not known are mistakes of their own."""
        alike = error.expected and not isinstance(error, NotFoundError)
        return cls(line, str(error), f"{error.what}: {error.expected}" if alike else str(error))


@dataclass
class LogRows:
    """Columns of a log: arm, day, amount and exposure (both by their place in a list), incidents, line.

    `stated` says whether a row states its situation; otherwise, the calendar gave it.
    """

    arm: IntArray
    day: IntArray
    amount: IntArray
    exposure: IntArray
    incidents: IntArray
    line: IntArray
    situation: IntArray
    stated: IntArray
    amounts: list[Decimal]
    exposures: list[Decimal]
    read: int = 0
    counts_exposure: bool = False  # whether the log says how many rounds a row stands for
    heading: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    refused: list[Refused] = field(default_factory=list)

    def without(self, dropped: Any) -> "LogRows":
        """The same without some rows."""
        return replace(self, **{name: getattr(self, name)[~dropped] for name in ROW})

    @property
    def key(self) -> IntArray:
        """Arm, day and situation of each row in one number."""
        return keys(self.arm, self.day, self.situation)

    def refuse(self, which: Any, reason: str) -> "LogRows":
        """The same without rows that are refused, although they could be read."""
        self.refused.extend(Refused(line, reason, reason) for line in self.line[which].tolist())
        return self.without(which)

    def rounds(self) -> Any:
        """Exposures as numbers."""
        return np.array([float(each) for each in self.exposures] or [0.0])[self.exposure]


class HeadingError(InputError):
    """A log lacks columns under the names that were looked for."""


class _Cells:
    """Cells of one column, each text read once; its values are kept in a list."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read
        self.values: list[Any] = []
        self.known: dict[str, int] = {}
        self._places: dict[Any, int] = {}

    def __call__(self, text: str) -> int:
        found = self.known.get(text)
        if found is None:
            value = self.read(text)
            found = self._places.setdefault(value, len(self._places))
            if found == len(self.values):
                self.values.append(value)
            self.known[text] = found
        return found


def number_in(text: str) -> str:
    """A number's text with a point, also if it was written with a decimal comma."""
    return text.replace(",", ".") if text.count(",") == 1 and "." not in text else text


def last_day(settings: Settings) -> date:
    """The last date that a log may have: tomorrow, since people write from other time zones."""
    return settings.day() + timedelta(days=1)


class _Days:
    """Reads dates and times. Each becomes an ordinal, and whether it was given as 00:00 of that day."""

    def __init__(self, settings: Settings, order: str | None) -> None:
        self.order = order
        self.zone, self.starts = settings.timezone, settings.day_starts
        self.last = last_day(settings)
        self.has_times = False

    def __call__(self, text: str) -> tuple[int, bool]:
        moment = moment_in(text, self.order, option="--dates (dates=)")
        midnight = isinstance(moment, datetime) and moment.timetz() == time.min
        if not isinstance(moment, datetime):
            day = moment
        elif midnight:
            day = moment.date()
        else:
            self.has_times, day = True, day_of(moment, self.zone, self.starts)
        if not FIRST_DAY <= day <= self.last:
            raise InputError.of("date", text, f"a date from {FIRST_DAY} to tomorrow, {self.last}")
        return day.toordinal(), midnight

    def ordinals(self, found: list[tuple[int, bool]]) -> IntArray:
        """The days of a whole log. Where no row has a time, 00:00 is how a date was written."""
        earlier = self.has_times and self.starts not in (None, MIDNIGHT)
        return np.array([day - (earlier and midnight) for day, midnight in found], np.int64)


def _incidents(text: str) -> int:
    found = exact("incidents", number_in(text))
    if found != found.to_integral_value() or found > LARGEST_COUNT:
        raise InputError.of("incidents", text, "a whole number of at least 0")
    return int(found)


def read_rows(lines: Iterator[Line], settings: Settings, amount: Decimal | None, form: LogFormat) -> LogRows:
    """The rows of a log; what cannot be read is refused by line."""
    where, heading = _heading(lines, amount, form, _wanted(form, settings))

    def exposure(text: str) -> Decimal:
        return exposure_of(settings, number_in(text)) if text else ROUND

    def granted(text: str) -> Decimal:
        if not text and amount is not None:
            return amount
        return exact("amount", number_in(text))

    def situation(text: str) -> int:
        return settings.situations.find(text) if text and settings.situations else UNSTATED

    days = _Days(settings, form.dates)
    read = {
        "date": _Cells(days),
        "place": _Cells(settings.find),
        "amount": _Cells(granted),
        "incidents": _Cells(_incidents),
        "exposure": _Cells(exposure),
        "situation": _Cells(situation),
    }
    columns = {name: array("q") for name in (*COLUMNS, "line")}
    steps = [(read[name], where.get(name), columns[name].append) for name in COLUMNS]
    refused, count = [], 0
    for line, cells in lines:
        count += 1
        try:
            if len(cells) != len(heading):
                raise InputError(f"there are {len(cells)} cells", f"{len(heading)}, as in the heading")
            found = [cell("" if place is None else cells[place]) for cell, place, _ in steps]
        except AllotmentError as error:
            refused.append(Refused.of(line, error))
            if len(refused) == MOST_REFUSED:
                break
            continue
        for value, (_, _, append) in zip(found, steps, strict=True):
            append(value)
        columns["line"].append(line)
    table = {name: np.frombuffer(column or b"", np.int64) for name, column in columns.items()}
    values = {name: np.array(read[name].values, np.int64) for name in ("place", "incidents", "situation")}
    values["date"] = days.ordinals(read["date"].values)
    stated = _looked_up(values["situation"], table["situation"])
    return LogRows(
        arm=_looked_up(values["place"], table["place"]),
        day=_looked_up(values["date"], table["date"]),
        situation=np.maximum(stated, 0),
        stated=(stated != UNSTATED).astype(np.int64),
        amount=table["amount"],
        exposure=table["exposure"],
        incidents=_looked_up(values["incidents"], table["incidents"]),
        line=table["line"],
        amounts=read["amount"].values,
        exposures=read["exposure"].values,
        read=count,
        counts_exposure="exposure" in where,
        heading=heading,
        ignored=tuple(cell for place, cell in enumerate(heading) if place not in where.values()),
        refused=refused,
    )


def _wanted(form: LogFormat, settings: Settings) -> dict[str, str]:
    """The names of the columns that count for a campaign, by ours: no situation if it has none."""
    if settings.situations:
        return form.wanted
    if "situation" in form.columns:
        raise InputError(
            f"columns names {form.columns['situation']!r} for situation",
            "no such column: this campaign has no situations",
            what="columns",
            value=form.columns["situation"],
        )
    return {ours: theirs for ours, theirs in form.wanted.items() if ours != "situation"}


def _looked_up(values: IntArray, places: IntArray) -> IntArray:
    return values[places] if values.size else places


def _heading(
    lines: Iterator[Line], amount: Decimal | None, form: LogFormat, wanted: dict[str, str]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Where each of our columns stands, and the heading."""
    _, cells = next(lines, (0, []))
    if not cells:
        raise InputError("the log is empty", f"a heading ({', '.join(wanted)}) and rows", what="log")
    called = [composed(cell).lower() for cell in cells]
    where = {ours: called.index(theirs) for ours, theirs in wanted.items() if theirs in called}
    for ours, theirs in wanted.items():
        if called.count(theirs) > 1:
            raise InputError(f"column {shown_text(theirs)} is there twice", "once", what="log", value=theirs)
        if ours in form.columns and ours not in where:
            columns = list(filter(None, cells))
            wrong = f"the log has no column {form.columns[ours]!r} for {ours}"
            raise unknown(
                wrong,
                form.columns[ours],
                columns,
                f"one of {listed(map(shown_text, columns))}",
                what="columns",
            )
    missing = [ours for ours in NEEDED if ours not in where]
    if missing:
        there = listed(map(shown_text, filter(None, cells)))
        raise HeadingError(
            f"row {form.header or 1} of the log has no column {' or '.join(missing)}, but {there}",
            f"--columns {','.join(f'{ours}=…' for ours in missing)} with the names in the log; or --header "
            "with the row of the heading, if it is another",
            what="log",
            value=cells,
        )
    if "amount" not in where and amount is None:
        raise InputError(
            "the log has no column amount", "--amount (amount=): what was granted then", what="amount"
        )
    return where, tuple(cells)
