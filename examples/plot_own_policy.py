"""
A policy of your own
====================

A policy is a frozen description, a state, and two functions that Numba compiles: ``ask`` writes the grants
of a round, ``tell`` learns from its losses. This one grants a fixed amount to the arms with the most losses
so far. It covers arms, sees nothing there any more, and still keeps them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import allotment as al


class Losses(NamedTuple):
    amount: float
    budget: float
    seen: np.ndarray


@dataclass(frozen=True)
class FollowLosses(al.Policy):
    """Grant `amount` to the arms with the most losses so far."""

    family = "Follow the losses"
    amount: float = 0.7

    def state(self, setting):
        return Losses(self.amount, setting.budget, np.zeros(setting.arms))


@al.ask.register
def _ask(state: Losses, rng, allocation):
    allocation[:] = 0.0
    for _ in range(min(allocation.size, int(state.budget / state.amount + 1e-12))):
        best, score = 0, -1.0
        for i in range(allocation.size):
            wanted = state.seen[i] + rng.random()  # ties are broken at random
            if allocation[i] == 0.0 and wanted > score:
                best, score = i, wanted
        allocation[best] = state.amount


@al.tell.register
def _tell(state: Losses, allocation, losses):
    for i in range(losses.size):
        state.seen[i] += losses[i]


# %%
# The simulator runs it beside the others, on the same luck.

problem = al.Problem.named("paper-2")
policies = [FollowLosses(), al.CsbDt(), al.Joint()]
result = al.simulate(problem, policies, horizon=2000, replications=50, seed=1, progress=False)
figure = result.plot(logy=True)
print(result)
