"""The world that policies face, compiled: what is seen, and what it costs."""

from typing import Any, NamedTuple

import numpy as np

from allotment.checks import FloatArray
from allotment.compiling import generic
from allotment.kernels.comparing import covers
from allotment.problem import Problem


@generic
def observe(environment: Any, rng: Any, allocation: FloatArray, losses: FloatArray) -> float:
    """Play one round: write the losses that are seen, and return the regret in expectation."""
    raise NotImplementedError


class CensoredLosses(NamedTuple):
    """The paper's environment: Bernoulli losses, hidden where the grant reaches the threshold."""

    loss_rates: FloatArray
    thresholds: FloatArray
    stakes: FloatArray  # severity x loss rate
    best_loss: float
    slack: float


def censored_losses(problem: Problem) -> CensoredLosses:
    """The environment of a problem."""
    return CensoredLosses(
        loss_rates=np.array(problem.loss_rates),
        thresholds=np.array(problem.thresholds),
        stakes=problem.severities * problem.loss_rates,
        best_loss=problem.best.loss,
        slack=problem.slack,
    )


@observe.register
def _observe(environment: CensoredLosses, rng: Any, allocation: FloatArray, losses: FloatArray) -> float:
    loss = 0.0
    for i in range(losses.size):
        # One uniform per arm and round, looked at or not: all policies of a run face the same losses.
        happens = rng.random() < environment.loss_rates[i]
        covered = covers(allocation[i], environment.thresholds[i], environment.slack)
        losses[i] = 1.0 if happens and not covered else 0.0
        if not covered:
            loss += environment.stakes[i]
    return loss - environment.best_loss
