"""The compiled environments of worlds beyond the paper's: any response, finds, counts, changes, situations.

A world of several problems keeps the numbers of all of them, and a clock that says which one is played.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.compiling.comparisons import covers
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.worlds.environment import LEAST_LOG, count_step, first_likely, observe, situation_of
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Capped

Stages = tuple[tuple[int, Problem], ...]  # the first round of each problem, and the problem


class Steps(NamedTuple):
    """Step responses in worlds where any amount counts."""

    thresholds: FloatArray  # stages x arms
    leak: FloatArray  # stages x arms
    slack: float


class InUnits(NamedTuple):
    """Amounts count in whole units."""

    table: FloatArray  # stages x arms x units: the remaining share
    capped: BoolArray  # by stage: whether a unit prevents at most one incident
    budget: int
    slack: float
    units: IntArray  # of the present round, by arm

    def carried_over(self) -> tuple[str, ...]:
        """The fields that replications share, since no round changes them."""
        return ("table",)


class Numbers(NamedTuple):
    """The numbers of every stage or situation."""

    loss_rates: FloatArray  # stages x arms
    stakes: FloatArray  # stages x arms
    best_loss: FloatArray  # of every stage
    response: Any  # Steps or InUnits
    remaining: FloatArray  # of the present round
    accuracy: float  # regret below 0 by no more than this is rounding
    overdispersion: float
    counts: bool
    finds: bool


class Staged(NamedTuple):
    """Problems that follow one another."""

    clock: IntArray  # rounds so far, and the present stage
    starts: IntArray  # the first round of every stage
    numbers: Numbers


class Situated(NamedTuple):
    """Problems that alternate by a calendar."""

    clock: IntArray  # rounds so far
    calendar: IntArray  # the situation of successive rounds
    numbers: Numbers


def staged(stages: Stages) -> Staged:
    """The environment of problems that follow one another."""
    starts = np.array([start for start, _ in stages], np.int64)
    return Staged(np.zeros(2, np.int64), starts, _numbers([problem for _, problem in stages]))


def situated(problems: Sequence[Problem], calendar: Sequence[int]) -> Situated:
    """The environment of problems that alternate by a calendar."""
    return Situated(np.zeros(1, np.int64), np.array(calendar, np.int64), _numbers(problems))


def _numbers(problems: Sequence[Problem]) -> Numbers:
    first = problems[0]
    response: Steps | InUnits
    if first.units is None:
        thresholds, leak = np.stack([each.thresholds for each in problems]), [each.leak for each in problems]
        response = Steps(thresholds, np.stack(leak), first.slack)
    else:
        one = len(problems) == 1  # whose table, which may be large, need not be copied
        table = first.table[np.newaxis] if one else np.stack([each.table for each in problems])
        capped = np.array([isinstance(each.response, Capped) for each in problems])
        response = InUnits(table, capped, first.units.budget, first.slack, np.zeros(first.arms, np.int64))
    return Numbers(
        loss_rates=np.stack([each.loss_rates for each in problems]),
        stakes=np.stack([each.stakes for each in problems]),
        best_loss=np.array([each.best.loss for each in problems]),
        response=response,
        remaining=np.zeros(first.arms),
        accuracy=max(each.accuracy for each in problems),
        overdispersion=first.overdispersion,
        counts=first.losses == "counts",
        finds=first.sees == "finds",
    )


@generic
def respond(response: Any, stage: int, allocation: FloatArray, remaining: FloatArray) -> None:
    """Write the share of each loss rate that remains."""


@respond.register
def _respond_in_steps(response: Steps, stage: int, allocation: FloatArray, remaining: FloatArray) -> None:
    for i in range(allocation.size):
        reached = covers(allocation[i], response.thresholds[stage, i], response.slack)
        remaining[i] = response.leak[stage, i] if reached else 1.0


@respond.register
def _respond_in_units(response: InUnits, stage: int, allocation: FloatArray, remaining: FloatArray) -> None:
    if _count_units(response, response.slack, stage, allocation, remaining) > response.budget:
        _count_units(response, 0.0, stage, allocation, remaining)  # as in `Units.within`


@kernel
def _count_units(
    response: InUnits, slack: float, stage: int, allocation: FloatArray, remaining: FloatArray
) -> int:
    full, total = response.table.shape[2] - 1, 0
    for i in range(allocation.size):
        grant = (
            allocation[i] if 0.0 <= allocation[i] <= 2.0 else 0.0
        )  # the simulator checks the allocation later
        units = min(int((grant + slack) * full), full)
        response.units[i] = units
        remaining[i] = response.table[stage, i, units]
        total += units
    return total


@generic
def catch(response: Any, stage: int, arm: int, happened: int, share: float, place: float) -> int:
    """Compute how many incidents the grant of an arm prevents; `share` is the expected share of them."""
    raise NotImplementedError


@catch.register
def _catch_by_chance(response: Steps, stage: int, arm: int, happened: int, share: float, place: float) -> int:
    return binomial_quantile(happened, share, place)


@catch.register
def _catch_in_units(
    response: InUnits, stage: int, arm: int, happened: int, share: float, place: float
) -> int:
    if response.capped[stage]:
        return min(response.units[arm], happened)
    return binomial_quantile(happened, share, place)


@observe.register
def _observe(environment: Staged, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray) -> float:
    clock, starts = environment.clock, environment.starts
    clock[0] += 1
    while clock[1] + 1 < starts.size and starts[clock[1] + 1] <= clock[0]:
        clock[1] += 1
    return _play(environment.numbers, clock[1], uniforms, allocation, losses)


@situation_of.register
def _situation_of(environment: Situated) -> int:
    calendar = environment.calendar
    return calendar[environment.clock[0] % calendar.size]


@observe.register
def _observe_situated(
    environment: Situated, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray
) -> float:
    situation = _situation_of(environment)
    environment.clock[0] += 1
    return _play(environment.numbers, situation, uniforms, allocation, losses)


@lanes  # part of its callers, since handing over all numbers would cost as much as a few arms
def _play(
    numbers: Numbers, stage: int, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray
) -> float:
    """Play a round in one stage or situation: write what it shows, and return its regret."""
    remaining, loss = numbers.remaining, 0.0
    respond(numbers.response, stage, allocation, remaining)
    for i in range(losses.size):
        rate = numbers.loss_rates[stage, i]
        loss += numbers.stakes[stage, i] * remaining[i]
        if numbers.counts:
            happened, place = count_step(rate, numbers.overdispersion, uniforms[i])
            caught = catch(numbers.response, stage, i, happened, 1.0 - remaining[i], place)
            losses[i] = caught if numbers.finds else happened - caught
        else:
            lost = uniforms[i] < rate * remaining[i]
            found = uniforms[i] < rate and not lost
            losses[i] = 1.0 if (found if numbers.finds else lost) else 0.0
    regret = loss - numbers.best_loss[stage]
    return 0.0 if -numbers.accuracy <= regret < 0.0 else regret


@kernel
def binomial_quantile(trials: int, chance: float, u: float) -> int:
    """The smallest count that the successes stay within with more than probability u."""
    if chance > 0.5:  # count the failures instead, whose chances do not vanish
        return trials - _count_up(trials, 1.0 - chance, 1.0 - u, True)
    return _count_up(trials, chance, u, False)


@kernel
def _count_up(trials: int, chance: float, level: float, reaching: bool) -> int:
    """The smallest count whose distribution function exceeds the level, or reaches it."""
    count, here = 0, math.pow(1.0 - chance, trials)
    log_none = trials * math.log1p(-chance)
    if log_none < LEAST_LOG:
        count = first_likely(trials * chance, trials * chance * (1.0 - chance))
        log_ways = math.lgamma(trials + 1.0) - math.lgamma(count + 1.0) - math.lgamma(trials - count + 1.0)
        here = math.exp(log_ways + log_none + count * math.log(chance / (1.0 - chance)))
    total, odds = here, chance / (1.0 - chance)
    while count < trials and (total < level or (total == level and not reaching)):
        count += 1
        here *= odds * (trials - count + 1) / count
        total += here
    return count
