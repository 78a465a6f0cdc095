"""LIZARD's bounds and the greedy rule, against their definitions."""

import numpy as np
import pytest

import allotment as al
from allotment.compiling.switches import interpreting
from allotment.policies.lizard import LipschitzBound, _bound_arm

UNITS = 5


def lizard_bounds(pre_index, steepest):
    """The definition: each amount's bound, tightened by those of all others. Here lower is optimistic."""
    amounts = np.arange(pre_index.size) / (pre_index.size - 1)
    falls = np.maximum(0.0, amounts[:, np.newaxis] - amounts) * steepest
    return (pre_index - falls).max(axis=1)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_lizard_limit_each_other(seed):
    rng = np.random.default_rng(seed)
    curve, steepest = rng.uniform(-2, 1, UNITS + 1), float(rng.uniform(0.1, 5))
    expected = lizard_bounds(curve, steepest)
    with interpreting():
        _bound_arm(LipschitzBound(0.5, steepest / UNITS), curve)
    np.testing.assert_allclose(curve, expected, rtol=1e-12)


def test_lizard_grants_what_its_bounds_say():
    """Two arms, one unit left over: the arm with the higher bound gets it."""
    rows = [(0, 0.0, 50, 0), (0, 0.5, 100, 60), (1, 0.0, 50, 0), (1, 0.5, 100, 30)]
    evidence = al.Evidence(2, rows, sees="finds")
    policy = al.Lizard(unit=0.5, sees="finds", steepest=4.0)
    assert policy.start(2, 0.5, seed=0, evidence=evidence).ask().tolist() == [0.5, 0.0]
    # After fewer rounds, the second arm's bound is higher: 0.4 + √(log(10)/2/5) > 0.6 + √(log(10)/2/100).
    few = al.Evidence(2, [*rows[:3], (1, 0.5, 5, 2)], sees="finds")
    assert policy.start(2, 0.5, seed=0, evidence=few).ask().tolist() == [0.0, 0.5]


@pytest.mark.parametrize("sees", ["losses", "finds"])
def test_the_greedy_rule_maximises_means_with_one_round_in_advance(sees):
    rng = np.random.default_rng(7)
    for _ in range(20):
        rounds = rng.integers(0, 30, (3, UNITS + 1))
        events = rng.binomial(rounds, rng.uniform(0, 1, rounds.shape))
        rows = [
            (arm, u / UNITS, int(rounds[arm, u]), int(events[arm, u]))
            for arm in range(3)
            for u in range(UNITS + 1)
            if rounds[arm, u]
        ]
        learner = al.GreedyPairs(unit=1 / UNITS, sees=sees).start(
            3, 1.2, seed=0, evidence=al.Evidence(3, rows, sees=sees)
        )
        worth = (events + 1.0) / (rounds + 1.0) if sees == "finds" else -events / (rounds + 1.0)
        if sees == "finds":
            worth[:, 0] = 0.0
        units = np.round(learner.ask() * UNITS).astype(int)
        best = al.allocate((worth - worth.min()).tolist(), 6)
        assert worth[range(3), units].sum() == pytest.approx(best.value + 3 * worth.min())
