"""Hot spots: units in proportion to past losses, as planners often do."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.compiling.comparisons import floor_with_tolerance
from allotment.evidence import Evidence
from allotment.kernels.protocol import ask, tell
from allotment.policies._where_losses_were import Tally, TallyPolicy, add_losses
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class HotSpots(TallyPolicy):
    """Grant units in proportion to past losses, weighted by severity, up to a full grant: a baseline.

    Every arm starts with half a loss. Shares are rounded down to whole units. The remaining units go one by
    one to the arms furthest below their share.

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Hot spots"
    use = "As a baseline: what most planners do now, sending more where more happened."
    worlds = "any"

    def informed(self, setting: Setting, evidence: Evidence) -> "HotSpotsState":
        """Make the state of a learner that knows the evidence."""
        return HotSpotsState(self.tally(setting, evidence))


class HotSpotsState(NamedTuple):
    """State: the tally."""

    tally: Tally


@ask.register
def _ask(state: HotSpotsState, rng: Any, allocation: FloatArray) -> None:
    tally, total = state.tally, 0.0
    for i in range(allocation.size):
        total += tally.seen[i]
    left = tally.budget
    for i in range(allocation.size):
        share = tally.budget * tally.seen[i] / total
        tally.units[i] = min(floor_with_tolerance(share), tally.full)
        tally.short[i] = share - tally.units[i] if tally.units[i] < tally.full else -math.inf
        left -= tally.units[i]
    while left > 0:
        furthest = 0
        for i in range(allocation.size):
            if tally.short[i] > tally.short[furthest]:
                furthest = i
        if tally.short[furthest] == -math.inf:
            break
        tally.units[furthest] += 1
        full = tally.units[furthest] == tally.full
        tally.short[furthest] = -math.inf if full else tally.short[furthest] - 1.0
        left -= 1
    for i in range(allocation.size):
        allocation[i] = tally.units[i] / tally.full


@tell.register
def _tell(state: HotSpotsState, allocation: FloatArray, losses: FloatArray) -> None:
    add_losses(state.tally, losses)
