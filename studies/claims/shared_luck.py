"""What it does to standard errors over problems that all problems of a sweep share their luck.

A sweep plays every problem with the same seed. So problems with the same number of arms have the same uniform
number at an arm and round, and their regrets are not independent.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.csb_dt import CsbDt
from allotment.policies.cts import Cts
from allotment.policies.joint import Joint
from allotment.simulation.simulate import simulate
from allotment.worlds.problem import Problem

ARMS, PROBLEMS, HORIZON = 5, 30, 1_000
OFTEN = 10  # replications of a sweep that is larger than one of a single run


@dataclass(frozen=True)
class Spread:
    """The variance of regrets, problems x replications, by its sources."""

    problems: int
    between: float  # of the problems' true means
    within: float  # of a single run, the mean over problems
    shared: float  # the covariance of two problems in the same replication

    @classmethod
    def of(cls, regret: FloatArray) -> "Spread":
        """Estimate all three without bias."""
        problems, replications = regret.shape
        within = float(regret.var(axis=1, ddof=1).mean())
        of_mean = float(regret.mean(axis=0).var(ddof=1))
        shared = (problems * of_mean - within) / (problems - 1)
        between = float(regret.mean(axis=1).var(ddof=1)) - (within - shared) / replications
        return cls(problems, between, within, shared)

    @property
    def correlation(self) -> float:
        """Of the luck of two problems in the same replication."""
        return self.shared / self.within

    def true_over_stated(self, replications: int) -> float:
        """The standard error of the mean over random problems, over the one from the spread over problems.

        NaN if there are so few numbers that an estimated variance is negative.
        """
        stated = self.between + (self.within - self.shared) / replications
        true = stated + self.problems * self.shared / replications
        return math.sqrt(true / stated) if min(true, stated) > 0.0 else math.nan

    @property
    def with_the_same_problems(self) -> float:
        """The same where problems stay and only luck is drawn anew; stated is the sum of their variances."""
        return math.sqrt(max(self.within + (self.problems - 1) * self.shared, 0.0) / self.within)


def regrets(
    problems: int, replications: int, seed: int, workers: int | None, *, own: bool, horizon: int = HORIZON
) -> dict[str, FloatArray]:
    """Regret by policy, problems x replications. `own`: each problem has a seed of its own."""
    found: dict[str, list[FloatArray]] = {}
    for k in range(problems):
        problem = Problem.random(ARMS, seed=k)
        rules = [Joint(), Cts(thresholds=problem.thresholds.tolist()), CsbDt()]
        result = simulate(
            problem,
            rules,
            horizon=horizon,
            replications=replications,
            seed=seed + (1 + k if own else 0),
            workers=workers,
            record=1,
            progress=False,
        )
        for label in result:
            found.setdefault(label, []).append(result[label].final)
        found.setdefault("Joint less CTS", []).append(result.compare("Joint", "CTS").final)
    return {label: np.array(values) for label, values in found.items()}


def report(
    replications: int,
    seed: int = 0,
    workers: int | None = None,
    *,
    problems: int = PROBLEMS,
    horizon: int = HORIZON,
) -> Iterator[str]:
    """True over stated standard errors of the mean over problems."""
    lines = [
        f"| seeds | regret of | correlation | problems stay | random problems, 1 run | {OFTEN} runs |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, own in (("one for all", False), ("one for each problem", True)):
        for label, regret in regrets(problems, replications, seed, workers, own=own, horizon=horizon).items():
            found = Spread.of(regret)
            cells = [found.with_the_same_problems, found.true_over_stated(1), found.true_over_stated(OFTEN)]
            shown = " | ".join(f"{each:.2f}" for each in cells)
            lines.append(f"| {name} | {label} | {found.correlation:.3f} | {shown} |")
    yield "\n".join(lines)
