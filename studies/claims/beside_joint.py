"""AnyResponse beside Joint in worlds of steps, without leaks and with a leak of 1 to 10 %.

Joint has three forms here, since its regret depends on what it is told.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.any_response import AnyResponse
from allotment.policies.equal_split import EqualSplit
from allotment.policies.joint import Joint
from studies.any_response.worlds import UNIT, problem_in
from studies.regret import mean_interval, mean_regret, ratio_interval

KINDS = ("step", "leak")
FRESH = 140_000  # where the seeds of problems start; no other suite has them
HORIZON = 3_000
RUNS = 2  # of each problem
RULE = AnyResponse(unit=UNIT, label="AnyResponse")
OTHERS = (
    Joint(label="Joint()"),
    Joint(resolution=UNIT, label=f"Joint(resolution={UNIT})"),
    Joint(resolution=UNIT, leak_chance=0.01, label=f"Joint(resolution={UNIT}, leak_chance=0.01)"),
    EqualSplit(label="Equal split"),
    EqualSplit(unit=UNIT, label=f"Equal split, unit {UNIT}"),
)


def regrets(
    kind: str, problems: int, seed: int = 0, workers: int | None = None, horizon: int = HORIZON
) -> dict[str, FloatArray]:
    """The mean regret of each policy on every problem, by label. Each problem has luck of its own."""
    found: dict[str, list[float]] = {}
    for k in range(problems):
        problem = problem_in(kind, FRESH + k)
        for policy in (RULE, *OTHERS):
            mean = mean_regret(problem, policy, [horizon], replications=RUNS, seed=seed + k, workers=workers)
            found.setdefault(policy.label, []).append(float(mean[-1]))
    return {label: np.array(values) for label, values in found.items()}


def table(found: Mapping[str, Mapping[str, FloatArray]]) -> str:
    """By world and policy: mean regret, AnyResponse's over it, and it over that of an equal split."""
    lines = [
        "| world | policy | regret | AnyResponse over it | median of problems | over AnyResponse "
        "| over an equal split |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for world, of in found.items():
        rule, split = of[RULE.label], of["Equal split"]
        for label, values in of.items():
            cells = [
                mean_interval(values).shown(0),
                ratio_interval(rule, values).shown(3),
                f"{np.median(rule / values):.3f}",
                ratio_interval(values, rule).shown(1),
                ratio_interval(values, split).shown(2),
            ]
            lines.append(f"| {world} | {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def report(problems: int, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """The table."""
    yield table({kind: regrets(kind, problems, seed, workers) for kind in KINDS})
