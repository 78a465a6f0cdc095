"""Thompson sampling on (arm, amount) pairs: the simplest way to learn any response."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import one_of
from allotment.compiling.decorators import kernel
from allotment.policies._pairs import PairPolicy, compare_arms, estimate_pair
from allotment.policies.base.policy import Setting
from allotment.randomness.bits import Bits, draw_uniform, unsown_bits
from allotment.randomness.laws import draw_beta, draw_gamma
from allotment.worlds.problem import Problem

PRIORS = ("uniform", "learnt")
WORTH = 2.0  # rounds that a learnt prior counts for: as many as the uniform prior, Beta(1, 1)


@dataclass(frozen=True)
class PairTs(PairPolicy):
    """Thompson sampling of every (arm, amount) pair on its own, then the best allocation in whole units.

    An observation at one amount says nothing about other amounts, except with `monotone`.

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number.
    monotone : bool
        Make estimates never rise with the amount, since no grant makes things worse.
    sees : {"losses", "finds"}
        What a round shows.
    prior : {"uniform", "learnt"}
        Beta(1, 1) for every pair, or Beta(2m, 2 - 2m) with the mean m = (1 + losses) / (2 + rounds) of all
        rounds.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "TS on pairs"
    use = "As a baseline: any response, every amount learnt by itself."
    worlds = "any; losses or finds"

    prior: str = "uniform"

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        one_of("prior", self.prior, PRIORS)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """A prior that is learnt."""
        return [cls(prior="learnt", monotone=True)]

    def index(self, setting: Setting) -> "Drawn | DrawnAroundMean":
        """Draws."""
        if self.prior == "uniform":
            return Drawn(unsown_bits())
        return DrawnAroundMean(unsown_bits(), np.zeros(1))


class Drawn(NamedTuple):
    """An index that is drawn from the posterior Beta(1 + losses, 1 + quiet rounds)."""

    bits: Bits


@estimate_pair.register
def _estimate(index: Drawn, rng: Any, events: float, rounds: float, clock: int, finds: bool) -> float:
    return draw_beta(index.bits, 1.0 + events, 1.0 + max(0.0, rounds - events))


class DrawnAroundMean(NamedTuple):
    """The same, from Beta(2m + losses, 2 - 2m + quiet rounds), where m is the mean of all pairs."""

    bits: Bits
    mean: FloatArray  # one number


@compare_arms.register
def _learn_mean(index: DrawnAroundMean, events: FloatArray, rounds: FloatArray) -> None:
    lost, seen = 1.0, 2.0
    for arm in range(events.shape[0]):
        for u in range(events.shape[1]):
            lost += events[arm, u]
            seen += rounds[arm, u]
    index.mean[0] = lost / seen


@kernel
def _draw_any_gamma(bits: Bits, shape: float) -> float:
    """A Gamma(shape, 1) draw for any shape above 0."""
    return draw_gamma(bits, shape + 1.0) * math.exp(math.log(1.0 - draw_uniform(bits)) / shape)


@estimate_pair.register
def _estimate_around_mean(
    index: DrawnAroundMean, rng: Any, events: float, rounds: float, clock: int, finds: bool
) -> float:
    mean = index.mean[0]
    first = _draw_any_gamma(index.bits, WORTH * mean + events)
    second = _draw_any_gamma(index.bits, WORTH * (1.0 - mean) + max(0.0, rounds - events))
    return first / (first + second)
