"""The two instances of section 5, as printed, and the second with a budget that makes it learnable."""

from collections.abc import Iterator

from allotment.policies.csb_dt import CsbDt
from allotment.policies.csb_dt_ucb import CsbDtUcb
from allotment.policies.csb_st import CsbSt
from allotment.problem import Problem
from allotment.simulation.result import Result
from allotment.simulation.simulate import simulate


def instances(replications: int, seed: int) -> Iterator[tuple[str, Result]]:
    """Each instance's title and result, one after the other."""
    first, second = Problem.named("paper-1"), Problem.named("paper-2")
    roomier = Problem(second.loss_rates, second.thresholds, 2.05)
    different = CsbDt(), CsbDtUcb()
    for title, problem, policies, horizon in (
        ("Instance 1: one threshold for all arms", first, (CsbSt(),), 10_000),
        ("Instance 2: different thresholds (hopeless as printed)", second, different, 5_000),
        ("Instance 2 with a budget of 2.05", roomier, different, 5_000),
    ):
        yield title, simulate(problem, policies, horizon=horizon, replications=replications, seed=seed)
