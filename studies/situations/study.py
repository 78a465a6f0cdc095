"""Losses in half a year with situations: ignored, learnt by a learner for each, and told to AnyResponse."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from allotment.arrays import FloatArray
from allotment.oracles.shares.allocate import allocate
from allotment.policies.any_response import AnyResponse
from allotment.worlds.problem import Problem
from allotment.worlds.situations import Situations
from studies.any_response.worlds import DAILY_KINDS, DAILY_UNIT, daily_problem
from studies.regret import Interval, mean_interval, mean_regret

DAYS = 180
PROBLEMS = 100
FRESH = 120_000  # where the seeds of problems start; the rule was chosen on others
MEDIAN, NEAR_ONE = 0.12, 0.8  # of loss rates
HIGHEST_RATE = 0.98
WEEK = (0, 0, 0, 0, 0, 1, 1)


@dataclass(frozen=True)
class Cell:
    """A row of the table: how problems are drawn, and what may be lost at most."""

    name: str
    kind: str
    spread: float  # the standard deviation of logarithms of factors by place and situation
    calendar: tuple[int, ...] = WEEK
    median: float = MEDIAN
    same_curves: bool = True
    over_ignoring: float | None = None  # limits of mean ratios
    over_each: float | None = 1.0

    def world(self, seed: int) -> Situations:
        """Draw a problem."""
        situations = range(max(self.calendar) + 1)
        base = daily_problem(self.kind, self.median, seed)
        stream = np.random.default_rng(np.random.SeedSequence([seed, 4]))
        problems = []
        for c in situations:
            other = (
                base if self.same_curves else daily_problem(self.kind, self.median, seed + 10**6 * (c + 1))
            )
            factors = np.exp(stream.normal(0.0, self.spread, base.arms))
            rates = np.minimum(base.loss_rates * factors, HIGHEST_RATE)
            problems.append(Problem(rates, budget=base.budget, response=other.response, unit=DAILY_UNIT))
        return Situations(problems, self.calendar)


def cells() -> Iterator[Cell]:
    """All rows."""
    for kind in DAILY_KINDS:
        yield Cell(f"{kind}, spread 0", kind, 0.0, over_ignoring=1.02)
        yield Cell(f"{kind}, spread 1", kind, 1.0, over_ignoring=0.94 if kind == "step" else 0.96)
    for kind in DAILY_KINDS:
        yield Cell(f"{kind}, six situations, spread 0", kind, 0.0, tuple(range(6)), over_ignoring=1.05)
    for kind in DAILY_KINDS:
        yield Cell(f"{kind}, other curves", kind, 0.0, same_curves=False, over_each=1.05)
        yield Cell(f"{kind}, rates near 1, spread 1", kind, 1.0, median=NEAR_ONE, over_each=1.05)


@dataclass(frozen=True)
class Losses:
    """Expected losses in half a year."""

    best: float
    one_plan: float
    ignored: float
    each: float
    told: float


def best_single_plan(world: Situations, days: int) -> float:
    """The losses of the plan that is best if all situations get the same."""
    counts = np.bincount([world.situation_in(t) for t in range(1, days + 1)])
    lost = sum(
        count * problem.loss_rates[:, np.newaxis] * problem.table
        for count, problem in zip(counts, world.problems, strict=True)
    )
    units = allocate(-lost, round(world.budget / DAILY_UNIT)).units
    return float(lost[np.arange(world.arms), units].sum())


def losses(cell: Cell, seed: int, days: int = DAYS) -> Losses:
    """Play half a year in each way."""
    world, policy = cell.world(seed), AnyResponse(unit=DAILY_UNIT)
    situations = [world.situation_in(t) for t in range(1, days + 1)]
    best = sum(world.problems[c].best.loss for c in situations)

    def regret(played: Problem | Situations, by: AnyResponse, rounds: int, luck: int) -> float:
        return float(mean_regret(played, by, [rounds], replications=1, seed=luck, workers=1)[-1])

    several = replace(policy, situations=len(world.problems))
    each = sum(
        regret(problem, policy, situations.count(c), seed + 10**6 * c)
        for c, problem in enumerate(world.problems)
    )
    return Losses(
        best,
        best_single_plan(world, days),
        best + regret(world, policy, days, seed),
        best + each,
        best + regret(world, several, days, seed),
    )


def mean_ratio(above: FloatArray, below: FloatArray) -> Interval:
    """The mean of paired ratios, with its 95 % interval.

    >>> mean_ratio(np.array([1.0, 3.0]), np.array([1.0, 3.0])).shown()
    '1.00 (1.00 to 1.00)'
    """
    return mean_interval(above / below)


def report(
    problems: int = PROBLEMS,
    seed: int = 0,
    workers: int | None = None,
    *,
    chosen: Callable[[], Iterator[Cell]] = cells,
    days: int = DAYS,
) -> Iterator[str]:
    """Losses in half a year, and their ratios; `--replications` is the number of problems."""
    yield (
        "| world | best | best single plan | situations ignored | a learner for each | told "
        "| told over ignored | told over each |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )
    for cell in chosen():
        with ThreadPoolExecutor(workers) as pool:
            first = FRESH + seed * problems
            found = list(pool.map(partial(losses, cell, days=days), range(first, first + problems)))
        names = Losses.__dataclass_fields__
        by_name = {name: np.array([getattr(each, name) for each in found]) for name in names}
        means = " | ".join(f"{by_name[name].mean():.0f}" for name in names)
        ratios = ""
        for below, limit in (("ignored", cell.over_ignoring), ("each", cell.over_each)):
            found_ratio = mean_ratio(by_name["told"], by_name[below])
            is_kept = limit is None or found_ratio.value <= limit
            kept = "" if limit is None else f", limit {limit:g}{'' if is_kept else ', not kept'}"
            ratios += f" | {found_ratio.shown(3)}{kept}"
        yield f"| {cell.name} | {means}{ratios} |"
