"""Random split: another feasible split each round."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.kernels.protocol import ask, tell
from allotment.policies.base.learner import LEARNS_NOTHING, Accepts
from allotment.policies.base.policy import Policy, Setting


@dataclass(frozen=True)
class RandomSplit(Policy):
    """Split the budget by a flat Dirichlet draw in every round, with grants of at most 1: a baseline.

    Parameters
    ----------
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Random split"
    use = "As a baseline: what happens if nobody learns and nobody is favoured."
    worlds = "any"

    @property
    def accepts(self) -> Accepts:
        """Anything: it learns nothing."""
        return LEARNS_NOTHING

    def state(self, setting: Setting) -> "RandomSplitState":
        """Make the state."""
        return RandomSplitState(setting.budget)


class RandomSplitState(NamedTuple):
    """State: the budget."""

    budget: float


@ask.register
def _ask(state: RandomSplitState, rng: Any, allocation: FloatArray) -> None:
    total = 0.0
    for i in range(allocation.size):
        allocation[i] = -math.log(1.0 - rng.random())
        total += allocation[i]
    for i in range(allocation.size):
        allocation[i] = min(1.0, state.budget * (allocation[i] / total)) if total > 0.0 else 0.0


@tell.register
def _tell(state: RandomSplitState, allocation: FloatArray, losses: FloatArray) -> None:
    pass
