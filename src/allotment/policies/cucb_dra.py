"""CUCB-DRA: optimism on (arm, amount) pairs (Zuo and Joe-Wong, 2021)."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from allotment.policies._pairs import PairPolicy, estimate_pair
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class CucbDra(PairPolicy):
    """CUCB-DRA: optimistic estimates of every (arm, amount) pair, then the best allocation in whole units.

    The estimate is the mean of n rounds minus √(3 log t / (2 n)), and 0 before the first round. For finds it
    is the mean plus the same width, and 1 before the first round. This is combinatorial UCB for discrete
    resource allocation (Zuo and Joe-Wong, arXiv 2105.04373).

    Parameters
    ----------
    unit : float
        The smallest amount worth granting; 1/unit is a whole number.
    monotone : bool
        Make estimates never rise with the amount, since no grant makes things worse.
    sees : {"losses", "finds"}
        What a round shows.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "CUCB-DRA"
    use = "As a baseline: the published way to learn any response, every amount by itself."
    worlds = "any; losses or finds"

    def index(self, setting: Setting) -> "DraBound":
        """Confidence bounds."""
        return DraBound(1.5)


class DraBound(NamedTuple):
    """An index that is a confidence bound, a factor wide."""

    factor: float


@estimate_pair.register
def _estimate(index: DraBound, rng: Any, events: float, rounds: float, clock: int, finds: bool) -> float:
    if rounds <= 0.0:
        return 1.0 if finds else 0.0
    wide = math.sqrt(index.factor * math.log(max(2.0, clock + 1.0)) / rounds)
    mean = events / rounds
    return min(1.0, mean + wide) if finds else max(0.0, mean - wide)
