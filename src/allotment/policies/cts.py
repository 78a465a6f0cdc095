"""CTS: combinatorial Thompson sampling (Wang and Chen, 2018)."""

from dataclasses import dataclass

from allotment.policies._known_thresholds import Combinatorial
from allotment.policies._thompson import Thompson, thompson
from allotment.policy import Setting


@dataclass(frozen=True)
class Cts(Combinatorial):
    """Draw μ̂_i ~ Beta(S_i, F_i) for every arm and cover what the knapsack KP(s·μ̂, θ, Q) picks.

    s_i is what a loss costs; S_i and F_i count losses and quiet rounds seen while the arm was uncovered,
    plus 1 (section 4.1).
    """

    family = "CTS"
    use = "When thresholds differ and are known; also the second phase of CSB-DT."

    def estimator(self, setting: Setting) -> Thompson:
        """Draw from the posterior."""
        return thompson(setting.arms)
