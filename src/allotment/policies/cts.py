"""CTS: combinatorial Thompson sampling (Wang and Chen, 2018)."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from allotment.checks import flag, whole
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies._thompson import AveragedThompson, Thompson, thompson
from allotment.policy import Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Cts(Combinatorial):
    """Draw μ̂_i ~ Beta(S_i, F_i) for every arm and cover what the knapsack KP(s·μ̂, θ, Q) picks.

    s_i is what a loss costs; S_i and F_i count losses and quiet rounds seen while the arm was uncovered,
    plus 1 (section 4.1). With `draws`, μ̂_i is the mean of several draws. With `optimistic`, a draw above its
    expectation S_i/(S_i + F_i) counts as this expectation: only an arm left uncovered shows its rate.
    """

    family = "CTS"
    use = "When thresholds differ and are known; also the second phase of CSB-DT."

    draws: int = 1
    optimistic: bool = False

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("draws", whole("draws", self.draws, least=1))
        self.keep("optimistic", flag("optimistic", self.optimistic))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """The paper's economies, and AnyResponse's tricks."""
        tricks = cls(thresholds=problem.thresholds.tolist(), draws=2, optimistic=True)
        return [*super().variants(problem), tricks]

    @property
    def ties(self) -> bool:
        """Expectations may be equal; draws are not."""
        return self.optimistic

    def estimator(self, setting: Setting) -> Thompson | AveragedThompson:
        """Draw from the posterior."""
        draws = thompson(setting.arms)
        if self.draws == 1 and not self.optimistic:
            return draws
        return AveragedThompson(draws, self.draws, self.optimistic, np.zeros(setting.arms))
