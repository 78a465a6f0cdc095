"""Top places: full cover for the arms with the most losses."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.evidence import Evidence
from allotment.kernels.protocol import ask, tell
from allotment.policies._where_losses_were import Tally, TallyPolicy, add_losses
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class TopPlaces(TallyPolicy):
    """Grant in full to the arms with the most past losses, weighted by severity: a baseline.

    Every arm starts with half a loss. Of arms with equal losses, the first comes first. The last arm gets the
    rest of the budget, in whole units.

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Top places"
    use = "As a baseline: what some planners do now, covering the worst places in full."
    worlds = "any"

    def informed(self, setting: Setting, evidence: Evidence) -> "TopPlacesState":
        """Make the state of a learner that knows the evidence."""
        return TopPlacesState(self.tally(setting, evidence))


class TopPlacesState(NamedTuple):
    """State: the tally."""

    tally: Tally


@ask.register
def _ask(state: TopPlacesState, rng: Any, allocation: FloatArray) -> None:
    tally, left = state.tally, state.tally.budget
    for i in range(allocation.size):
        allocation[i] = -1.0
    while left > 0:
        worst = -1
        for i in range(allocation.size):
            if allocation[i] < 0.0 and (worst < 0 or tally.seen[i] > tally.seen[worst]):
                worst = i
        if worst < 0:
            break
        granted = min(left, tally.full)
        allocation[worst] = granted / tally.full
        left -= granted
    for i in range(allocation.size):
        allocation[i] = max(0.0, allocation[i])


@tell.register
def _tell(state: TopPlacesState, allocation: FloatArray, losses: FloatArray) -> None:
    add_losses(state.tally, losses)
