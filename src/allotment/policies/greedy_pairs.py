"""The greedy rule on (arm, amount) pairs: the observed means, each with one optimistic round in advance."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.policies._pairs import PairPolicy, estimate_pair
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class GreedyPairs(PairPolicy):
    """The mean of every (arm, amount) pair, then the best allocation in whole units.

    Every pair starts with one round that went well: without a loss, or with a find. So each amount is tried
    until its mean falls behind, and nothing else makes the rule explore.

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number.
    monotone : bool
        Make estimates never rise with the amount, since no grant makes things worse.
    sees : {"losses", "finds"}
        What a round shows.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Greedy on pairs"
    use = "As a baseline: trust the means. It is hard to beat where finds are sparse and the game is short."
    worlds = "any; losses or finds"

    def index(self, setting: Setting) -> "OptimisticMean":
        """Means with one round in advance."""
        return OptimisticMean(1.0)


class OptimisticMean(NamedTuple):
    """An index that is a mean over the rounds of a pair and over rounds in advance that went well."""

    in_advance: float


@estimate_pair.register
def _estimate(
    index: OptimisticMean, rng: Any, events: float, rounds: float, clock: int, finds: bool
) -> float:
    well = index.in_advance if finds else 0.0
    return (events + well) / (rounds + index.in_advance)
