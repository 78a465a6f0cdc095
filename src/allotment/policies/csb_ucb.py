"""The loss-rate learner of CSB-DT-UCB (supplement): lower confidence bounds instead of draws."""

from dataclasses import dataclass

from allotment.policies._hoeffding import HoeffdingBounds
from allotment.policies._known_thresholds import Combinatorial
from allotment.policy import Setting


@dataclass(frozen=True)
class CsbUcb(Combinatorial):
    """The second phase of CSB-DT-UCB: cover what the knapsack picks for lower confidence bounds.

    The bound is μ̂_i = max(S_i/N_i - √(1.5 log(t)/N_i), 0). As printed, S_i starts at 0 and N_i at 1, and t
    counts all rounds, including the threshold search.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every : int
        Solve the knapsack every this many rounds, and repeat the choice in between (supplement).
    scale : int, optional
        S: solve the knapsack with weights in whole multiples of 1/S. Exact by default.
    truncate : bool
        Round thresholds to 1/S and scaled weights down instead of up, as the published figures did.
    cover_worthless : bool
        Cover arms with an estimate of 0 if the budget has room. The published figures did not.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "CSB-UCB"
    use = "As the second phase of CSB-DT-UCB; on known thresholds, to compare with CTS."

    def estimator(self, setting: Setting) -> HoeffdingBounds:
        """Bound from below."""
        return HoeffdingBounds(head_start=1.0)
