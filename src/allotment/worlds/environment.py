"""The compiled environment of the paper's world, and the protocol `observe` of all environments."""

import math
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.comparisons import covers
from allotment.compiling.decorators import generic, generic_with_default, kernel, lanes
from allotment.worlds.problem import Problem
from allotment.worlds.responses import NEGLIGIBLE

BELOW_1 = 1.0 - 2.0**-53
LEAST_LOG = -700.0  # of a chance: with less, its exponential is nearly 0
UNLIKELY = 9.13  # standard deviations below the mean: √(2 log 2⁶⁰)


@generic
def observe(environment: Any, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray) -> float:
    """Play one round: write the observed losses, and return the expected regret of the allocation.

    All randomness comes from `uniforms`, so all policies of a run face the same luck. To write a world of
    your own, register a kernel for the class of its environment with `@observe.register`.

    Parameters
    ----------
    environment : NamedTuple
        The state of the world in one replication.
    uniforms : FloatArray
        A uniform random number for each arm. It is the same whatever the policy grants.
    allocation : FloatArray
        The grant of each arm.
    losses : FloatArray
        Where to write the losses (or finds) that the round shows.

    Returns
    -------
    float
        The expected cost of this round beyond the cost of the best allocation.
    """
    raise NotImplementedError


@generic_with_default
def situation_of(environment: Any) -> int:
    """Get the situation of the round that follows. Worlds with several situations register a kernel for it.

    It runs before the policy decides. It must not change the environment.

    Parameters
    ----------
    environment : NamedTuple
        The state of the world in one replication.

    Returns
    -------
    int
        The situation, counted from 0.
    """
    return 0


class CensoredLosses(NamedTuple):
    """The paper's environment: Bernoulli losses, hidden where the grant reaches the threshold."""

    loss_rates: FloatArray
    thresholds: FloatArray
    stakes: FloatArray  # severity x loss rate
    best_loss: float
    slack: float


class CensoredCounts(NamedTuple):
    """The same with counts of losses."""

    loss_rates: FloatArray
    thresholds: FloatArray
    stakes: FloatArray
    best_loss: float
    slack: float
    overdispersion: float


def censored(problem: Problem) -> CensoredLosses | CensoredCounts:
    """The environment of a problem as in the paper: steps, no leak, no unit, and losses are seen."""
    numbers = CensoredLosses(
        loss_rates=np.array(problem.loss_rates),
        thresholds=np.array(problem.thresholds),
        stakes=problem.stakes,
        best_loss=problem.best.loss,
        slack=problem.slack,
    )
    return CensoredCounts(*numbers, problem.overdispersion) if problem.losses == "counts" else numbers


@observe.register
@lanes
def _observe(
    environment: CensoredLosses, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray
) -> float:
    loss = 0.0
    for i in range(losses.size):  # without branches, so that arms go several at once
        uncovered = not covers(allocation[i], environment.thresholds[i], environment.slack)
        losses[i] = 1.0 if uncovered & (uniforms[i] < environment.loss_rates[i]) else 0.0
        loss += environment.stakes[i] if uncovered else 0.0
    return loss - environment.best_loss


@kernel
def count_step(mean: float, overdispersion: float, u: float) -> tuple[int, float]:
    """The quantile of u of a count, and the position of u within that step of the distribution, from 0 to 1.

    The count is Poisson, or negative binomial with variance mean + overdispersion · mean².
    """
    excess = overdispersion * mean
    poisson = excess < NEGLIGIBLE
    log_none = -mean if poisson else -math.log1p(excess) / overdispersion
    odds = mean / (1.0 + excess)
    count, chance = 0, math.exp(log_none)
    if log_none < LEAST_LOG:
        count = first_likely(mean, mean * (1.0 + excess))
        log_chance = log_none + count * math.log(odds) - math.lgamma(count + 1.0)
        if not poisson:
            size = 1.0 / overdispersion
            log_chance += math.lgamma(count + size) - math.lgamma(size) - count * math.log(size)
        chance = math.exp(log_chance)
    before, total = 0.0, chance
    while total <= u and (count < mean or chance > 1e-20):  # beyond, u is as good as 1
        count += 1
        chance *= odds * (1.0 + overdispersion * (count - 1)) / count
        before, total = total, total + chance
    place = (u - before) / chance if chance > 0.0 else 0.0
    return count, min(max(place, 0.0), BELOW_1)


@kernel
def first_likely(mean: float, variance: float) -> int:
    """A count that fewer are as good as impossible, for counts of which none is too unlikely to compute.

    A Chernoff bound: fewer have a probability below 2⁻⁶⁰ if the count is binomial, Poisson or overdispersed.
    """
    return max(0, math.floor(mean - UNLIKELY * math.sqrt(variance)))


@observe.register
def _observe_counts(
    environment: CensoredCounts, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray
) -> float:
    loss = 0.0
    for i in range(losses.size):
        count = count_step(environment.loss_rates[i], environment.overdispersion, uniforms[i])[0]
        covered = covers(allocation[i], environment.thresholds[i], environment.slack)
        losses[i] = 0.0 if covered else count
        if not covered:
            loss += environment.stakes[i]
    return loss - environment.best_loss
