"""One replication in full: every grant and every loss of every round."""

from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import whole
from allotment.errors import InputError
from allotment.policy import Policy
from allotment.simulation.progress import Progress
from allotment.simulation.rollout import Run
from allotment.worlds.world import World, checked_world

LARGEST = 2**27  # grants that a trace may hold: a gigabyte


@dataclass(frozen=True, eq=False)
class Trace:
    """What happened, round by round."""

    allocations: FloatArray  # rounds x arms
    losses: FloatArray  # rounds x arms: 1 where a loss (or a find) was seen, or how many
    regret: FloatArray  # cumulative


def trace(problem: World, policy: Policy, *, horizon: int, seed: int, replication: int = 0) -> Trace:
    """Replay one replication of `simulate` with the same seed, and keep everything."""
    horizon = whole("horizon", horizon, least=1)
    most = LARGEST // checked_world(problem).arms
    if horizon > most:
        raise InputError.of("horizon", horizon, f"at most {most}, since everything is kept in memory")
    if not isinstance(policy, Policy):
        raise InputError.of("policy", policy, "a policy")
    run = Run(
        problem, policy, horizon, whole("seed", seed, least=0), whole("replication", replication, least=0)
    )
    rounds, regret = np.arange(1, horizon + 1), np.zeros(horizon)
    allocations, losses = np.zeros((horizon, problem.arms)), np.zeros((horizon, problem.arms))
    with Progress(horizon, text="replaying") as bar:
        for t in range(horizon):
            run.advance(t + 1, rounds[t : t + 1], regret[t : t + 1])
            allocations[t], losses[t] = run.learner.allocation, run.losses
            if t % 1000 == 0:
                bar.set(t)
    return Trace(allocations, losses, regret)
