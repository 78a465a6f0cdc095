"""Joint off the grid: thresholds that are no multiples of anything, and budgets that only just suffice."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.joint import Joint
from allotment.simulation.progress import Progress
from allotment.worlds.problem import Problem
from studies.joint.standings import Standing, standings
from studies.regret import mean_regret

MULTIPLES = Joint(finest=None, label="Joint, multiples only")
ARMS = 8
SEEDS: Sequence[tuple[range, int]] = (
    (range(100, 140), 5_000),
    (range(30), 5_000),
    (range(200, 240), 5_000),
    (range(30), 50_000),
)  # of problems, and for how many rounds
HOPELESS = range(500, 530)
HOPELESS_REPLICATIONS = 4
EARLY, LATE, LAST = 500, 49_000, 50_000  # rounds: to the first, and from the second to the last


def _numbers(found: Standing) -> str:
    return f"{found.summed:.2f}, {found.median:.2f}, {found.worst:.1f}"


def off_grid_table(replications: int, seed: int = 0, workers: int | None = None) -> str:
    """Regret as a multiple of CTS's, with and without grants between multiples."""
    lines = [
        "| seeds | horizon | multiples only: summed, median, worst | Joint |",
        "| --- | ---: | ---: | ---: |",
    ]
    for seeds, horizon in SEEDS:
        problems = [Problem.random(ARMS, seed=each) for each in seeds]
        listed = standings(
            problems,
            [Joint(), MULTIPLES],
            replications=replications,
            seed=seed,
            horizon=horizon,
            workers=workers,
        )
        found = {each.rule: each for each in listed}
        numbers = f"{_numbers(found[MULTIPLES.label])} | {_numbers(found[Joint().label])}"
        lines.append(f"| {seeds[0]} to {seeds[-1]} | {horizon:,} | {numbers} |")
    return "\n".join(lines)


def hopeless(replications: int, seed: int = 0, workers: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Regret per round, early and late, where the best choice needs every threshold exactly."""
    early, late = [], []
    run: dict[str, Any] = {"replications": replications, "seed": seed, "workers": workers}
    with Progress(len(HOPELESS), text="hopeless problems") as bar:
        for each in HOPELESS:
            problem = Problem.random(ARMS, seed=each, hopeless=True)
            mean = mean_regret(problem, Joint(), [EARLY, LATE, LAST], **run)
            early.append(mean[0] / EARLY)
            late.append((mean[2] - mean[1]) / (LAST - LATE))
            bar.add(1)
    return np.array(early), np.array(late)


def hopeless_table(early: FloatArray, late: FloatArray) -> str:
    """What became of the loss of the first rounds."""
    return "\n".join(
        (
            "| problems | early | late | nothing lost late | less than a tenth |",
            "| ---: | ---: | ---: | ---: | ---: |",
            f"| {early.size} | {early.mean():.3f} | {late.mean():.3f} "
            f"| {(late < 1e-9).sum()} | {(late < 0.1 * early).sum()} |",
        )
    )


def report(replications: int, seed: int = 0, workers: int | None = None) -> Iterator[str]:
    """Both, part by part."""
    found = off_grid_table(replications, seed, workers)
    yield f"{ARMS} arms off the grid: regret as a multiple of CTS's\n\n" + found
    found = hopeless_table(*hopeless(min(replications, HOPELESS_REPLICATIONS), seed, workers))
    rounds = f"to round {EARLY:,}, and from {LATE:,} to {LAST:,}"
    yield f"Hopeless problems off the grid: regret per round {rounds}\n\n" + found
