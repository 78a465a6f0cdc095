"""CUCB: confidence bounds for combinatorial semi-bandits (Chen, Wang and Yuan, 2013)."""

from dataclasses import dataclass

from allotment.learner import Accepts
from allotment.policies._hoeffding import HoeffdingBounds
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

    @property
    def accepts(self) -> Accepts:
        """Losses may be anything from 0 to 1."""
        return super().accepts | Accepts(fractional_losses=True)

    def estimator(self, setting: Setting) -> HoeffdingBounds:
        """Bound from below."""
        return HoeffdingBounds(head_start=0.0)
