"""What one policy loses on the problems of one world: a number for each problem."""

from collections.abc import Iterator

import numpy as np

from allotment.simulation.progress import Progress
from allotment.worlds.changing import Changing
from allotment.worlds.problem import Problem
from studies.any_response.further import daily_losses
from studies.any_response.trial.contestants import Make
from studies.any_response.trial.extent import Extent
from studies.any_response.trial.worlds import TrialWorld, draw_problem
from studies.regret import mean_regret

DIGITS = 4  # kept of every number


def problems_of(world: TrialWorld, seed: int, extent: Extent) -> Iterator[tuple[Problem | Changing, int]]:
    """The problems of a world, each with the seed of its luck."""
    return (draw_problem(world, seed, k) for k in range(extent.problems))


def measure(
    world: TrialWorld, name: str, make: Make, seed: int, extent: Extent, workers: int | None
) -> list[float]:
    """The mean over runs for each problem: regret at the horizon, in daily use all losses."""
    found = []
    with Progress(extent.problems, text=f"{world.name}: {name}") as bar:
        for problem, luck in problems_of(world, seed, extent):
            if world.history is not None and isinstance(problem, Problem):
                policy, history = make(problem), world.history
                lost = [daily_losses(problem, policy, history, luck + run) for run in range(extent.runs)]
                found.append(float(np.mean(lost)))
            else:
                rounds = [min(world.horizon, extent.horizon)]
                policy = make(problem)
                regret = mean_regret(
                    problem, policy, rounds, replications=extent.runs, seed=luck, workers=workers
                )
                found.append(float(regret[-1]))
            bar.add(1)
    return np.round(found, DIGITS).tolist()
