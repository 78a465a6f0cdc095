"""MP-KL-UCB: the KL confidence bounds of Garivier and Cappé (2011), for multiple-play bandits."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from allotment.arrays import FloatArray
from allotment.checks import nonnegative
from allotment.kernels.confidence import exploration_level, kl_lower_bound
from allotment.kernels.coverage import ROUND, Coverage, choice_is_due, grant, know, watch
from allotment.kernels.protocol import adopt, ask, tell
from allotment.policies._known_thresholds import MultiplePlay
from allotment.policy import Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class MpKlUcb(MultiplePlay):
    """Cover the M = ⌊Q/θ⌋ arms whose loss rates are largest even at their lower KL confidence bounds.

    The bound of arm i is the smallest q with N_i·d(μ̂_i, q) ≤ f(t), where μ̂_i is the mean of the N_i losses
    seen while it was uncovered, d the Bernoulli divergence and f(t) = log t + c·log log t; it is 0 for an arm
    that was not seen yet. t counts all rounds, those of a threshold search included. `exploration` is c: the
    proofs use 3, and 0 is what does best in practice.
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

    def unstarted(self, setting: Setting) -> "MpKlUcbState":
        """Make the state."""
        return MpKlUcbState(self.coverage(setting), self.exploration)


class MpKlUcbState(NamedTuple):
    """State: the counts of the coverage are all there is."""

    coverage: Coverage
    exploration: float


@adopt.register
def _adopt(state: MpKlUcbState, thresholds: FloatArray, rounds: int) -> None:
    know(state.coverage, thresholds, rounds)


@ask.register
def _ask(state: MpKlUcbState, rng: Any, allocation: FloatArray) -> None:
    arms = state.coverage
    if choice_is_due(arms):
        level = exploration_level(arms.clock[ROUND] + 1.0, state.exploration)
        for i in range(arms.estimates.size):
            mean = arms.losses[i] / max(arms.seen[i], 1.0)
            arms.estimates[i] = kl_lower_bound(mean, arms.seen[i], level)
    grant(arms, allocation)


@tell.register
def _tell(state: MpKlUcbState, allocation: FloatArray, losses: FloatArray) -> None:
    watch(state.coverage, losses)
