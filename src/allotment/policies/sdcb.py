"""SDCB: the stochastically dominant confidence bound (Chen, Hu, Li, Li, Liu and Lu, 2016)."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import whole
from allotment.kernels.coverage import Coverage, this_round
from allotment.kernels.loss_rates import estimate, hoeffding_radius, note
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies.base.learner import Accepts
from allotment.policies.base.policy import Setting
from allotment.system.memory import Memory
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Sdcb(Combinatorial):
    """SDCB: stochastically dominant confidence bounds, for known thresholds and losses between 0 and 1.

    It covers the arms that the knapsack picks for the means of the most optimistic plausible distributions.
    F̂_i is the distribution of the N_i losses seen while arm i was uncovered. The most optimistic one moves
    mass √(3·log t / (2·N_i)) from its largest losses to 0. Its mean is ∫ max(1 - F̂_i(x) - √…, 0) dx; without
    observations it is 0. Rounds t include a threshold search.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every, scale, truncate, cover_worthless
        How often, how exactly and for which arms to solve the knapsack, as in `Combinatorial`.
    levels : int
        Round losses to the nearest of 0, 1/levels, 2/levels, …, 1. With one level, SDCB is CUCB.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "SDCB"
    use = "When thresholds differ and are known, and a loss can be partial: anything from 0 to 1."
    levels: int = 1

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("levels", whole("levels", self.levels, least=1))

    @property
    def accepts(self) -> Accepts:
        """Partial losses; they are counted one by one, so that several levels cannot start from evidence."""
        taken = super().accepts if self.levels == 1 else Accepts()
        return taken | Accepts(fractional_losses=True)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """More levels than the losses have."""
        return [*super().variants(problem), cls(thresholds=problem.thresholds.tolist(), levels=3)]

    def footprint(self, arms: int) -> Memory:
        """The memory that its learners take: a count for every arm and level."""
        return Memory(shared=0.0, each=8.0 * arms * (self.levels + 50))

    def estimator(self, setting: Setting) -> "Dominant":
        """Bound whole distributions."""
        return Dominant(np.zeros((setting.arms, self.levels)))


class Dominant(NamedTuple):
    """For each arm, how many of the losses seen reach each level above 0."""

    reached: FloatArray


@estimate.register
def _estimate(dominant: Dominant, coverage: Coverage, rng: Any) -> None:
    t, levels = this_round(coverage), dominant.reached.shape[1]
    for i in range(coverage.estimates.size):
        n, mean = coverage.seen[i], 0.0
        if n > 0.0:
            radius = hoeffding_radius(t, n)
            for level in range(levels):
                mean += max(dominant.reached[i, level] / n - radius, 0.0)
        coverage.estimates[i] = mean / levels


@note.register
def _note(dominant: Dominant, coverage: Coverage, arm: int, rounds: float, losses: float) -> None:
    levels = dominant.reached.shape[1]
    if rounds != 1.0:  # evidence, which is taken with one level only
        dominant.reached[arm, 0] += losses
        return
    for level in range(int(losses * levels + 0.5)):
        dominant.reached[arm, level] += 1.0
