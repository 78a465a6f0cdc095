"""How Joint should decide: what each of its devices buys, and how it does on other problems.

Regret is divided by that of CTS, the learner that knows the thresholds, against the same losses.
docs/studies/joint.md has the results, and those of rules that are gone.
"""

from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any

import numpy as np

from allotment.policies.cts import Cts
from allotment.policies.joint import Joint
from allotment.worlds.problem import Problem
from studies.joint import off_grid
from studies.joint.devices import devices_table
from studies.joint.off_grid import MULTIPLES
from studies.joint.standings import standings, table
from studies.regret import mean_regret

RESOLUTION = 0.01
HORIZON = 5_000
CHOOSING, CONFIRMING, OFF_GRID = 1_000, 2_000, 3_000  # where the seeds of the suites start
EACH = 4  # problems of each kind in a suite
REPLICATIONS = 20
MORE = 5  # times the replications where few rules run, and to tell devices apart

KINDS: Mapping[str, Mapping[str, Any]] = {
    "five arms": {"arms": 5},
    "ten arms": {"arms": 10},
    "twenty arms": {"arms": 20},
    "forty arms": {"arms": 40},
    "clustered thresholds": {"arms": 20, "thresholds": "clustered"},
    "low rates": {"arms": 20, "rates": "low"},
    "high rates": {"arms": 10, "rates": "high"},
    "tight budget": {"arms": 20, "tightness": 0.15},
    "loose budget": {"arms": 20, "tightness": 0.7},
    "hopeless": {"arms": 20, "hopeless": True},
}


def suite(first_seed: int, each: int = EACH, **changes: Any) -> Iterator[tuple[str, Problem]]:
    """So many random problems of each kind, thresholds on the grid unless `resolution=None`."""
    for kind, options in KINDS.items():
        drawn = (
            Problem.random(**{"seed": first_seed + k, "resolution": RESOLUTION, **options, **changes})
            for k in count()
        )
        for problem in islice(filter(_is_a_choice, drawn), each):
            yield kind, problem


def _is_a_choice(problem: Problem) -> bool:
    """Whether some but not all arms can be covered: otherwise there is nothing to learn."""
    covered = problem.best.covered
    return bool(covered.any() and not covered.all())


def rounding_cost(problem: Problem, horizon: int = HORIZON) -> float:
    """The regret of knowing everything but granting multiples of the resolution only."""
    steps = np.ceil(problem.thresholds / RESOLUTION - 1e-9)
    rounded = np.minimum(1.0, np.round(steps * RESOLUTION, 12))
    best = Problem(problem.loss_rates, rounded, problem.budget).best.loss
    return horizon * max(0.0, best - problem.best.loss)


def report(
    replications: int = REPLICATIONS, seed: int = 0, horizon: int = HORIZON, workers: int | None = None
) -> Iterator[str]:
    """The study, part by part: Joint's devices on the choosing suite, Joint as it is on the confirming one.

    Then off the grid: one problem of each kind, many small ones, and hopeless ones, for rounds of their own.
    """
    run: dict[str, Any] = {"seed": seed, "workers": workers}
    problems = [problem for _, problem in suite(CHOOSING)]
    found = devices_table(problems, replications=MORE * replications, horizon=horizon, **run)
    yield "What each device buys\n\n" + found
    confirmed = standings(
        (problem for _, problem in suite(CONFIRMING)),
        [Joint(), MULTIPLES],
        replications=MORE * replications,
        horizon=horizon,
        **run,
    )
    yield "Confirming, on other problems\n\n" + table(confirmed)
    lines = ["| kind | CTS | Joint | multiples only | rounding |", "| --- | ---: | ---: | ---: | ---: |"]
    for kind, problem in suite(OFF_GRID, 1, resolution=None):
        known = Cts(thresholds=problem.thresholds.tolist())
        regret = [
            mean_regret(problem, policy, [horizon], replications=replications, **run)[-1]
            for policy in (known, Joint(), MULTIPLES)
        ]
        numbers = " | ".join(f"{each:.0f}" for each in (*regret, rounding_cost(problem, horizon)))
        lines.append(f"| {kind} | {numbers} |")
    yield "Thresholds off the grid: regret, and what rounding grants up costs of it\n\n" + "\n".join(lines)
    yield from off_grid.report(replications, **run)
