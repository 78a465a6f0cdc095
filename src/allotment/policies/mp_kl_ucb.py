"""MP-KL-UCB: the KL confidence bounds of Garivier and Cappé (2011), for multiple-play bandits."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from allotment.checks import nonnegative
from allotment.kernels.coverage import Coverage, this_round
from allotment.kernels.loss_rates import estimate, exploration_level, kl_lower_bound
from allotment.policies._known_thresholds import MultiplePlay
from allotment.policies.base.policy import Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class MpKlUcb(MultiplePlay):
    """MP-KL-UCB: KL confidence bounds, for one known threshold (Garivier and Cappé, 2011).

    It covers the M = ⌊Q/θ⌋ arms with the largest severity times lower bound of the loss rate. The bound is
    the smallest q with N_i·d(μ̂_i, q) ≤ f(t), where f(t) = log t + c·log log t. Here, μ̂_i is the mean of the
    N_i losses seen while arm i was uncovered, and d the Bernoulli divergence. Without observations the bound
    is 0. Rounds t include a threshold search.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known threshold of all arms. Without it, the policy can only be the learner of a two-phase policy.
    exploration : float
        c in f(t). The proofs use 3; 0 does best in practice.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "MP-KL-UCB"
    use = "When one threshold holds for all arms and is known, and nothing may be left to chance."

    exploration: float = 0.0

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("exploration", nonnegative("exploration", self.exploration))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """The level that the proofs use."""
        return [cls(thresholds=float(problem.thresholds.max()), exploration=3.0)]

    def estimator(self, setting: Setting) -> "KlBounds":
        """Bound from below."""
        return KlBounds(self.exploration)


class KlBounds(NamedTuple):
    """Bounds by the divergence, at a level that grows with the rounds."""

    exploration: float


@estimate.register
def _estimate(bounds: KlBounds, coverage: Coverage, rng: Any) -> None:
    level = exploration_level(this_round(coverage), bounds.exploration)
    for i in range(coverage.estimates.size):
        mean = coverage.losses[i] / max(coverage.seen[i], 1.0)
        coverage.estimates[i] = kl_lower_bound(mean, coverage.seen[i], level)
