"""Clairvoyant: the optimum of a problem that is known in full."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.errors import ConflictError, InputError
from allotment.kernels.protocol import ask, tell
from allotment.learner import LEARNS_NOTHING, Accepts
from allotment.policy import Policy, Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Clairvoyant(Policy):
    """Play the optimum of a known problem in every round; its regret on that problem is zero."""

    family = "Clairvoyant"
    use = "As a baseline: the best that could be done if everything were known."

    problem: Problem

    def check(self) -> None:
        """Check the parameters."""
        if not isinstance(self.problem, Problem):
            raise InputError.of("problem", self.problem, "a Problem")

    @classmethod
    def for_problem(cls, problem: Problem) -> Self:
        """Make the policy that knows this problem."""
        return cls(problem)

    @property
    def accepts(self) -> Accepts:
        """Anything: it learns nothing."""
        return LEARNS_NOTHING

    def state(self, setting: Setting) -> "ClairvoyantState":
        """Make the state."""
        if setting.arms != self.problem.arms or setting.budget < self.problem.spendable:
            raise ConflictError(
                f"the clairvoyant knows a problem with {self.problem.arms} arms and budget "
                f"{self.problem.budget:g}",
                f"the same, not {setting.arms} and {setting.budget:g}",
                what="problem",
                value=self.problem,
            )
        return ClairvoyantState(np.array(self.problem.best.allocation))


class ClairvoyantState(NamedTuple):
    """State: the best allocation."""

    best: FloatArray


@ask.register
def _ask(state: ClairvoyantState, rng: Any, allocation: FloatArray) -> None:
    for i in range(allocation.size):
        allocation[i] = state.best[i]


@tell.register
def _tell(state: ClairvoyantState, allocation: FloatArray, losses: FloatArray) -> None:
    pass
