"""Thompson sampling of loss rates, for any oracle: MP-TS with top-m, CTS with a knapsack.

Each round draws μ̂_i ~ Beta(S_i, F_i) for every arm, where S_i - 1 losses and F_i - 1 quiet rounds were seen
while the arm was uncovered, and covers the arms that the oracle picks for the draws.
"""

from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.kernels.coverage import Coverage, choice_is_due, grant, know, watch
from allotment.kernels.protocol import adopt, ask, tell
from allotment.kernels.sampling import draw_beta


class Thompson(NamedTuple):
    """State: the counts of the coverage are all there is."""

    coverage: Coverage


@adopt.register
def _adopt(state: Thompson, thresholds: FloatArray, rounds: int) -> None:
    know(state.coverage, thresholds, rounds)


@ask.register
def _ask(state: Thompson, rng: Any, allocation: FloatArray) -> None:
    arms = state.coverage
    if choice_is_due(arms):
        for i in range(arms.estimates.size):
            quiet = arms.seen[i] - arms.losses[i]
            arms.estimates[i] = draw_beta(rng, 1.0 + arms.losses[i], 1.0 + quiet)
    grant(arms, allocation)


@tell.register
def _tell(state: Thompson, allocation: FloatArray, losses: FloatArray) -> None:
    watch(state.coverage, losses)
