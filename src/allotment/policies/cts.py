"""CTS: combinatorial Thompson sampling (Wang and Chen, 2018)."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from allotment.checks import flag, whole
from allotment.policies._estimators import AveragedThompson, Thompson, thompson
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies.base.policy import Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Cts(Combinatorial):
    """CTS: combinatorial Thompson sampling, for known thresholds that differ (section 4.1).

    Each round draws μ̂_i ~ Beta(S_i, F_i) for every arm, and covers the arms that the knapsack KP(s·μ̂, θ, Q)
    picks. s_i is the severity. S_i and F_i count losses and quiet rounds while the arm was uncovered, plus 1.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every, scale, truncate, cover_worthless
        How often, how exactly and for which arms to solve the knapsack, as in `Combinatorial`.
    draws : int
        The number of draws to average.
    optimistic : bool
        Cap each draw at the posterior mean. Only an uncovered arm shows its rate, so it is better to err low.
    label : str, optional
        The name of the policy in results and figures.
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
