"""A small policy that uses situations: it counts losses by situation, and decides by them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from allotment import Accepts, Policy, ask, enter, tell
from allotment.arrays import FloatArray, IntArray
from allotment.checks import whole
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE


class Counts(NamedTuple):
    """State: the losses so far, and the situation of the present round."""

    grant: float
    losses: FloatArray  # situations x arms
    present: IntArray  # one number


@dataclass(frozen=True)
class MostLosses(Policy):
    """Grant as much as possible to the arm that had the most losses in the situation."""

    situations: int = 2

    def check(self):
        """Check the number of situations."""
        whole("situations", self.situations, least=1)

    @property
    def accepts(self):
        """Evidence, and situations where it distinguishes several."""
        return LEARNS_FROM_EVIDENCE | Accepts(situations=self.situations > 1)

    def state(self, setting):
        """Make the state."""
        losses = np.zeros((self.situations, setting.arms))
        return Counts(min(setting.budget, 1.0), losses, np.zeros(1, np.int64))

    def informed(self, setting, evidence):
        """Make the state that has counted the losses of the evidence."""
        state = self.state(setting)
        state.losses[:] = np.sum(evidence.in_units(1)[1], axis=-1)
        return state


@enter.register
def _enter(state: Counts, situation):
    state.present[0] = situation


@ask.register
def _ask(state: Counts, rng, allocation):
    losses = state.losses[state.present[0]]
    for i in range(allocation.size):
        allocation[i] = 0.0
    allocation[np.argmax(losses)] = state.grant


@tell.register
def _tell(state: Counts, allocation, losses):
    for i in range(losses.size):
        if losses[i] > 0.0:
            state.losses[state.present[0], i] += losses[i]
