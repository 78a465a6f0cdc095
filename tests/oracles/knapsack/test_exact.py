"""The exact knapsack against solvers too simple to be wrong, over all classic families."""

import numpy as np
import pytest
from ortools.algorithms.python import knapsack_solver

from allotment.oracles.knapsack.solve import knapsack
from oracles.knapsack.families import FAMILIES, assert_best, by_enumeration, by_table, family, real_family

SIZES = ((20, 1000), (100, 1000), (1000, 100), (10_000, 20))  # items, and the largest weight
CELLS = 100_000_000  # of a table, at most


def check_against_enumeration(name, seed, items):
    rng = np.random.default_rng(seed)
    for maker in (family, real_family):
        values, weights = maker(name, items, rng)
        for share in (0.05, 0.3, 0.6, rng.random(), 1.0):
            capacity = float(weights.sum()) * share
            best = by_enumeration(values, weights, capacity)
            assert_best(knapsack(values, weights, capacity), values, weights, capacity, best)


@pytest.mark.parametrize("name", FAMILIES)
def test_equals_enumeration(name):
    for seed in range(1, 14):
        check_against_enumeration(name, seed, items=seed)


@pytest.mark.soak
@pytest.mark.parametrize("name", FAMILIES)
def test_equals_enumeration_to_18_items(name):
    for seed in range(100):
        check_against_enumeration(name, seed, items=1 + seed % 18)


def check_against_table(name, items, largest, seed):
    rng = np.random.default_rng(seed)
    values, weights = family(name, items, rng, largest)
    capacity = np.floor(min(weights.sum() * rng.uniform(0.05, 0.95), CELLS / items))
    best = by_table(values, weights, capacity)
    assert_best(knapsack(values, weights, float(capacity)), values, weights, capacity, best)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("items", "largest"), SIZES)
def test_equals_the_table(name, items, largest):
    for seed in range({20: 10, 100: 5}.get(items, 1)):
        check_against_table(name, items, largest, seed)


@pytest.mark.soak
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("items", "largest"), SIZES)
def test_equals_the_table_often(name, items, largest):
    for seed in range({20: 200, 100: 100, 1000: 20}.get(items, 5)):
        check_against_table(name, items, largest, 1000 + seed)


def ortools(values, weights, capacity):
    solver = knapsack_solver.KnapsackSolver(
        knapsack_solver.SolverType.KNAPSACK_DYNAMIC_PROGRAMMING_SOLVER, "peer"
    )
    solver.init(values.astype(int).tolist(), [weights.astype(int).tolist()], [int(capacity)])
    return float(solver.solve())


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in ("circle", "similar weights")])
def test_equals_ortools_on_integers(name):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        for items in (20, 100):
            values, weights = family(name, items, rng)
            capacity = float(np.floor(weights.sum() / 2))
            best = ortools(values, weights, capacity)
            assert_best(knapsack(values, weights, capacity), values, weights, capacity, best)


@pytest.mark.parametrize("seed", range(3))
def test_scaling_as_in_the_paper_would_lose_what_this_finds(seed):
    rng = np.random.default_rng(seed)
    values, weights = rng.random(16), rng.random(16)
    capacity = float(weights.sum() / 3)
    best = by_enumeration(values, weights, capacity)
    assert_best(knapsack(values, weights, capacity), values, weights, capacity, best)
    scaled = knapsack(values, np.ceil(weights * 10) / 10, capacity)
    assert scaled.value < best
