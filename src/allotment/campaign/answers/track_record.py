"""The track record: what plans expected, beside what happened."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar

from allotment.campaign.answers.record_sums import (
    KINDS,
    MONTH,
    NEARLY,
    PLACE,
    WEEK,
    RecordPart,
    ToldPlans,
    key_by,
    part_of,
    parts_of,
    sums_of,
)
from allotment.campaign.forms.amounts import count_of, listed
from allotment.campaign.forms.answer import Answer, Sentence, short, spoken
from allotment.campaign.history.events import Event
from allotment.campaign.settings.settings import Settings
from allotment.checks import one_of
from allotment.plots.comparisons import Compared, ComparedPanel, draw_compared

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST = "the newest part"  # topic of the sentence that says most
NAMED = 3  # parts that a sentence names
WHOLE_FROM = 10.0  # larger numbers are rounded to whole ones
PICTURED = 40  # parts that a picture can hold
FINDS = "finds"
SINGULAR = {"losses": "loss", FINDS: "find"}


@dataclass(frozen=True)
class TrackRecord(Answer):
    """What plans expected of the amounts that were granted, beside what happened.

    Attributes
    ----------
    by : {"month", "week", "situation", "group", "place"}
        What the parts are.
    sees : {"losses", "finds"}
        What is counted.
    weighted : bool
        Whether some severity differs from 1, so that losses and cost differ.
    parts : tuple of RecordPart
        Months and weeks from the first to the newest; the rest in the order of the settings.
    total : RecordPart or None
        All rounds together. None if no round counts.
    without_tables : int
        Rounds that do not count, because their plans stored no expectations (plans of 0.1.0).
    replaced : int
        Reports that do not count, because an import replaced them.
    """

    computed: ClassVar = ("inside",)

    by: str
    sees: str
    weighted: bool
    parts: tuple[RecordPart, ...]
    total: RecordPart | None = None
    without_tables: int = 0
    replaced: int = 0

    @property
    def inside(self) -> int:
        """The number of parts whose band holds what happened."""
        return sum(each.inside for each in self.parts)

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        found = [self.by, "rounds"]
        for what in (self.sees, self._cost) if self.weighted else (self.sees,):
            found += [f"expected {what}", f"{what} from", f"{what} to", what, f"{what} inside"]
        return (*found, "rounds with late reports")

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per part."""
        found = []
        for each in self.parts:
            name, rounds, *numbers, late = vars(each).values()
            found.append((name, rounds, *numbers[: 10 if self.weighted else 5], late))
        return found

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The same with each band in one cell: the whole numbers of losses in it."""
        shown = [self.sees, self._cost] if self.weighted else [self.sees]
        titles = [self._title, "rounds"]
        for what in shown:
            titles += [f"expected {what}", what, "in band" if what == self.sees else f"{what} in band"]
        return titles, [
            [self._words(each, brief=True), each.rounds, *self._cells(each)] for each in self.parts
        ]

    def _cells(self, part: RecordPart) -> list[str]:
        low, high = _whole_within(part.low, part.high)
        found = [f"{_number(part.expected)} ({low}-{high})", str(part.happened), _yes(part.inside)]
        if self.weighted:
            ends = f"{_number(part.cost_low)}-{_number(part.cost_high)}"
            found += [f"{_number(part.expected_cost)} ({ends})", short(part.cost), _yes(part.cost_inside)]
        return found

    def _words(self, part: RecordPart, *, brief: bool = False) -> str:
        """The name of a part for people; `brief` for tables and pictures."""
        if not self._is_over_time:
            return part.name
        first = date.fromisoformat(part.name if self.by == WEEK else f"{part.name}-01")
        month = f"{first:%b} {first.year}" if brief else f"{first:%B} {first.year}"
        return f"{first.day} {month}" if self.by == WEEK else month

    @property
    def _title(self) -> str:
        return "week from" if self.by == WEEK else self.by

    @property
    def _cost(self) -> str:
        return "prevented cost" if self.sees == FINDS else "cost"

    @property
    def _is_over_time(self) -> bool:
        return self.by in (MONTH, WEEK)

    def panels(self) -> list[ComparedPanel]:
        """Each part: what was expected, with its band, and what happened. Cost too, where it differs."""
        kinds = {self.sees: ("expected", "low", "high", "happened")}
        if self.weighted:
            kinds[self._cost] = ("expected_cost", "cost_low", "cost_high", "cost")
        shown = self._pictured()
        return [
            ComparedPanel(
                tuple(
                    Compared(self._words(each, brief=True), *(getattr(each, name) for name in names))
                    for each in shown
                ),
                title.capitalize(),
            )
            for title, names in kinds.items()
        ]

    def picture_note(self) -> str:
        """Which parts a picture shows, if it does not show all."""
        if len(self.parts) <= PICTURED:
            return ""
        if self._is_over_time:
            return f"The picture shows the newest {PICTURED} of {len(self.parts)} {self.by}s."
        most = f"the {PICTURED} of {len(self.parts)} {self.by}s with the most expected {self.sees}"
        return f"The picture shows {most}."

    def _pictured(self) -> tuple[RecordPart, ...]:
        if self._is_over_time:
            return self.parts[-PICTURED:]
        largest = sorted(self.parts, key=lambda each: each.expected, reverse=True)[:PICTURED]
        return tuple(each for each in self.parts if each in largest)

    def plot(self) -> "Figure":
        """Draw what was expected, with its band, beside what happened."""
        return draw_compared(self.panels(), note=self.picture_note())

    def sentences(self) -> list[str]:
        """The newest part or all of them in words, how often the band held, and what to keep in mind."""
        if self.total is None:
            return [Sentence(self._nothing(), FIRST), *self._left_out()]
        said = list[str]()
        if self._is_over_time:
            newest = self.parts[-1]
            of = "the week from " if self.by == WEEK else ""
            said.append(Sentence(self._compared(f"In {of}{self._words(newest)}", newest), FIRST))
        if not self._is_over_time or len(self.parts) > 1:
            in_all = self._compared("In all", self.total)
            said.append(in_all if self._is_over_time else Sentence(in_all, FIRST))
        happened = "The number of finds" if self.sees == FINDS else "What happened"
        at = "at" if self.by == PLACE else "in"
        where = f"inside the 90 % band {at} {self.inside} of {len(self.parts)} {self.by}s"
        if len(self.parts) == 1:
            where = f"{'inside' if self.inside else 'outside'} the 90 % band"
        said.append(f"{happened} was {where}.")
        return [*said, *self._late(), *self._left_out()]

    def _compared(self, opening: str, part: RecordPart) -> str:
        """What was expected of a part and what happened, in one sentence, or two where severities differ."""
        low, high = _whole_within(part.low, part.high)
        number, end = _number(part.expected), "happened"
        expected = f"{SINGULAR[self.sees]} was" if number == "1" else f"{self.sees} were"
        if self.sees == FINDS:
            end = "was reported" if part.happened == 1 else "were reported"
        said = f"{opening}, {number} {expected} expected ({low} to {high}) and {part.happened} {end}."
        if self.weighted:
            costs = [_number(each) for each in (part.expected_cost, part.cost_low, part.cost_high, part.cost)]
            said += (
                f" A {self._cost} of {costs[0]} was expected ({costs[1]} to {costs[2]}); it was {costs[3]}."
            )
        return said

    def _late(self) -> list[str]:
        """Where plans did not know all earlier reports, so that bands are too narrow."""
        if self.total is None or not self.total.late:
            return []
        parts = [self._words(each) for each in self.parts if each.late]
        if len(parts) > NAMED:
            parts = [f"{len(parts)} of {len(self.parts)} {self.by}s"]
        total = [] if len(self.parts) == 1 else ["the total"]
        some = f"{self.total.late} of {count_of(self.total.rounds, 'round')}"
        were = "was" if self.total.late == 1 else "were"
        return [
            f"{some} {were} planned while earlier reports were missing. So these bands are too narrow: "
            f"{listed(total + parts)}."
        ]

    def _nothing(self) -> str:
        if self.without_tables or self.replaced:
            return "No round can be compared with what its plan expected."
        return (
            "No round has a report yet, so there is nothing to compare. Make a plan with `allotment ask` and "
            "report what happened with `allotment tell`."
        )

    def _left_out(self) -> list[str]:
        said = []
        if self.without_tables:
            are, their = ("are", "their plans") if self.without_tables != 1 else ("is", "its plan")
            said.append(
                f"{count_of(self.without_tables, 'round')} {are} left out: {their} stored no expectations by "
                "amount. Plans do since version 0.2.0."
            )
        if self.replaced:
            are, them = ("are", "them") if self.replaced != 1 else ("is", "it")
            said.append(f"{count_of(self.replaced, 'report')} {are} left out: an import replaced {them}.")
        return said


def _yes(inside: bool) -> str:
    return "yes" if inside else "no"


def _whole_within(low: float, high: float) -> tuple[int, int]:
    """The smallest and the largest whole number in a band, which people compare with what happened."""
    return math.ceil(low - NEARLY), math.floor(high + NEARLY)


def _number(value: float) -> str:
    """A number for a sentence: whole from 10 on, and else two significant digits.

    >>> _number(41.4), _number(4.14), _number(1234.5)
    ('41', '4.1', '1234')
    """
    return f"{value:.0f}" if value >= WHOLE_FROM else spoken(float(f"{value:.2g}"))


def record_of(
    told: ToldPlans, settings: Settings, read: Callable[[int, int], list[Event]], by: str
) -> TrackRecord:
    """The record of all reports. `read` gives the events of plans after one event and up to another."""
    one_of("by", by, KINDS)
    sums = sums_of(told.plans, read, key_by(by, settings), finds=settings.sees == FINDS)
    return TrackRecord(
        by,
        settings.sees,
        sums.weighted,
        parts_of(sums, by, settings),
        part_of("all", sums.total) if sums.total.rounds else None,
        sums.without_tables,
        told.replaced,
    )
