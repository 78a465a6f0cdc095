"""What a study asks of a run: the mean regret of one policy at some rounds."""

from collections.abc import Sequence

from allotment.arrays import FloatArray
from allotment.policy import Policy
from allotment.simulation.simulate import simulate
from allotment.worlds.world import World


def mean_regret(
    problem: World,
    policy: Policy,
    rounds: Sequence[int],
    *,
    replications: int,
    seed: int = 0,
    workers: int | None = None,
) -> FloatArray:
    """At each of these rounds, the last of which is the horizon."""
    result = simulate(
        problem,
        policy,
        horizon=rounds[-1],
        replications=replications,
        seed=seed,
        workers=workers,
        record=list(rounds),
        progress=False,
    )
    return result[policy.label].mean
