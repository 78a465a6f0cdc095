"""How policies estimate loss rates for any oracle: Thompson sampling, and Hoeffding's lower bounds.

Thompson sampling is for MP-TS with top-m and CTS with a knapsack. Each round draws μ̂_i ~ Beta(S_i, F_i) for
every arm, and covers the arms that the oracle picks for the draws. S_i - 1 losses and F_i - 1 quiet rounds
were seen while the arm was uncovered. Hoeffding's bounds are for CUCB, and for the learner of CSB-DT-UCB.
"""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import lanes
from allotment.kernels.coverage import Coverage, this_round
from allotment.kernels.loss_rates import estimate, hoeffding_radius
from allotment.randomness.bits import Bits, unsown_bits
from allotment.randomness.laws import draw_betas


class Thompson(NamedTuple):
    """Posterior draws, and room for their parameters."""

    bits: Bits
    first: FloatArray  # S_i
    second: FloatArray  # F_i


def thompson(arms: int) -> Thompson:
    """Make draws for `arms` arms."""
    return Thompson(unsown_bits(), np.ones(arms), np.ones(arms))


class AveragedThompson(NamedTuple):
    """The mean of several posterior draws, none of which exceeds its expectation if `optimistic`."""

    plain: Thompson
    draws: int
    optimistic: bool
    total: FloatArray  # scratch, by arm


@estimate.register
@lanes
def _estimate(draws: Thompson, coverage: Coverage, rng: Any) -> None:
    for i in range(coverage.estimates.size):
        draws.first[i] = 1.0 + coverage.losses[i]
        draws.second[i] = 1.0 + (coverage.seen[i] - coverage.losses[i])
    draw_betas(draws.bits, draws.first, draws.second, coverage.estimates)


@estimate.register
def _estimate_averaged(averaged: AveragedThompson, coverage: Coverage, rng: Any) -> None:
    plain, total, estimates = averaged.plain, averaged.total, coverage.estimates
    for i in range(total.size):
        total[i] = 0.0
    for _ in range(averaged.draws):
        estimate(plain, coverage, rng)
        for i in range(total.size):
            mean = plain.first[i] / (plain.first[i] + plain.second[i])
            total[i] += min(estimates[i], mean) if averaged.optimistic else estimates[i]
    for i in range(total.size):
        estimates[i] = total[i] / averaged.draws


class HoeffdingBounds(NamedTuple):
    """The mean of what was seen, less a radius that shrinks with it."""

    head_start: float  # N_i counts from here; the bound is 0 while it is 0


@estimate.register
def _lower_bounds(bounds: HoeffdingBounds, coverage: Coverage, rng: Any) -> None:
    t = this_round(coverage)
    for i in range(coverage.estimates.size):
        n = coverage.seen[i] + bounds.head_start
        mean = coverage.losses[i] / n if n > 0.0 else 0.0
        coverage.estimates[i] = max(mean - hoeffding_radius(t, n), 0.0) if n > 0.0 else 0.0
