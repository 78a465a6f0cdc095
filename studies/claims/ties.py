"""What it is worth to CSB-DT-UCB on Instance 2 to cover arms with a bound of 0 in the order of their index.

The other form covers them in random order. Both face the same losses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import IntArray
from allotment.compiling.comparisons import fits
from allotment.kernels.coverage import Coverage, choose_by_oracle, this_round
from allotment.kernels.loss_rates import decide, estimate, hoeffding_radius
from allotment.policies.base.policy import Setting
from allotment.policies.csb_dt import CsbDt
from allotment.policies.csb_ucb import CsbUcb
from allotment.simulation.simulate import simulate
from allotment.worlds.problem import Problem
from studies.regret import mean_interval

HORIZON = 5_000
BUDGETS = (2.0, 2.05)


class RandomTies(NamedTuple):
    """The bounds of CSB-DT-UCB, and the order in which arms with a bound of 0 are covered."""

    head_start: float
    order: IntArray


@estimate.register
def _estimate(bounds: RandomTies, coverage: Coverage, rng: Any) -> None:
    t = this_round(coverage)
    for i in range(coverage.estimates.size):
        n = coverage.seen[i] + bounds.head_start
        coverage.estimates[i] = max(coverage.losses[i] / n - hoeffding_radius(t, n), 0.0)
        bounds.order[i] = i
    for i in range(coverage.estimates.size - 1, 0, -1):
        j = min(int(rng.random() * (i + 1)), i)
        bounds.order[i], bounds.order[j] = bounds.order[j], bounds.order[i]


@decide.register
def _decide(bounds: RandomTies, coverage: Coverage) -> None:
    choose_by_oracle(coverage)
    left = coverage.budget
    for i in range(coverage.chosen.size):
        left -= coverage.thresholds[i] if coverage.chosen[i] else 0.0
    for i in bounds.order:
        worthless = coverage.stakes[i] == 0.0 and not coverage.chosen[i]
        if worthless and fits(coverage.thresholds[i], left, coverage.slack):
            coverage.chosen[i] = True
            left -= coverage.thresholds[i]


@dataclass(frozen=True)
class UcbAtRandom(CsbUcb):
    """CSB-UCB that covers arms with a bound of 0 in random order while there is room."""

    family = "CSB-UCB, ties at random"

    cover_worthless: bool = False  # by the oracle; `decide` covers them

    def estimator(self, setting: Setting) -> Any:
        """Bound from below, and draw an order."""
        return RandomTies(1.0, np.zeros(setting.arms, np.int64))


def report(
    replications: int, seed: int = 0, workers: int | None = None, horizon: int = HORIZON
) -> Iterator[str]:
    """Regret with ties by index and at random, and the paired difference."""
    rules = [
        CsbDt(learner=CsbUcb(), label="by index"),
        CsbDt(learner=UcbAtRandom(), label="at random"),
    ]
    lines = ["| budget | by index | at random | more at random, paired |", "| ---: | ---: | ---: | ---: |"]
    instance = Problem.named("paper-2")
    for budget in BUDGETS:
        problem = Problem(instance.loss_rates, instance.thresholds, budget)
        result = simulate(
            problem,
            rules,
            horizon=horizon,
            replications=replications,
            seed=seed,
            workers=workers,
            record=1,
            progress=False,
        )
        index, random = (result[rule.label].final for rule in rules)
        cells = [mean_interval(each).shown(1) for each in (index, random, random - index)]
        lines.append(f"| {budget:g} | {' | '.join(cells)} |")
    yield "\n".join(lines)
