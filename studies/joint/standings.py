"""How rules stand on a suite of problems: regret as multiples of that of CTS, which knows the thresholds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.base.policy import Policy
from allotment.policies.cts import Cts
from allotment.simulation.progress import Progress
from allotment.worlds.problem import Problem
from studies.regret import mean_regret


@dataclass(frozen=True)
class Standing:
    """How a rule did on a suite, as multiples of the regret of the learner that knows the thresholds."""

    rule: str
    ratios: FloatArray  # one for each problem
    summed: float  # regret summed over problems, divided by the other's
    median: float
    worst: float


def standings(
    problems: Iterable[Problem],
    rules: Sequence[Policy],
    *,
    replications: int,
    seed: int = 0,
    horizon: int,
    workers: int | None = None,
) -> list[Standing]:
    """Each rule on each problem, against the same losses; best median first."""
    regret: dict[str, list[float]] = {}
    listed = list(problems)
    with Progress(len(listed) * (1 + len(rules)), text="comparing rules") as bar:
        for problem in listed:
            for policy in (Cts(thresholds=problem.thresholds.tolist()), *rules):
                mean = mean_regret(
                    problem, policy, [horizon], replications=replications, seed=seed, workers=workers
                )
                regret.setdefault(policy.label, []).append(float(mean[-1]))
                bar.add(1)
    known = np.array(regret.pop(Cts().label))
    found = []
    for label, values in regret.items():
        ratios = np.array(values) / known
        summed = float(np.sum(values) / known.sum())
        found.append(Standing(label, ratios, summed, float(np.median(ratios)), float(ratios.max())))
    return sorted(found, key=lambda standing: standing.median)


def table(found: Iterable[Standing]) -> str:
    """Standings as a table in Markdown."""
    lines = ["| rule | summed | median | worst |", "| --- | ---: | ---: | ---: |"]
    for each in found:
        lines.append(f"| {each.rule} | {each.summed:.2f} | {each.median:.2f} | {each.worst:.1f} |")
    return "\n".join(lines)
