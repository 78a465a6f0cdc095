"""Scratch memory for settling one arm, grouped by the step that uses it. Kernels get only what they use.

Nothing in it outlasts the settling of an arm. A part that is free again may serve another step; callers pass
it by name.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray


class SeenAmounts(NamedTuple):
    """The amounts with evidence of an arm, with their events and quiet rounds; `gather` writes them."""

    amounts: IntArray
    events: FloatArray
    quiet: FloatArray


class Candidates(NamedTuple):
    """Curves that an arm may have, side by side; `choose` moves the curves worth considering to the front."""

    curve: IntArray  # its number in the family
    stays: IntArray  # 1 if it is not divided any more
    shares: FloatArray  # amounts with evidence x candidates: the share q
    log_events: FloatArray  # Σ S·log q plus the log of the prior
    log_weight: FloatArray
    centre: FloatArray  # the peak of the density of θ; for counts, the exposure
    spread: FloatArray  # the width of that peak
    log_peak: FloatArray  # the log of the density at the peak


class Division(NamedTuple):
    """Curves that are divided into finer ones, which replace them among the candidates."""

    before: IntArray  # the curves before the division
    stayed: IntArray  # of them: 1 if it is not divided any more
    whole: IntArray  # by candidate: the curve of which it is a part
    height: FloatArray  # the log-likelihood of these curves, without the prior
    reach: FloatArray  # an upper bound of it within their range


class RateDensities(NamedTuple):
    """By candidate, the density of θ at one point; `log_densities` reads `theta` and writes the rest."""

    theta: FloatArray
    scale: FloatArray  # e^θ
    rate: FloatArray
    rest: FloatArray  # 1 - rate
    product: FloatArray  # the probability of a few quiet rounds
    log_density: FloatArray


class PeakSearch(NamedTuple):
    """By candidate, the slope of the density of θ, and brackets around its peak; scratch of `find_peaks`."""

    slope: FloatArray
    bend: FloatArray
    part: FloatArray
    low: FloatArray
    high: FloatArray


class Bench(NamedTuple):
    """All scratch memory."""

    seen: SeenAmounts
    candidates: Candidates
    division: Division
    densities: RateDensities
    search: PeakSearch

    def __deepcopy__(self, memo: object) -> "Bench":
        """A copy of a learner gets new scratch memory."""
        return new_bench(self.candidates.curve.size, self.seen.amounts.size)


def new_bench(curves: int, amounts: int) -> Bench:
    """Make scratch memory."""

    def rooms(count: int) -> list[FloatArray]:
        return [np.zeros(curves) for _ in range(count)]

    def which() -> IntArray:
        return np.zeros(curves, np.int64)

    return Bench(
        SeenAmounts(np.zeros(amounts, np.int64), np.zeros(amounts), np.zeros(amounts)),
        Candidates(which(), which(), np.zeros((amounts, curves)), *rooms(5)),
        Division(which(), which(), which(), *rooms(2)),
        RateDensities(*rooms(6)),
        PeakSearch(*rooms(5)),
    )
