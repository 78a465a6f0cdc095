"""CUCB: confidence bounds for combinatorial semi-bandits (Chen, Wang and Yuan, 2013)."""

from dataclasses import dataclass

from allotment.policies._estimators import HoeffdingBounds
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies.base.learner import Accepts
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class Cucb(Combinatorial):
    """CUCB: combinatorial confidence bounds, for known thresholds that differ (Chen, Wang and Yuan, 2013).

    It covers the arms that the knapsack picks for the lower bounds max(μ̂_i - √(3·log t / (2·N_i)), 0). μ̂_i
    is the mean of the N_i losses seen while arm i was uncovered; without any, the bound is 0. t counts all
    rounds, including a threshold search. CSB-DT-UCB differs only in N_i, which starts at 1 there.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every, scale, truncate, cover_worthless
        How often, how exactly and for which arms to solve the knapsack, as in `Combinatorial`.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "CUCB"
    use = "When thresholds differ and are known: the textbook confidence bounds, to compare with CTS."

    @property
    def accepts(self) -> Accepts:
        """Losses may be anything from 0 to 1."""
        return super().accepts | Accepts(fractional_losses=True)

    def estimator(self, setting: Setting) -> HoeffdingBounds:
        """Bound from below."""
        return HoeffdingBounds(head_start=0.0)
