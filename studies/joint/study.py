"""How Joint should decide: rules measured on random problems, and the one that was kept, on others.

Each rule's regret is divided by that of CTS, the learner that knows the thresholds, against the same losses.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

from allotment.policies.cts import Cts
from allotment.policies.joint import Joint
from allotment.policy import Policy
from allotment.worlds.problem import Problem
from studies.joint import off_grid
from studies.joint.off_grid import MULTIPLES
from studies.joint.rules import WeighedByChance
from studies.joint.standings import standings, table
from studies.regret import mean_regret

RESOLUTION = 0.01
HORIZON = 5_000
CHOOSING, CONFIRMING, OFF_GRID = 1_000, 2_000, 3_000  # where the seeds of the suites start
EACH = 4  # problems of each kind in a suite
REPLICATIONS = 20
MORE = 5  # times the replications to confirm, where only three rules run

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


def _drawn(
    label: str, middle_of: int = 1, fade: float | None = None, trust: float = 1.0, **more: Any
) -> Joint:
    """Thompson draws; what `more` does not ask for is left out."""
    settings = {"optimistic": False, "opening": 0, **more}
    return Joint(middle_of=middle_of, fade=fade, trust=trust, label=label, **settings)


def _opened(label: str, **changes: Any) -> Joint:
    """A curious opening, then optimistic draws, with changes."""
    draws = {"middle_of": 19, "fade": 10, "trust": 1.5, "optimistic": True}
    return Joint(label=label, **{**draws, "opening": 30, "curiosity": 1, **changes})


RULES: Sequence[Policy] = (
    _drawn("plain draws, rest not spent", spend=False),
    _drawn("plain draws"),
    _drawn("plain draws, trust 2", trust=2),
    _drawn("middle of 3", 3),
    _drawn("middle of 3, trust 2", 3, trust=2),
    _drawn("middle of 9, trust 2", 9, trust=2),
    _drawn("middle of 19 fading over 10, trust 1.5", 19, 10, 1.5),
    _drawn("middle of 19 fading over 10, trust 2", 19, 10, 2),
    _drawn("middle of 19 fading over 30, trust 1.5", 19, 30, 1.5),
    _drawn("middle of 19 fading over 100, trust 2", 19, 100, 2),
    _drawn("median, trust 2", 100_001, trust=2),
    WeighedByChance(label="plain draws, stakes times chance of cover"),
    _drawn("middle of 19 fading over 10, trust 1.5, optimistic", 19, 10, 1.5, optimistic=True),
    _drawn("middle of 19 fading over 10, trust 2, optimistic", 19, 10, 2, optimistic=True),
    _opened("opening"),
    _opened("opening, trust 1", trust=1),
    _opened("opening, trust 2", trust=2),
    _opened("opening, not optimistic", optimistic=False),
    _opened("opening, plain draws", middle_of=1),
    _opened("opening, curiosity 0.5", curiosity=0.5),
    _opened("opening, curiosity 2", curiosity=2),
    _opened("opening of 15 rounds", opening=15),
    _opened("opening of 100 rounds", opening=100),
    _opened("opening for ever", opening=HORIZON),
    _opened("opening for ever, curiosity 0", opening=HORIZON, curiosity=0),
)


WITHOUT = _opened("Joint without opening and optimism", opening=0, optimistic=False)


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
    """The study, part by part: all rules on the choosing suite, Joint as it is on the confirming one.

    Then off the grid: one problem of each kind, many small ones, and hopeless ones, for rounds of their own.
    """
    run: dict[str, Any] = {"seed": seed, "workers": workers}
    problems = [problem for _, problem in suite(CHOOSING)]
    chosen = standings(problems, RULES, replications=replications, horizon=horizon, **run)
    yield "Choosing: regret as a multiple of CTS's, which knows the thresholds\n\n" + table(chosen)
    confirmed = standings(
        (problem for _, problem in suite(CONFIRMING)),
        [Joint(), WITHOUT, MULTIPLES],
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
