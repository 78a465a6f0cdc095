"""The allocation in whole units beside CP-SAT and HiGHS, and at the sizes it is made for; `make bench` shows.

All solvers get the same table of values; CP-SAT gets it times 10⁶ and made whole. All sides of a comparison
take turns within one run, and the ratio of their medians is what is recorded. A peer's time includes
stating the problem to it, as a program would have to for every new table.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from allotment.compiling.decorators import kernel
from allotment.oracles.shares.allocate import allocate
from allotment.oracles.shares.share_arrays import allocator
from allotment.oracles.shares.size import CELLS
from allotment.oracles.shares.solver import share_out, share_out_in_groups

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from oracles.curves import SHAPES, curves
from oracles.test_allocate import with_cp_sat, with_highs

TURNS = 9
SOLVES = 300
REAL = [shape for shape in SHAPES if shape not in ("whole", "correlated")]


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


@kernel
def solve_all(memory, rounds, picks):
    for t in range(rounds.shape[0]):
        share_out(memory, rounds[t], picks[t])


@kernel
def solve_all_in_groups(memory, rounds, picks):
    for t in range(rounds.shape[0]):
        share_out_in_groups(memory, rounds[t], picks[t])


def memory_for(arms, units, budget, group=None, limits=None):
    group = np.full(arms, -1) if group is None else group
    limits = np.zeros((0, 2), np.int64) if limits is None else limits
    return allocator(units + 1, budget, np.zeros(arms, np.int64), np.full(arms, units), group, limits, CELLS)


@pytest.mark.parametrize("shape", SHAPES)
def test_kernel_on_unrelated_curves(benchmark, shape):
    rng = np.random.default_rng(1)
    rounds = np.stack([curves(shape, 20, 20, rng) for _ in range(SOLVES)])
    memory, picks = memory_for(20, 20, 80), np.zeros((SOLVES, 20), np.int64)
    benchmark.pedantic(solve_all, (memory, rounds, picks), rounds=5 * TURNS, warmup_rounds=1)
    benchmark.extra_info["microseconds per solve"] = round(1e6 * benchmark.stats["median"] / SOLVES, 2)
    assert memory.unproved[0] == 0


@pytest.mark.parametrize("shape", REAL)
def test_kernel_with_groups(benchmark, shape):
    rng = np.random.default_rng(1)
    rounds = np.stack([curves(shape, 20, 20, rng) for _ in range(SOLVES)])
    limits = np.array([[10, 20], [0, 15], [25, 60]])
    memory = memory_for(20, 20, 80, np.arange(20) % 4 - 1, limits)
    picks = np.zeros((SOLVES, 20), np.int64)
    benchmark.pedantic(solve_all_in_groups, (memory, rounds, picks), rounds=TURNS, warmup_rounds=1)
    benchmark.extra_info["microseconds per solve"] = round(1e6 * benchmark.stats["median"] / SOLVES, 2)
    assert memory.unproved[0] == 0


@pytest.mark.parametrize("shape", REAL)
def test_kernel_and_public_function_beside_peers(benchmark, shape):
    rng = np.random.default_rng(2)
    tables = np.stack([curves(shape, 20, 20, rng) for _ in range(5 * TURNS)])
    memory, picks = memory_for(20, 20, 80), np.zeros((len(tables), 20), np.int64)
    solve_all(memory, tables, picks)
    none, top = np.zeros(20, np.int64), np.full(20, 20)
    allocate(tables[0], 80)
    times = np.array(
        [
            (
                seconds(solve_all, memory, tables, picks) / len(tables),
                seconds(lambda: [allocate(each, 80) for each in tables]) / len(tables),
                seconds(with_cp_sat, np.rint(table * 1e6), 80, none, top, {}),
                seconds(with_highs, table, 80, none, top, {}),
            )
            for table in tables[:TURNS]
        ]
    )
    compiled, ours, cp_sat, highs = np.median(times, axis=0)
    for name, peer in (("CP-SAT", cp_sat), ("HiGHS", highs)):
        benchmark.extra_info[f"kernel, times faster than {name}"] = round(peer / compiled)
        benchmark.extra_info[f"function, times faster than {name}"] = round(peer / ours)
    benchmark.pedantic(lambda: [allocate(table, 80) for table in tables], rounds=TURNS)


def some_groups(shares, count, rng):
    """Limits that bind: caps below and floors above what arms get without them."""
    groups = {}
    for k, members in enumerate(np.array_split(rng.permutation(shares.units.size), count)):
        total = int(shares.units[members].sum())
        low, high = [(0, total * 9 // 10), (total * 11 // 10, None), (total, total), (0, None)][k % 4]
        groups[k] = (members.tolist(), low, high)
    return groups


@pytest.mark.parametrize("shape", REAL)
@pytest.mark.parametrize(("arms", "count"), [(1000, 10), (100_000, 100)])
def test_many_arms_with_and_without_groups(benchmark, shape, arms, count):
    rng = np.random.default_rng(3)
    values, budget = curves(shape, arms, 20, rng), 5 * arms
    shares = benchmark.pedantic(allocate, (values, budget), rounds=5, warmup_rounds=1)
    benchmark.extra_info["proved"] = shares.proved
    groups = some_groups(shares, count, rng)
    allocate(values[:30], 100, groups={"a": ([0, 1], 3, 5)})
    times = [seconds(lambda: allocate(values, budget, groups=groups)) for _ in range(3)]
    grouped = allocate(values, budget, groups=groups)
    benchmark.extra_info["milliseconds with groups"] = round(1e3 * float(np.median(times)), 1)
    benchmark.extra_info["proved with groups"] = grouped.proved


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_crews_and_moves_beside_none(benchmark, shape, grouped):
    """What arms had is the best allocation of values that differ a little; the ratio is to be at most 3.

    The two take turns table by table, and the best turn of each counts: a solve takes some 20 µs, and other
    programs of a busy machine interrupt some of them for milliseconds.
    """
    rng, crew = np.random.default_rng(4), np.where(np.arange(60) % 2 == 0, 2, 0)
    groups = {k: (list(range(20 * k, 20 * k + 20)), 15, 22) for k in range(3)} if grouped else None
    tables = [curves(shape, 60, 6, rng) for _ in range(100)]
    had = [
        allocate(table + 0.2 * table.std() * rng.normal(size=table.shape), 60, groups=groups, crew=crew).units
        for table in tables
    ]

    def free(table, _):
        return allocate(table, 60, groups=groups)

    def calm(table, before):
        return allocate(table, 60, groups=groups, crew=crew, before=before, moves=8)

    cases = list(zip(tables, had, strict=True))
    binding = np.mean([free(*case).value > calm(*case).value for case in cases])
    turns = [[(seconds(free, *case), seconds(calm, *case)) for case in cases] for _ in range(TURNS)]
    best = np.min(turns, axis=0)
    ratio = best[:, 1].sum() / best[:, 0].sum()
    benchmark.extra_info["times as long with crews and moves"] = round(float(ratio), 2)
    benchmark.extra_info["median over tables"] = round(float(np.median(best[:, 1] / best[:, 0])), 2)
    benchmark.extra_info["share of cases in which they bind"] = round(float(binding), 2)
    benchmark.pedantic(lambda: [calm(*case) for case in cases], rounds=3)
    assert all(calm(*case).proved for case in cases)
