"""CUCB: confidence bounds for combinatorial semi-bandits (Chen, Wang and Yuan, 2013)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.kernels.confidence import hoeffding_radius
from allotment.kernels.coverage import ROUND, Coverage, choice_is_due, grant, know, watch
from allotment.kernels.protocol import adopt, ask, tell
from allotment.policies._known_thresholds import Combinatorial
from allotment.policy import Setting


@dataclass(frozen=True)
class Cucb(Combinatorial):
    """Cover what the knapsack picks for the lower bounds max(μ̂_i - √(3·log t / (2·N_i)), 0).

    μ̂_i is the mean of the N_i losses seen while arm i was uncovered; the bound is 0 for an arm that was not
    seen yet. t counts all rounds, those of a threshold search included. (CSB-DT-UCB's learner is the same but
    for N_i, which starts at 1 there.)
    """

    family = "CUCB"
    use = "When thresholds differ and are known: the textbook confidence bounds, to compare with CTS."
    fractional_losses = True

    def unstarted(self, setting: Setting) -> "CucbState":
        """Make the state."""
        return CucbState(self.coverage(setting))


class CucbState(NamedTuple):
    """State: the counts of the coverage are all there is."""

    coverage: Coverage


@adopt.register
def _adopt(state: CucbState, thresholds: FloatArray, rounds: int) -> None:
    know(state.coverage, thresholds, rounds)


@ask.register
def _ask(state: CucbState, rng: Any, allocation: FloatArray) -> None:
    arms = state.coverage
    if choice_is_due(arms):
        t = arms.clock[ROUND] + 1.0
        for i in range(arms.estimates.size):
            n = arms.seen[i]
            arms.estimates[i] = max(arms.losses[i] / n - hoeffding_radius(t, n), 0.0) if n > 0.0 else 0.0
    grant(arms, allocation)


@tell.register
def _tell(state: CucbState, allocation: FloatArray, losses: FloatArray) -> None:
    watch(state.coverage, losses)
