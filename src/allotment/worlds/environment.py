"""The compiled environment of the paper's world, and the protocol `observe` of all environments."""

import math
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.comparisons import covers
from allotment.compiling.decorators import generic, generic_with_default, kernel, lanes
from allotment.worlds.problem import Problem

BELOW_1 = 1.0 - 2.0**-53


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
    """The same with Poisson numbers of losses."""

    loss_rates: FloatArray
    thresholds: FloatArray
    stakes: FloatArray
    best_loss: float
    slack: float


def censored(problem: Problem) -> CensoredLosses | CensoredCounts:
    """The environment of a problem as in the paper: steps, no leak, no unit, and losses are seen."""
    kind = CensoredCounts if problem.losses == "counts" else CensoredLosses
    return kind(
        loss_rates=np.array(problem.loss_rates),
        thresholds=np.array(problem.thresholds),
        stakes=problem.stakes,
        best_loss=problem.best.loss,
        slack=problem.slack,
    )


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
def poisson_step(mean: float, u: float) -> tuple[int, float]:
    """The Poisson quantile of u, and the position of u within that step of the distribution, from 0 to 1."""
    count, chance = 0, math.exp(-mean)
    before, total = 0.0, chance
    while total <= u and (count < mean or chance > 1e-20):  # beyond, u is as good as 1
        count += 1
        chance *= mean / count
        before, total = total, total + chance
    place = (u - before) / chance if chance > 0.0 else 0.0
    return count, min(max(place, 0.0), BELOW_1)


@kernel
def poisson_quantile(mean: float, u: float) -> int:
    """The Poisson quantile of u."""
    return poisson_step(mean, u)[0]


@observe.register
def _observe_counts(
    environment: CensoredCounts, uniforms: FloatArray, allocation: FloatArray, losses: FloatArray
) -> float:
    loss = 0.0
    for i in range(losses.size):
        count = poisson_quantile(environment.loss_rates[i], uniforms[i])
        covered = covers(allocation[i], environment.thresholds[i], environment.slack)
        losses[i] = 0.0 if covered else count
        if not covered:
            loss += environment.stakes[i]
    return loss - environment.best_loss
