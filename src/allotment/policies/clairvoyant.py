"""Clairvoyant: the optimum of a known problem."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.errors import ConflictError
from allotment.kernels.protocol import ask, enter, tell
from allotment.policies.base.learner import LEARNS_NOTHING, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from allotment.worlds.situations import Situations
from allotment.worlds.world import World, checked_world


@dataclass(frozen=True)
class Clairvoyant(Policy):
    """Play the optimum of a known problem in every round. Its regret there is zero.

    Parameters
    ----------
    problem : World
        The problem. If it changes or has situations, the policy follows.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "Clairvoyant"
    use = "As a baseline: the best that could be done if everything were known."
    worlds = "any"

    problem: World

    def check(self) -> None:
        """Check the parameters."""
        if checked_world(self.problem).changes and self.problem.situations > 1:
            raise ConflictError(
                "Clairvoyant cannot follow a world that both changes and has situations",
                "one of the two",
                what="problem",
                value=self.problem,
            )

    @classmethod
    def for_problem(cls, problem: World) -> Self:
        """Make the policy that knows this problem."""
        return cls(problem)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """One that follows a change, and one that follows situations."""
        other = Problem(
            problem.loss_rates[::-1], problem.thresholds, problem.budget, severities=problem.severities
        )
        return [cls(Changing([(1, problem), (151, problem)])), cls(Situations([problem, other], [0, 1]))]

    @property
    def situations(self) -> int:
        """The number of situations of the problem."""
        return self.problem.situations

    @property
    def accepts(self) -> Accepts:
        """Anything, for it learns nothing; but where the problem changes it counts rounds by reports."""
        follows, situated = bool(self.problem.changes), self.situations > 1
        return replace(LEARNS_NOTHING, partial_reports=not follows, evidence=not follows, situations=situated)

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
        if self.situations > 1:
            best = [self.problem.best_of(situation) for situation in range(self.situations)]
        else:
            best = [self.problem.best_in(start) for start in starts]
        table = np.stack([each.allocation for each in best])
        return ClairvoyantState(np.zeros(2, np.int64), np.array(starts, np.int64), table)


class ClairvoyantState(NamedTuple):
    """State: the rounds so far, and the best allocation of every stage or situation."""

    clock: IntArray  # the rounds so far, and the situation of the next round
    starts: IntArray  # the first round of every stage
    best: FloatArray  # stages or situations x arms


@enter.register
def _enter(state: ClairvoyantState, situation: int) -> None:
    state.clock[1] = situation


@ask.register
def _ask(state: ClairvoyantState, rng: Any, allocation: FloatArray) -> None:
    stage = state.clock[1]
    while stage + 1 < state.starts.size and state.starts[stage + 1] <= state.clock[0] + 1:
        stage += 1
    for i in range(allocation.size):
        allocation[i] = state.best[stage, i]


@tell.register
def _tell(state: ClairvoyantState, allocation: FloatArray, losses: FloatArray) -> None:
    state.clock[0] += 1
