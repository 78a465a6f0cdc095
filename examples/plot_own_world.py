"""
A world of your own
===================

In this world, prevented losses move: of the losses that cover prevents at an arm, a share happens at the
next arm, in a ring, unless that arm is covered too. No policy of the package knows this. Regret against the
best cover shows what the wrong assumption costs.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

import allotment as al


class Street(NamedTuple):
    loss_rates: np.ndarray
    threshold: float
    moved: float
    best_loss: float


@al.observe.register
def _observe(street: Street, uniforms, allocation, losses):
    loss, enough = 0.0, street.threshold - 1e-12
    for i in range(allocation.size):
        arriving = street.moved * street.loss_rates[i - 1] if allocation[i - 1] >= enough else 0.0
        rate = 0.0 if allocation[i] >= enough else min(street.loss_rates[i] + arriving, 1.0)
        losses[i] = 1.0 if uniforms[i] < rate else 0.0
        loss += rate
    return loss - street.best_loss


@dataclass(frozen=True)
class Displacement(al.World):
    """Arms in a ring; a share `moved` of the losses that are prevented at an arm happens at the next."""

    loss_rates: tuple[float, ...]
    threshold: float = 0.5
    budget: float = 1.0
    moved: float = 0.6

    @property
    def arms(self):
        return len(self.loss_rates)

    @cached_property
    def best(self):
        covers = product([0.0, self.threshold], repeat=self.arms)
        grants = [np.array(each) for each in covers if sum(each) <= self.budget + 1e-12]
        street, luck = self.environment(best_loss=0.0), np.zeros(self.arms)
        losses = [al.observe(street, luck, each, luck.copy()) for each in grants]
        return al.Optimum(grants[np.argmin(losses)], min(losses))

    def environment(self, best_loss=None):
        best_loss = self.best.loss if best_loss is None else best_loss
        return Street(np.array(self.loss_rates), self.threshold, self.moved, best_loss)


# %%
# The Clairvoyant policy plays the best cover, so its regret is 0 and it is not drawn.

street = Displacement((0.5, 0.2, 0.4, 0.1, 0.3))
policies = [al.CsbDt(), al.Joint(), al.EqualSplit()]
result = al.simulate(street, policies, horizon=1000, replications=20, seed=1, progress=False)
figure = result.plot()
print("The best cover grants", street.best.allocation)
