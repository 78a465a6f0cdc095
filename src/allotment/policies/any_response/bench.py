"""Scratch for settling one arm, by the step that uses it. Kernels are handed only what they read and write.

Nothing in it outlasts the settling of an arm, so a part that is done with serves again: callers hand it over
by name.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray


class SeenAmounts(NamedTuple):
    """The amounts with evidence of an arm, and what was seen there; `gather` writes it."""

    amounts: IntArray
    events: FloatArray
    quiet: FloatArray


class Candidates(NamedTuple):
    """Curves that an arm may have, side by side; `choose` writes those worth considering to the front."""

    curve: IntArray  # which one of the family it is
    shares: FloatArray  # amounts with evidence x candidates: the share of the loss rate that it shows there
    log_events: FloatArray  # Σ S·log q, and the prior
    log_weight: FloatArray
    centre: FloatArray  # where the density of θ has its peak; for counts, the exposure
    spread: FloatArray  # how wide that peak is
    log_peak: FloatArray  # the logarithm of the density there


class Division(NamedTuple):
    """Curves that are divided into finer ones, which take their place among the candidates."""

    before: IntArray  # which curves there were
    whole: IntArray  # by candidate: the one of those that it is a part of
    height: FloatArray  # how likely those were, whatever their part in the prior
    reach: FloatArray  # how likely they may be somewhere in their range


class RateDensities(NamedTuple):
    """By candidate, the density of θ at one place; `log_densities` reads `theta` and writes the others."""

    theta: FloatArray
    scale: FloatArray  # e^θ
    rate: FloatArray
    rest: FloatArray  # 1 - rate
    product: FloatArray  # the chance of a few quiet rounds
    log_density: FloatArray


class PeakSearch(NamedTuple):
    """By candidate, how the density of θ changes, and where its peak may be; scratch of `find_peaks`."""

    slope: FloatArray
    bend: FloatArray
    part: FloatArray
    low: FloatArray
    high: FloatArray


class Bench(NamedTuple):
    """All of it."""

    seen: SeenAmounts
    candidates: Candidates
    division: Division
    densities: RateDensities
    search: PeakSearch

    def __deepcopy__(self, memo: object) -> "Bench":
        """A copy of a learner gets scratch of its own, of which nothing is used yet."""
        return new_bench(self.candidates.curve.size, self.seen.amounts.size)


def new_bench(curves: int, amounts: int) -> Bench:
    """Scratch."""

    def rooms(count: int) -> list[FloatArray]:
        return [np.zeros(curves) for _ in range(count)]

    def which() -> IntArray:
        return np.zeros(curves, np.int64)

    return Bench(
        SeenAmounts(np.zeros(amounts, np.int64), np.zeros(amounts), np.zeros(amounts)),
        Candidates(which(), np.zeros((amounts, curves)), *rooms(5)),
        Division(which(), which(), *rooms(2)),
        RateDensities(*rooms(6)),
        PeakSearch(*rooms(5)),
    )
