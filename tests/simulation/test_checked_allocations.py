"""The simulator believes no allocation: what may not be granted ends the run, and no number comes out."""

import concurrent.futures
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from allotment import (
    Cts,
    EqualSplit,
    InfeasibleError,
    InputError,
    Policy,
    Problem,
    Setting,
    ask,
    simulate,
    tell,
    trace,
)
from contracts.worlds import DoorWorld

PROBLEM = Problem([0.9, 0.8, 0.7, 0.6], 0.5, 2.3)
RUN = {"horizon": 2000, "replications": 3, "seed": 1}


class Odd(NamedTuple):
    """Grants `amount` to the first arm, and `rest` to the others, after so many losses."""

    amount: float
    rest: float
    after: int
    losses: np.ndarray


@ask.register
def _ask(state: Odd, rng, allocation):
    allocation[:] = 0.0
    if state.losses[0] >= state.after:
        allocation[:] = state.rest
        allocation[0] = state.amount


@tell.register
def _tell(state: Odd, allocation, losses):
    state.losses[0] += losses.sum()


@dataclass(frozen=True)
class OddOne(Policy):
    family = "Odd one"
    amount: float = 1.0
    rest: float = 1.0
    after: int = 0

    def state(self, setting: Setting):
        return Odd(self.amount, self.rest, self.after, np.zeros(1))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            OddOne(),
            r"Odd one in round 1 of replication \d granted 4 in all: allocation adds up to 4; expected at "
            "most the budget, 2.3",
        ),
        (OddOne(float("nan"), 0.0), r"round 1 of replication \d granted nan in all: allocation\[0\] is nan"),
        (OddOne(float("inf"), 0.0), r"granted inf in all: allocation\[0\] is inf; expected numbers between"),
        (OddOne(-0.5, 0.1), r"allocation\[0\] is -0.5; expected numbers between 0 and 1"),
        (OddOne(1.5, 0.1), r"granted 1.8 in all: allocation\[0\] is 1.5; expected numbers between 0 and 1"),
        (OddOne(0.575 + 1e-11, 0.575), "granted 2.30000000001 in all: allocation adds up to 2.30000000001"),
        (OddOne(after=300), r"Odd one in round \d\d\d? of replication \d granted 4 in all"),
    ],
)
def test_what_may_not_be_granted_ends_the_run(policy, message):
    with pytest.raises(InfeasibleError, match=message):
        simulate(PROBLEM, [EqualSplit(), policy], **RUN)
    with pytest.raises(InfeasibleError, match=message):
        trace(PROBLEM, policy, horizon=2000, seed=1)


def test_the_replication_is_named():
    with pytest.raises(InfeasibleError, match="of replication 1 granted 4"):
        trace(PROBLEM, OddOne(after=1), horizon=2000, seed=1, replication=1)


def test_other_processes_say_the_same():
    with concurrent.futures.ProcessPoolExecutor(1) as processes, pytest.raises(InfeasibleError, match="4 in"):
        simulate(PROBLEM, OddOne(after=300), executor=processes, **RUN)


@pytest.mark.parametrize(
    ("problem", "policy"),
    [
        (PROBLEM, OddOne(0.575 + 5e-13, 0.575)),
        (PROBLEM, OddOne(-0.0, 0.1)),
        (Problem([0.5] * 3, 0.5, 3.0), OddOne()),
        (Problem([0.5] * 3, 0.5, 50.0), OddOne()),
        (Problem([0.5] * 100_000, 0.5, 1.0), EqualSplit()),  # whose sum, added one by one, is off by 2e-12
        (Problem([0.5] * 100_000, 0.5, 3.0), EqualSplit()),
        (Problem([0.5] * 7, 0.5, 0.0), EqualSplit()),
    ],
)
def test_what_is_within_the_tolerance_may_be_granted(problem, policy):
    simulate(problem, policy, horizon=3, replications=1, seed=1)


def test_a_regret_below_0_says_that_the_best_of_a_world_is_not_the_best():
    world = DoorWorld((1, 5, 7))
    with pytest.raises(
        InputError, match=r"DoorWorld gives CTS in round \d+ of replication 0 a regret of -0.05"
    ):
        simulate(world, Cts(thresholds=world.thresholds), horizon=500, replications=1, seed=0, progress=False)
