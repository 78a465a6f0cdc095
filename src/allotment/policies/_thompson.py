"""Thompson sampling of loss rates, for any oracle: MP-TS with top-m, CTS with a knapsack.

Each round draws μ̂_i ~ Beta(S_i, F_i) for every arm, where S_i - 1 losses and F_i - 1 quiet rounds were seen
while the arm was uncovered, and covers the arms that the oracle picks for the draws.
"""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import lanes
from allotment.kernels.bits import Bits, sow, unsown_bits
from allotment.kernels.coverage import Coverage
from allotment.kernels.laws import draw_betas
from allotment.kernels.loss_rates import estimate
from allotment.kernels.protocol import reseed


class Thompson(NamedTuple):
    """Posterior draws, and room for their parameters."""

    bits: Bits
    first: FloatArray  # S_i
    second: FloatArray  # F_i


def thompson(arms: int) -> Thompson:
    """Draws for so many arms."""
    return Thompson(unsown_bits(), np.ones(arms), np.ones(arms))


@reseed.register
def _reseed(draws: Thompson, rng: np.random.Generator) -> None:
    sow(draws.bits, rng)


@estimate.register
@lanes
def _estimate(draws: Thompson, coverage: Coverage, rng: Any) -> None:
    for i in range(coverage.estimates.size):
        draws.first[i] = 1.0 + coverage.losses[i]
        draws.second[i] = 1.0 + (coverage.seen[i] - coverage.losses[i])
    draw_betas(draws.bits, draws.first, draws.second, coverage.estimates)
