"""Thompson sampling of loss rates, for any oracle: MP-TS with top-m, CTS with a knapsack.

Each round draws μ̂_i ~ Beta(S_i, F_i) for every arm, where S_i - 1 losses and F_i - 1 quiet rounds were seen
while the arm was uncovered, and covers the arms that the oracle picks for the draws.
"""

from typing import Any, NamedTuple

from allotment.kernels.coverage import Coverage
from allotment.kernels.loss_rates import estimate
from allotment.kernels.sampling import draw_beta


class Thompson(NamedTuple):
    """Posterior draws; the prior counts as so many losses, and as many quiet rounds."""

    prior: float = 1.0


@estimate.register
def _estimate(thompson: Thompson, coverage: Coverage, rng: Any) -> None:
    for i in range(coverage.estimates.size):
        losses, quiet = coverage.losses[i], coverage.seen[i] - coverage.losses[i]
        coverage.estimates[i] = draw_beta(rng, thompson.prior + losses, thompson.prior + quiet)
