"""Equal split: the same grant for every arm, for ever."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.kernels.protocol import ask, tell
from allotment.learner import LEARNS_NOTHING, Accepts
from allotment.policy import Policy, Setting


@dataclass(frozen=True)
class EqualSplit(Policy):
    """Grant every arm min(1, Q/K) in every round: a baseline that learns nothing.

    Parameters
    ----------
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Equal split"
    use = "As a baseline: what happens if nobody learns."
    worlds = "any"

    @property
    def accepts(self) -> Accepts:
        """Anything: it learns nothing."""
        return LEARNS_NOTHING

    def state(self, setting: Setting) -> "EqualSplitState":
        """Make the state."""
        return EqualSplitState(min(1.0, setting.budget / setting.arms))


class EqualSplitState(NamedTuple):
    """State: the grant."""

    share: float


@ask.register
def _ask(state: EqualSplitState, rng: Any, allocation: FloatArray) -> None:
    allocation[:] = state.share


@tell.register
def _tell(state: EqualSplitState, allocation: FloatArray, losses: FloatArray) -> None:
    pass
