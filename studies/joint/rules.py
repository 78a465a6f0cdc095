"""A decision rule that lost to the one that Joint keeps: part of the record, not for use."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.kernels.protocol import ask, reseed, tell
from allotment.oracles.oracle_protocol import choose, fit
from allotment.policies.joint import Joint
from allotment.policies.joint.joint_rule import spend_rest, take_chosen
from allotment.policies.joint.joint_state import JointState
from allotment.policies.joint.threshold_draws import draw_round, granted
from allotment.policy import Policy, Setting


@dataclass(frozen=True)
class WeighedByChance(Policy):
    """Plain draws, but a stake counts by the chance that the drawn threshold covers the arm."""

    use = "In the study of Joint's decision rule."

    def state(self, setting: Setting) -> "WeighedByChanceState":
        """Make the state."""
        joint: Any = Joint(middle_of=1, trust=1, optimistic=False, finest=None).state(setting)
        return WeighedByChanceState(joint)


class WeighedByChanceState(NamedTuple):
    """State: that of Joint."""

    joint: JointState


@ask.register
def _ask_weighed(state: WeighedByChanceState, rng: Any, allocation: FloatArray) -> None:
    joint = state.joint
    draw_round(joint)
    beliefs, draws = joint.beliefs, joint.draws
    for i in range(allocation.size):
        chance = 0.0
        for j in range(draws.covered[i]):
            chance += beliefs.weights[i, j]
        draws.stakes[i] *= chance / beliefs.totals[i]
    fit(joint.oracle, draws.wanted, joint.budget)
    choose(joint.oracle, draws.stakes, draws.chosen)
    spend_rest(joint, take_chosen(joint), 0.0)
    for i in range(allocation.size):
        allocation[i] = granted(joint, i)


@tell.register
def _tell_weighed(state: WeighedByChanceState, allocation: FloatArray, losses: FloatArray) -> None:
    tell(state.joint, allocation, losses)


@reseed.register
def _reseed(state: WeighedByChanceState, rng: np.random.Generator) -> None:
    reseed(state.joint, rng)
