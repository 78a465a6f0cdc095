"""The loss-rate learner of CSB-DT-UCB (supplement): lower confidence bounds instead of draws."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.kernels.coverage import ROUND, Coverage, choice_is_due, grant, know, watch
from allotment.kernels.protocol import adopt, ask, tell
from allotment.policies._known_thresholds import Combinatorial
from allotment.policy import Setting


@dataclass(frozen=True)
class CsbUcb(Combinatorial):
    """Cover what the knapsack picks for μ̂_i = max(S_i/N_i - √(1.5 log(t)/N_i), 0).

    As printed: S_i starts at 0 and N_i at 1, and t counts all rounds, those of the threshold search included.
    """

    family = "CSB-UCB"
    use = "As the second phase of CSB-DT-UCB; on known thresholds, to compare with CTS."

    def unstarted(self, setting: Setting) -> "CsbUcbState":
        """Make the state."""
        return CsbUcbState(self.coverage(setting))


class CsbUcbState(NamedTuple):
    """State: the counts of the coverage are all there is."""

    coverage: Coverage


@adopt.register
def _adopt(state: CsbUcbState, thresholds: FloatArray, rounds: int) -> None:
    know(state.coverage, thresholds, rounds)


@ask.register
def _ask(state: CsbUcbState, rng: Any, allocation: FloatArray) -> None:
    arms = state.coverage
    if choice_is_due(arms):
        width = 1.5 * math.log(arms.clock[ROUND] + 1.0)
        for i in range(arms.estimates.size):
            n = arms.seen[i] + 1.0
            arms.estimates[i] = max(arms.losses[i] / n - math.sqrt(width / n), 0.0)
    grant(arms, allocation)


@tell.register
def _tell(state: CsbUcbState, allocation: FloatArray, losses: FloatArray) -> None:
    watch(state.coverage, losses)
