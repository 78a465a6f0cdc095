"""`python -m studies.any_response.long_run`: how regret grows in the second 100,000 rounds."""

from collections.abc import Iterator

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.any_response import AnyResponse
from allotment.policies.base.policy import Policy
from allotment.policies.pair_ts import PairTs
from studies.any_response.worlds import FAMILY, OUTSIDE_FAMILY, UNIT, problem_in
from studies.command import run
from studies.regret import Interval, mean_regret, ratio_interval

ROUNDS = (10_000, 100_000, 200_000)
PROBLEMS = 32
FRESH = 60_000  # where the seeds of problems start; no other suite has them
RULE, NEVER_ALONE = AnyResponse(unit=UNIT), AnyResponse(unit=UNIT, left_alone=0.0)
PAIRS = (PairTs(unit=UNIT), PairTs(unit=UNIT, monotone=True, label="TS on pairs, monotone"))


def long_runs(
    kind: str, policy: Policy, problems: int = PROBLEMS, seed: int = 0, workers: int | None = None
) -> FloatArray:
    """Regret at 10⁴, 10⁵ and 2·10⁵ rounds, problems x rounds; one run of each problem."""

    def one(k: int) -> FloatArray:
        problem = problem_in(kind, FRESH + k)
        return mean_regret(problem, policy, ROUNDS, replications=1, seed=seed + k, workers=workers)

    return np.array([one(k) for k in range(problems)])


def growth(regret: FloatArray) -> Interval:
    """Mean regret at the last round over that at the round before, with its 95 % interval.

    >>> growth(np.array([[1.0, 10.0, 12.0], [1.0, 30.0, 36.0]])).shown()
    '1.20 (1.20 to 1.20)'
    """
    return ratio_interval(regret[:, -1], regret[:, -2])


def rows() -> Iterator[tuple[str, str, Policy]]:
    """The name of each row, its world and its policy."""
    for kind in FAMILY:
        yield kind, kind, RULE
    yield "exponential, no arm left alone", "exponential", NEVER_ALONE
    for kind in OUTSIDE_FAMILY:
        yield kind, kind, RULE
        yield from ((f"{kind}, {pairs.label}", kind, pairs) for pairs in PAIRS)


def report(problems: int = PROBLEMS, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Regret in the long run, by world; `--replications` is the number of problems."""
    yield "| world | 10⁴ rounds | 10⁵ | 2·10⁵ | growth |\n| --- | ---: | ---: | ---: | ---: |"
    for name, kind, policy in rows():
        found = long_runs(kind, policy, problems, seed, workers)
        cells = " | ".join(f"{each:.0f}" for each in found.mean(axis=0))
        yield f"| {name} | {cells} | {growth(found).shown()} |"


if __name__ == "__main__":
    run(report, PROBLEMS)
