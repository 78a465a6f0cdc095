"""The loss-rate learner of CSB-DT-UCB (supplement): lower confidence bounds instead of draws."""

from dataclasses import dataclass

from allotment.policies._hoeffding import HoeffdingBounds
from allotment.policies._known_thresholds import Combinatorial
from allotment.policy import Setting


@dataclass(frozen=True)
class CsbUcb(Combinatorial):
    """Cover what the knapsack picks for μ̂_i = max(S_i/N_i - √(1.5 log(t)/N_i), 0).

    As printed: S_i starts at 0 and N_i at 1, and t counts all rounds, those of the threshold search included.
    """

    family = "CSB-UCB"
    use = "As the second phase of CSB-DT-UCB; on known thresholds, to compare with CTS."

    def estimator(self, setting: Setting) -> HoeffdingBounds:
        """Bound from below."""
        return HoeffdingBounds(head_start=1.0)
