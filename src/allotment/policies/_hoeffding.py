"""Lower confidence bounds of loss rates by Hoeffding's inequality: CUCB, and the learner of CSB-DT-UCB."""

from typing import Any, NamedTuple

from allotment.kernels.confidence import hoeffding_radius
from allotment.kernels.coverage import Coverage, this_round
from allotment.kernels.loss_rates import estimate


class HoeffdingBounds(NamedTuple):
    """The mean of what was seen, less a radius that shrinks with it."""

    head_start: float  # N_i counts from here; the bound is 0 while it is 0


@estimate.register
def _estimate(bounds: HoeffdingBounds, coverage: Coverage, rng: Any) -> None:
    t = this_round(coverage)
    for i in range(coverage.estimates.size):
        n = coverage.seen[i] + bounds.head_start
        mean = coverage.losses[i] / n if n > 0.0 else 0.0
        coverage.estimates[i] = max(mean - hoeffding_radius(t, n), 0.0) if n > 0.0 else 0.0
