"""The effect: losses that plans prevent compared with control rounds, with intervals valid at any time."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.answers.effect import effect_words as words
from allotment.campaign.answers.effect.confidence_sequences import (
    approximate_limits,
    exact_limits,
    exact_margin,
    tightest_at,
)
from allotment.campaign.forms.answer import Answer, short
from allotment.campaign.planning.compared_rounds import (
    ComparedRound,
    Contrast,
    refuse_if_reports_are_missing,
    squares_that_matter,
)
from allotment.errors import NotFoundError
from allotment.plots.bands import Band, BandPanel, draw_bands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

APPROXIMATE_FROM = 20  # control rounds
DRAWN_FROM = 0.2  # of all rounds: before, the band would hide the rest


class Interval(NamedTuple):
    """The least and the most that plans prevent, in losses a round."""

    low: float
    high: float


class Awaiting(NamedTuple):
    """The first plan of the comparison that awaits reports."""

    plan: str
    date: datetime.date
    newer: int  # later compared rounds, which do not count yet


class RoundSoFar(NamedTuple):
    """A compared round, and the answer after it."""

    date: str
    control: bool
    expected_plan: float
    expected_comparison: float
    losses: float
    counted: float  # the same, capped
    estimate: float
    low: float
    high: float
    situation: str | None = None


@dataclass(frozen=True)
class Effect(Answer):
    """The losses that plans prevent, compared with rounds in which chance chose the comparison plan.

    Attributes
    ----------
    compared_with : str
        The comparison plan in words.
    since : datetime.date
        The date of the first compared round.
    rounds, control_rounds : int
        The compared rounds, and those among them with the comparison plan.
    estimate : float
        The losses that plans prevent, a round.
    exact : Interval
        The 95 % interval that holds at every time at once and assumes nothing about the model.
    approximate : Interval or None
        An interval that holds at every time at once if there are many rounds. None before 20 control
        rounds, and if reports are missing.
    capped : int
        The rounds with more losses than count.
    awaiting : Awaiting or None
        The first plan that awaits reports. The comparison ends before it.
    missing, reports : int
        The reports that are missing, and all that there should be.
    worst_case : Interval or None
        The exact interval, whatever the missing reports would have said. None if no report is missing;
        otherwise, the verdict rests on it.
    expected_cost, estimated_cost : float
        The losses that control rounds cost so far, by the expectations of their plans and by the estimate.
    course : tuple of RoundSoFar
        The rounds in the order of their first plans, and the answer after each.
    weighted : bool
        Whether severities differ between places. The effect counts losses, not their cost.
    has_ended : bool
        Whether control rounds were changed or turned off since.
    """

    compared_with: str
    since: datetime.date
    rounds: int
    control_rounds: int
    estimate: float
    exact: Interval
    approximate: Interval | None
    capped: int
    awaiting: Awaiting | None
    missing: int
    reports: int
    worst_case: Interval | None
    expected_cost: float
    estimated_cost: float
    course: tuple[RoundSoFar, ...]
    weighted: bool = False
    has_ended: bool = False

    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        return tuple(name.replace("_", " ") for name in RoundSoFar._fields)

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per compared round, with the answer after it."""
        return [tuple(each) for each in self.course]

    def table(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """The intervals."""
        missing = self.worst_case is not None
        kinds = {
            "exact, whatever missing reports would say": self.worst_case,
            "exact, if missing reports were as expected" if missing else "exact": self.exact,
            "approximate": self.approximate,
        }
        rows: list[Sequence[Any]] = [
            (name, short(found.low), short(found.high)) for name, found in kinds.items() if found is not None
        ]
        return ("95 % interval at any time", "prevented a round, from", "to"), rows

    def panels(self) -> list[BandPanel]:
        """The estimate and its exact interval over rounds."""
        start = int(DRAWN_FROM * len(self.course))
        x = list(range(start + 1, len(self.course) + 1))
        shown = self.course[start:]
        columns = ([getattr(each, name) for each in shown] for name in ("estimate", "low", "high"))
        return [BandPanel((Band("estimate, with exact 95 % interval", x, *columns),))]

    def plot(self) -> "Figure":
        """Draw the estimate and its exact interval over rounds."""
        note = f"Plans compared with {self.compared_with}, with the exact 95 % interval"
        return draw_bands(self.panels(), "Compared rounds", "Losses prevented a round", note=note)

    def sentences(self) -> list[str]:
        """The verdict first; then what it rests on, its limits, and what control rounds cost."""
        said = [self.verdict()]
        if self.weighted:
            said.append(words.WEIGHTED)
        said.append(words.basis(self.rounds, self.control_rounds, self.since))
        if self.has_ended:
            said.append(words.ENDED)
        if self.approximate is not None:
            said.append(words.approximately(self.approximate))
        said += words.capped_rounds(self.capped, self.rounds)
        if self.missing and self.control_rounds:
            said.append(words.missing_reports(self.missing, self.reports, self.exact))
        if self.awaiting:
            said.append(words.awaiting_reports(*self.awaiting))
        limits = self.worst_case or self.exact
        is_known = self.control_rounds > 0 and not limits.low <= 0.0 <= limits.high
        return said + words.costs(self.expected_cost, self.estimated_cost if is_known else None)

    def verdict(self) -> str:
        """The answer in one sentence."""
        if not self.control_rounds:
            return words.NO_CONTROL_ROUND
        return words.verdict(self.compared_with, self.estimate, self.worst_case or self.exact)


def effect_of(
    rounds: Sequence[ComparedRound],
    below: float,
    above: float,
    *,
    compared_with: str = "an equal split",
    awaiting: Awaiting | None = None,
    weighted: bool = False,
    has_ended: bool = False,
) -> Effect:
    """Compare plans with the comparison plan.

    `rounds` are all compared rounds in the order of their first plans, up to the first one that awaits
    reports, which is `awaiting`. `below` and `above` are what `first_limits` gave for the first round.
    `weighted` says that severities differ between places, `has_ended` that control rounds were changed or
    turned off since.
    """
    if not rounds:
        raise NotFoundError(_nothing_yet(awaiting), what="control rounds")
    refuse_if_reports_are_missing(rounds)
    contrast = Contrast.between(rounds, (below, above))
    columns = ("losses", "least_losses", "most_losses")
    losses, least, most = (np.array([float(getattr(each, name)) for each in rounds]) for name in columns)
    terms = contrast.terms(losses)
    estimates = np.cumsum(terms) / np.arange(1, len(rounds) + 1)
    limits = contrast.possible(exact_limits(terms, contrast.centres, below, above))
    control = int(contrast.drawn.sum())
    estimate = float(estimates[-1])
    missing = sum(each.missing for each in rounds)
    by_lot = [each for each in rounds if each.drawn]
    approximate = None
    if control >= APPROXIMATE_FROM and not missing:
        first = rounds[0]
        squares = squares_that_matter(first.expected_plan, first.expected_comparison, first.share)
        ends = contrast.possible(approximate_limits(terms, contrast.centres, tightest_at(squares)))
        approximate = Interval(*(float(each[-1]) for each in ends))
    found = zip(rounds, contrast.capped(losses), estimates, *limits, strict=True)
    return Effect(
        compared_with=compared_with,
        since=rounds[0].date,
        rounds=len(rounds),
        control_rounds=control,
        estimate=estimate,
        exact=Interval(*(float(each[-1]) for each in limits)),
        approximate=approximate,
        capped=int((losses > contrast.caps).sum()),
        awaiting=awaiting,
        missing=missing,
        reports=sum(each.places for each in rounds),
        worst_case=_worst_case(contrast, least, most, below, above) if missing else None,
        expected_cost=sum(each.expected_comparison - each.expected_plan for each in by_lot),
        estimated_cost=control * estimate,
        course=tuple(
            RoundSoFar(
                each.date.isoformat(),
                each.drawn,
                each.expected_plan,
                each.expected_comparison,
                each.losses,
                float(counted),
                float(now),
                float(low),
                float(high),
                each.situation,
            )
            for each, counted, now, low, high in found
        ),
        weighted=weighted,
        has_ended=has_ended,
    )


def _worst_case(
    contrast: Contrast, least: FloatArray, most: FloatArray, below: float, above: float
) -> Interval:
    """The limits of all intervals that reports between `least` and `most` could give."""
    ends = np.array([contrast.terms(least), contrast.terms(most)])
    squares = ((ends - contrast.centres) ** 2).max(axis=0).cumsum()
    rounds = np.arange(1, least.size + 1)
    low = (ends.min(axis=0).cumsum() - exact_margin(squares, below)) / rounds
    high = (ends.max(axis=0).cumsum() + exact_margin(squares, above)) / rounds
    return Interval(*(float(each[-1]) for each in contrast.possible((low, high))))


def _nothing_yet(awaiting: Awaiting | None) -> str:
    if awaiting:
        waiting = f"plan {awaiting.plan} of {awaiting.date} awaits reports"
        return f"there is no effect to show yet: {waiting}. Report it, or close it"
    return words.HOW_TO_START
