"""LIZARD: optimism on (arm, amount) pairs that knows how steep curves can be (Xu et al., 2021)."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from allotment.arrays import FloatArray
from allotment.checks import open_unit, positive
from allotment.policies._pairs import PairPolicy, bound_arm, estimate_pair
from allotment.policies.base.policy import Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Lizard(PairPolicy):
    """LIZARD: confidence bounds of pairs, tightened by the bounds of the arm's other amounts.

    The bound of a pair with n rounds is its mean plus √(log(1/ε) / (2 max(1, n))) for finds, and minus this
    width for losses. A pair without a round has the best mean. Curves never rise with the amount, and change
    by at most `steepest` per unit of budget. So each amount's bound limits the bounds of the arm's other
    amounts.
    Nothing is found without a grant. The best allocation in whole units follows (Xu, Bondi, Fang, Perrault,
    Wang and Tambe, arXiv 2009.06560, with the width of the authors' experiments).

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number.
    monotone : bool
        Also make bounds never rise with the amount by pooling neighbours. The tightened bounds never do.
    sees : {"losses", "finds"}
        What a round shows.
    steepest : float
        The Lipschitz constant L: a rate changes by at most L·d where the amount changes by d.
    epsilon : float
        The probability ε with which a bound may fail.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "LIZARD"
    use = "As a baseline: the published way to learn gradual responses from finds."
    worlds = "any gradual response; losses or finds"

    steepest: float = 1.0
    epsilon: float = 0.1

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("steepest", positive("steepest", self.steepest))
        self.keep("epsilon", open_unit("epsilon", self.epsilon))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """Steeper curves."""
        return [cls(unit=0.25, steepest=4.0, epsilon=0.01)]

    def index(self, setting: Setting) -> "LipschitzBound":
        """Confidence bounds."""
        return LipschitzBound(-0.5 * math.log(self.epsilon), self.steepest * self.unit)


class LipschitzBound(NamedTuple):
    """An index that is a confidence bound."""

    square: float  # of its width after one round
    steepest: float  # how much a rate may change with one unit


@estimate_pair.register
def _estimate(
    index: LipschitzBound, rng: Any, events: float, rounds: float, clock: int, finds: bool
) -> float:
    wide = math.sqrt(index.square / max(1.0, rounds))
    mean = events / rounds if rounds > 0.0 else 0.0
    if finds:
        return (mean if rounds > 0.0 else 1.0) + wide
    return mean - wide


@bound_arm.register
def _bound_arm(index: LipschitzBound, curve: FloatArray) -> None:
    for u in range(curve.size - 2, -1, -1):
        curve[u] = max(curve[u], curve[u + 1])
    for u in range(1, curve.size):
        curve[u] = max(curve[u], curve[u - 1] - index.steepest)
