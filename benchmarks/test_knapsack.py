"""The exact knapsack beside OR-tools, and warm beside cold; `make bench` shows the figures.

The peer gets what the package would have to give it: values and weights times 10⁴, made whole. Both sides of
a comparison take turns within one run, and the ratio of their medians is what is recorded.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pytest
from ortools.algorithms.python import knapsack_solver

from allotment import Cts, Problem
from allotment.compiling.decorators import kernel
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.oracles.knapsack.solve import knapsack
from allotment.oracles.protocol import choose, fit
from allotment.simulation.rollout import Run

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from oracles.knapsack.families import FAMILIES, family, real_family

SCALE = 10_000
TURNS = 9


def peer(values, weights, capacity):
    solver = knapsack_solver.KnapsackSolver(
        knapsack_solver.SolverType.KNAPSACK_MULTIDIMENSION_BRANCH_AND_BOUND_SOLVER, "peer"
    )
    scaled_values = np.rint(values * SCALE).astype(np.int64).tolist()
    scaled_weights = np.ceil(weights * SCALE).astype(np.int64).tolist()
    solver.init(scaled_values, [scaled_weights], [int(capacity * SCALE)])
    solver.solve()
    return [solver.best_solution_contains(i) for i in range(values.size)]


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def take_turns(first, second):
    """The median seconds of two functions that take turns."""
    first(), second()
    times = np.array([(seconds(first), seconds(second)) for _ in range(TURNS)])
    return np.median(times, axis=0)


@pytest.mark.parametrize("items", [20, 100, 1000])
def test_public_function_beside_ortools(benchmark, items):
    rng = np.random.default_rng(items)
    instances = []
    for _ in range(20):
        values, weights = rng.random(items), rng.random(items)
        instances.append((values, weights, float(weights.sum() / 2)))

    def ours():
        for instance in instances:
            knapsack(*instance)

    def theirs():
        for instance in instances:
            peer(*instance)

    mine, other = take_turns(ours, theirs)
    benchmark.extra_info["times faster than OR-tools"] = round(other / mine, 1)
    benchmark.pedantic(ours, rounds=TURNS)


@kernel
def solve_all(oracle, weights, capacity, rounds, chosen, warm):
    """Solve for every row of values, warm or as if each were the first."""
    for t in range(rounds.shape[0]):
        if not warm:
            fit(oracle, weights, capacity)
            oracle.price[:] = 0.0
            for i in range(chosen.size):
                oracle.items[i].previous = False
                oracle.order[i] = i
        choose(oracle, rounds[t], chosen)


@kernel
def take_weights(oracle, weights, capacity):
    fit(oracle, weights, capacity)


@pytest.mark.parametrize("observations", [100, 1000, 10_000])
@pytest.mark.parametrize("items", [20, 100])
def test_kernel_on_drifting_samples_warm_and_cold(benchmark, items, observations):
    """Beta samples as a Thompson sampler draws them after so many observations of each arm."""
    rng = np.random.default_rng(items)
    rounds = 20_000 // items
    oracle, chosen = exact_oracle(items), np.zeros(items, np.bool_)
    ratios, times = [], []
    for share in (0.2, 0.35, 0.5, 0.65, 0.8):
        weights, rates = rng.uniform(0.1, 1.0, items), rng.random(items)
        samples = rng.beta(1 + observations * rates, 1 + observations * (1 - rates), size=(rounds, items))
        capacity = share * float(weights.sum())
        take_weights(oracle, weights, capacity)
        warm, cold = take_turns(
            lambda data=(weights, capacity, samples): solve_all(oracle, *data, chosen, True),
            lambda data=(weights, capacity, samples): solve_all(oracle, *data, chosen, False),
        )
        ratios.append(warm / cold)
        times.append(warm / rounds)
    benchmark.extra_info["warm / cold"] = round(float(np.median(ratios)), 2)
    benchmark.extra_info["microseconds per solve, warm"] = round(1e6 * float(np.median(times)), 2)
    benchmark.pedantic(solve_all, (oracle, weights, capacity, samples, chosen, True), rounds=TURNS)
    assert oracle.unproved[0] == 0


def test_inside_a_cts_run(benchmark):
    """The values that CTS really hands over with 100 arms, in rounds 1 to 5000, solved warm and cold."""
    times, rounds = [], 5000
    for seed in range(15):
        problem = Problem.random(100, seed=seed)
        run = Run(problem, Cts(thresholds=problem.thresholds), rounds, seed, 0)
        stakes, nothing = np.zeros((rounds, problem.arms)), np.zeros(0, np.int64)
        for t in range(rounds):
            run.advance(t + 1, nothing, np.zeros(0))
            stakes[t] = run.learner.state.coverage.stakes
        oracle, chosen = exact_oracle(problem.arms), np.zeros(problem.arms, np.bool_)
        data = (np.array(problem.thresholds), problem.budget, stakes)
        take_weights(oracle, *data[:2])
        warm, cold = take_turns(
            lambda data=data, oracle=oracle, chosen=chosen: solve_all(oracle, *data, chosen, True),
            lambda data=data, oracle=oracle, chosen=chosen: solve_all(oracle, *data, chosen, False),
        )
        times.append((warm, cold))
    warm, cold = np.array(times).T
    ratios = warm / cold
    benchmark.extra_info["warm / cold"] = round(float(np.median(ratios)), 2)
    benchmark.extra_info["warm / cold, from to"] = [
        round(float(end), 2) for end in (min(ratios), max(ratios))
    ]
    benchmark.extra_info["warm / cold, all rounds of all runs"] = round(float(warm.sum() / cold.sum()), 2)
    benchmark.extra_info["microseconds per solve, warm"] = round(1e6 * float(np.median(warm)) / rounds, 2)
    benchmark.pedantic(solve_all, (oracle, *data, chosen, True), rounds=TURNS)


@pytest.mark.parametrize("items", [20, 100])
def test_kernel_on_unrelated_values(benchmark, items):
    rng = np.random.default_rng(items)
    rounds, weights = 20_000 // items, rng.random(items)
    oracle, chosen, values = exact_oracle(items), np.zeros(items, np.bool_), rng.random((rounds, items))
    capacity = float(weights.sum() / 2)
    take_weights(oracle, weights, capacity)
    benchmark.pedantic(
        solve_all, (oracle, weights, capacity, values, chosen, True), rounds=TURNS, warmup_rounds=1
    )
    benchmark.extra_info["microseconds per solve"] = round(1e6 * benchmark.stats["median"] / rounds, 2)


def test_a_million_items(benchmark):
    rng = np.random.default_rng(0)
    values, weights = rng.random(10**6), rng.random(10**6)
    capacity = float(weights.sum() / 2)
    knapsack(values[:100], weights[:100], 10.0)
    selection = benchmark.pedantic(knapsack, (values, weights, capacity), rounds=5)
    assert selection.proved


@pytest.mark.parametrize("maker", [family, real_family])
@pytest.mark.parametrize("name", FAMILIES)
def test_ten_thousand_items_of_each_family(benchmark, name, maker):
    values, weights = maker(name, 10_000, np.random.default_rng(1))
    capacity = float(np.floor(weights.sum() / 2))
    selection = benchmark.pedantic(
        knapsack, (values, weights, capacity), {"time_limit": 4.0}, rounds=1, warmup_rounds=0
    )
    benchmark.extra_info["proved"] = selection.proved
    benchmark.extra_info["relative gap"] = selection.bound / selection.value - 1.0
