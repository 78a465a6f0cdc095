"""Rounds in which chance chose between a plan and the comparison plan, and what each says of the effect."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allotment.arrays import FloatArray
from allotment.campaign.forms.answer import percent
from allotment.errors import ConflictError

# How far the first expectation of the comparison plan may be exceeded. In simulations, 1 was a tenth faster
# if the first expectation was right, and a tenth slower if it was half (docs/studies/effect.md).
ROOM = 1.25
SPARE = 4.0  # losses that a quiet round may have beyond twice its expectation before they are capped
LEAST_EXPECTED = 0.01  # losses a round, of a plan; where an interval is tightest must not depend on less
TIGHT_AT = 25  # control rounds after which the approximate interval is tightest
MOST_MISSING = 0.05  # of all reports
MISSING_FROM = 20  # rounds; before, one missing report can be more than that
NAMED = 3  # dates
SURELY_DIFFERENT = 0.01  # a p-value below: reports are missing more often in one kind of round


@dataclass(frozen=True)
class ComparedRound:
    """One date and situation for which chance decided whether the comparison plan was carried out.

    The first `ask` fixes the share and both expectations. Losses are numbers of incidents, not costs.
    """

    date: date
    situation: str | None
    drawn: bool  # chance chose the comparison plan: a control round
    share: float  # the probability of that
    expected_plan: float  # losses
    expected_comparison: float
    losses: float  # reported, and the expectation of places without a report
    least_losses: float  # reported only
    most_losses: float  # the same, and the largest possible number at places without a report
    missing: int  # places without a report
    places: int


def first_limits(expected: float, share: float, room: float = ROOM) -> tuple[float, float]:
    """How far a round's term may lie below and above its centre, fixed by the first round of a comparison.

    `expected` is the number of losses that the first round expects of the comparison plan.
    """
    usual = room * expected
    below = max(usual / share, (expected + SPARE) / (1.0 - share))
    above = max((usual + SPARE) / share, usual / (1.0 - share))
    return below, above


@dataclass(frozen=True, eq=False)
class Contrast:
    """What the losses of rounds say of the difference that plans make; one entry per round."""

    drawn: NDArray[np.bool_]
    shares: FloatArray
    plan: FloatArray  # expectations, within the limits
    comparison: FloatArray
    caps: FloatArray  # a round counts at most this many losses

    @classmethod
    def of(
        cls,
        drawn: ArrayLike,
        shares: ArrayLike,
        expected_plan: ArrayLike,
        expected_comparison: ArrayLike,
        limits: tuple[float, float],
    ) -> "Contrast":
        """Bring expectations and losses within the limits, so that these hold whatever happens."""
        below, above = limits
        rho = np.asarray(shares, dtype=np.float64)
        plan = np.minimum(np.asarray(expected_plan, dtype=np.float64), (1.0 - rho) * above)
        comparison = np.minimum(np.asarray(expected_comparison, dtype=np.float64), rho * below)
        caps = np.minimum(2.0 * comparison + SPARE, plan + (1.0 - rho) * below)
        return cls(
            np.asarray(drawn, dtype=bool), rho, plan, comparison, np.minimum(caps, comparison + rho * above)
        )

    @classmethod
    def between(cls, rounds: Sequence[ComparedRound], limits: tuple[float, float]) -> "Contrast":
        """The same of rounds."""
        return cls.of(
            [each.drawn for each in rounds],
            [each.share for each in rounds],
            [each.expected_plan for each in rounds],
            [each.expected_comparison for each in rounds],
            limits,
        )

    @property
    def centres(self) -> FloatArray:
        """The difference that the expectations promise."""
        return self.comparison - self.plan

    def capped(self, losses: FloatArray) -> FloatArray:
        """Losses as they count."""
        return np.minimum(losses, self.caps)

    def terms(self, losses: FloatArray) -> FloatArray:
        """A number per round; its mean over the draw is the losses that the plan prevents in that round."""
        counted = self.capped(losses)
        surprise = np.where(
            self.drawn,
            (counted - self.comparison) / self.shares,
            (self.plan - counted) / (1.0 - self.shares),
        )
        return self.centres + surprise

    def possible(self, limits: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Limits after each round, without differences that are impossible.

        A round counts between 0 and its cap, so plans prevent at most the cap, and at least minus the cap.
        """
        most = np.cumsum(self.caps) / np.arange(1, self.caps.size + 1)
        low, high = (np.clip(each, -most, most) for each in limits)
        return low, high


def squares_that_matter(expected_plan: float, expected_comparison: float, share: float) -> float:
    """The sum of squares to expect after TIGHT_AT control rounds, by the first round alone."""
    variance = max(expected_comparison, LEAST_EXPECTED) / share
    variance += max(expected_plan, LEAST_EXPECTED) / (1.0 - share)
    return TIGHT_AT / share * variance


def differing_shares(some: int, of_some: int, others: int, of_others: int) -> float:
    """The p-value of Fisher's exact test: do two shares differ?

    >>> round(differing_shares(3, 4, 1, 4), 3), differing_shares(0, 5, 0, 9)
    (0.486, 1.0)
    """
    together, everything = some + others, of_some + of_others

    def ways(here: int) -> int:
        return math.comb(of_some, here) * math.comb(of_others, together - here)

    possible = [ways(here) for here in range(max(0, together - of_others), min(of_some, together) + 1)]
    return sum(each for each in possible if each <= ways(some)) / math.comb(everything, together)


def refuse_if_reports_are_missing(rounds: Sequence[ComparedRound]) -> None:
    """Raise an error if reports are missing so that plans and control rounds cannot be compared."""
    missing, reports = (sum(getattr(each, name) for each in rounds) for name in ("missing", "places"))
    remedy = "reports for them (allotment tell accepts late reports; undo takes back a cancelled plan)"
    if len(rounds) >= MISSING_FROM and missing > MOST_MISSING * reports:
        raise ConflictError(
            f"{missing} of {reports} reports of compared rounds are missing ({_dates(rounds)}), more than "
            f"{percent(MOST_MISSING)}, so no fair comparison is possible",
            remedy,
            what="reports",
            value=missing,
        )
    lacking = [sum(each.missing > 0 for each in rounds if each.drawn is kind) for kind in (True, False)]
    control = sum(each.drawn for each in rounds)
    counts = (lacking[0], control, lacking[1], len(rounds) - control)
    if differing_shares(*counts) < SURELY_DIFFERENT:
        raise ConflictError(
            f"reports are missing in {counts[0]} of {counts[1]} control rounds and in {counts[2]} of "
            f"{counts[3]} other rounds ({_dates(rounds)}), so no fair comparison is possible",
            remedy,
            what="reports",
            value=missing,
        )


def _dates(rounds: Sequence[ComparedRound]) -> str:
    """The first dates with missing reports."""
    dates = list(dict.fromkeys(str(each.date) for each in rounds if each.missing))
    named = ", ".join(dates[:NAMED])
    return named if len(dates) <= NAMED else f"{named} and {len(dates) - NAMED} more"
