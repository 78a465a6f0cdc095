"""Clairvoyant: the optimum of a known problem."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.errors import ConflictError
from allotment.kernels.protocol import ask, tell
from allotment.learner import LEARNS_NOTHING, Accepts
from allotment.policy import Policy, Setting
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.world import World, checked_world


@dataclass(frozen=True)
class Clairvoyant(Policy):
    """Play the optimum of a known problem in every round. Its regret there is zero.

    Parameters
    ----------
    problem : World
        The problem. If it changes, the policy follows.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Clairvoyant"
    use = "As a baseline: the best that could be done if everything were known."
    worlds = "any"

    problem: World

    def check(self) -> None:
        """Check the parameters."""
        checked_world(self.problem)

    @classmethod
    def for_problem(cls, problem: World) -> Self:
        """Make the policy that knows this problem."""
        return cls(problem)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """One that follows a change."""
        return [cls(Changing([(1, problem), (151, problem)]))]

    @property
    def accepts(self) -> Accepts:
        """Anything, for it learns nothing; but where the problem changes it counts rounds by reports."""
        follows = bool(self.problem.changes)
        return replace(LEARNS_NOTHING, partial_reports=not follows, evidence=not follows)

    def state(self, setting: Setting) -> "ClairvoyantState":
        """Make the state."""
        if setting.arms != self.problem.arms or setting.budget < min(self.problem.budget, self.problem.arms):
            raise ConflictError(
                f"the clairvoyant knows a problem with {self.problem.arms} arms and budget "
                f"{self.problem.budget:g}",
                f"the same, not {setting.arms} and {setting.budget:g}",
                what="problem",
                value=self.problem,
            )
        starts = (1, *self.problem.changes)
        best = np.stack([self.problem.best_in(start).allocation for start in starts])
        return ClairvoyantState(np.zeros(1, np.int64), np.array(starts, np.int64), best)


class ClairvoyantState(NamedTuple):
    """State: the rounds so far, and the best allocation of every stage."""

    clock: IntArray  # one number
    starts: IntArray  # the first round of every stage
    best: FloatArray  # stages x arms


@ask.register
def _ask(state: ClairvoyantState, rng: Any, allocation: FloatArray) -> None:
    stage = 0
    while stage + 1 < state.starts.size and state.starts[stage + 1] <= state.clock[0] + 1:
        stage += 1
    for i in range(allocation.size):
        allocation[i] = state.best[stage, i]


@tell.register
def _tell(state: ClairvoyantState, allocation: FloatArray, losses: FloatArray) -> None:
    state.clock[0] += 1
