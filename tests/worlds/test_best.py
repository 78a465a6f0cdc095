"""The best allocation of every kind of world: equal to brute force, and beaten by nothing."""

import itertools
import math

import numpy as np
import pytest

from allotment import Exponential, Linear, Problem, Step
from allotment.worlds.environment import observe
from allotment.worlds.responses import RESPONSES

KINDS = [kind for kind in RESPONSES if kind != "capped"]  # whose curve does not depend on loss rates


def brute_force(problem, units):
    """The least loss over all ways to grant whole units."""
    budget = math.floor((problem.budget + 1e-12) * units)
    stakes = problem.severities * problem.loss_rates
    left = stakes[:, np.newaxis] * problem.response.table(problem.arms, units, 1e-12)
    return min(
        math.fsum(left[i, u] for i, u in enumerate(chosen))
        for chosen in itertools.product(range(units + 1), repeat=problem.arms)
        if sum(chosen) <= budget
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_the_best_equals_brute_force(kind, seed):
    stream = np.random.default_rng(seed)
    arms, units = int(stream.integers(1, 5)), int(stream.choice([1, 4, 5, 8]))
    drawn = Problem.random(arms, seed=seed, response=kind, leak=float(stream.choice([0.0, 0.3])))
    budget = float(stream.choice([0.0, 0.05, 0.4, 0.7, 1.3, arms, arms + 3.0]))
    problem = Problem(
        drawn.loss_rates,
        budget=budget,
        response=drawn.response,
        unit=1.0 / units,
        severities=stream.uniform(0.5, 3.0, arms),
    )
    assert problem.best.loss == pytest.approx(brute_force(problem, units), abs=1e-12)
    assert problem.regret(problem.best.allocation) == 0.0
    assert observe(problem.environment(), np.full(arms, 0.5), problem.best.allocation, np.zeros(arms)) == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_no_random_allocation_beats_it(kind):
    problem = Problem.random(40, seed=4, response=kind, unit=0.05, leak=0.05)
    stream = np.random.default_rng(1)
    for k in range(10_000):
        grants = stream.random(problem.arms) ** stream.integers(1, 6)
        grants *= min(1.0, problem.budget / grants.sum())
        if k % 2:  # most of what is granted is then of use
            grants = np.floor(grants * 20) / 20
            grants[stream.integers(problem.arms)] += problem.budget - grants.sum()
            grants = np.minimum(grants, 1.0)
        assert problem.regret(grants) >= -1e-12


@pytest.mark.parametrize("leak", [0.0, 0.2, [0.1, 0.0, 0.9, 0.3]])
def test_steps_without_a_unit_are_exact_with_a_leak_too(leak):
    problem = Problem([0.9, 0.6, 0.8, 0.4], budget=1.2, response=Step([0.5, 0.3, 0.2, 0.7], leak))
    shares = 1.0 - np.broadcast_to(leak, 4)
    best = min(
        problem.loss_rates.sum() - sum(problem.loss_rates[i] * shares[i] for i in chosen)
        for size in range(5)
        for chosen in itertools.combinations(range(4), size)
        if sum(problem.thresholds[list(chosen)]) <= 1.2 + 1e-12
    )
    assert problem.best.loss == pytest.approx(best, abs=1e-12)
    assert problem.regret(problem.best.allocation) == 0.0


def test_steps_in_units_are_covered_at_the_next_unit():
    problem = Problem([0.9, 0.6], [0.31, 0.5], 0.95, unit=0.1)
    assert problem.best.covered.tolist() == [True, True]
    assert problem.best.allocation.tolist() == [0.4, 0.5]
    assert problem.best.hopeless
    assert problem.remaining([0.39, 0.5]).tolist() == [1.0, 0.0]


def test_the_tolerance_is_not_spent_on_every_arm():
    """Ten grants that each lack a little of a unit, and a budget that lacks more than the tolerance."""
    problem = Problem([0.5] * 10, budget=0.1 - 9e-12, response=Linear(0.01), unit=0.01)
    grants = np.full(10, 0.01 - 9e-13)
    assert problem.best.loss == pytest.approx(0.5)
    assert problem.regret(grants) >= 0.0
    assert observe(problem.environment(), np.full(10, 0.5), grants, np.zeros(10)) >= 0.0
    plenty = Problem([0.5] * 10, budget=0.1, response=Linear(0.01), unit=0.01)
    assert plenty.regret(grants) == 0.0


@pytest.mark.parametrize("severity", [1.0, 1e6, 1e50])
def test_regret_is_never_negative_however_unlike_the_stakes(severity):
    problem = Problem(
        [1.0, 5e-7, 0.3], budget=0.5, response=Exponential(0.1), unit=0.1, severities=[severity, 1.0, 1.0]
    )
    for grants in itertools.product(np.arange(6) / 10, repeat=3):
        if sum(grants) <= 0.5:
            assert problem.regret(grants) >= -1e-12
