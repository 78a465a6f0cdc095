"""Refute if it knew the thresholds: one candidate for each arm, so nothing is left to refute."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.kernels.coverage import Coverage
from allotment.kernels.loss_rates import estimate, kl_lower_bounds
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies.base.policy import Policy, Setting
from allotment.policies.cts import Cts
from allotment.policies.cucb import Cucb
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class ToldKl(Combinatorial):
    """Cover what the knapsack picks for the KL bounds at the level log(t/n)."""

    def estimator(self, setting: Setting) -> "RatioBounds":
        """Bound from below."""
        return RatioBounds(np.zeros(setting.arms))


class RatioBounds(NamedTuple):
    """Bounds at the level log(t/n)."""

    gaps: FloatArray


@estimate.register
def _estimate(bounds: RatioBounds, coverage: Coverage, rng: Any) -> None:
    t = coverage.latest[0] + 1.0
    kl_lower_bounds(t, coverage.seen, coverage.losses, bounds.gaps, coverage.estimates)


def told(problem: Problem, bound: str) -> Policy:
    """The policy with the same bound that knows the thresholds."""
    kinds: dict[str, type[Combinatorial]] = {"kl": ToldKl, "hoeffding": Cucb, "draws": Cts}
    return kinds[bound](thresholds=problem.thresholds.tolist(), label="told")
