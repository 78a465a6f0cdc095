"""The loss-rate learner of CSB-DT-UCB (supplement): lower confidence bounds instead of draws."""

from dataclasses import dataclass

from allotment.policies._estimators import HoeffdingBounds
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class CsbUcb(Combinatorial):
    """The second phase of CSB-DT-UCB: cover what the knapsack picks for lower confidence bounds.

    The bound is μ̂_i = max(S_i/N_i - √(1.5 log(t)/N_i), 0). As printed, S_i starts at 0 and N_i at 1, and t
    counts all rounds, including the threshold search.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every, scale, truncate, cover_worthless
        How often, how exactly and for which arms to solve the knapsack, as in `Combinatorial`.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "CSB-UCB"
    use = "As the second phase of CSB-DT-UCB; on known thresholds, to compare with CTS."

    def estimator(self, setting: Setting) -> HoeffdingBounds:
        """Bound from below."""
        return HoeffdingBounds(head_start=1.0)
