"""The allocation in whole units at the edges: ties, extremes of scale, limits, bad input, little memory."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from allotment.compiling.decorators import kernel
from allotment.errors import InputError
from allotment.oracles.shares.allocate import allocate
from allotment.oracles.shares.share_arrays import allocator
from allotment.oracles.shares.size import CELLS
from allotment.oracles.shares.solver import share_out, share_out_in_groups
from oracles.curves import SHAPES, assert_best, by_table, curves


@pytest.mark.parametrize(
    ("values", "budget", "limits", "expected"),
    [
        ([[0.0, 1.0]], 0, {}, [0]),
        ([[5.0]], 3, {}, [0]),
        ([[0.0, -1.0, -2.0]], 9, {}, [0]),
        ([[0.0, -1.0, -2.0]], 9, {"least": 1}, [1]),
        ([[-3.0, -1.0, -2.0]], 9, {}, [1]),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], 3, {}, [0, 0]),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], 3, {"groups": {"a": ([1], 2, 2)}}, [0, 2]),
        ([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]], 2, {}, [0, 2]),
        ([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]], 2, {"most": [9, 1]}, [2, 0]),
        ([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]], 2, {"least": [1, 0]}, [2, 0]),
        ([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]], 9, {"groups": {"all": ([0, 1], 3, 3)}}, [1, 2]),
        ([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]], 9, {"groups": {"all": ([0, 1], None, 1)}}, [1, 0]),
        ([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]], 9, {"groups": {"none": ([], 0, 0)}}, [2, 2]),
        ([[0.0, -1.0, -2.0], [0.0, 0.0, 3.0]], 9, {"groups": {0: ([0], 2, None)}}, [2, 2]),
        ([[0, 1, 2], [0, 0, 3]], np.int64(4), {"most": np.array(1)}, [1, 0]),
        ([[0.0, 1e300, 1.5e300], [0.0, 1e300, 3e300]], 2, {}, [0, 2]),
        ([[0.0, 1e-310, 2e-310], [0.0, 0.0, 3e-310]], 2, {}, [0, 2]),
    ],
)
def test_small_cases(values, budget, limits, expected):
    shares = allocate(values, budget, **limits)
    assert shares.units.tolist() == expected
    assert shares.units.dtype == np.int64
    assert shares.proved
    assert shares.value <= shares.bound


def test_a_worth_too_large_for_a_number_is_infinite():
    shares = allocate([[0.0, 1.7e308], [0.0, 1.7e308]], 2)
    assert shares.units.tolist() == [1, 1]
    assert shares.value == shares.bound == math.inf


def test_any_layout_of_the_table_will_do():
    rng = np.random.default_rng(1)
    values = rng.random((6, 5))
    best = allocate(values, 7)
    for same in (
        np.asfortranarray(values),
        values.tolist(),
        values[::-1][::-1],
        np.repeat(values, 2, axis=0)[::2],
    ):
        assert allocate(same, 7).units.tolist() == best.units.tolist()
    values.setflags(write=False)
    assert allocate(values, 7).value == best.value
    assert allocate(np.float32(values), 7).proved


def test_ties_are_broken_alike_every_time_and_units_worth_nothing_are_kept():
    values = np.tile([0.0, 1.0, 2.0, 2.0], (50, 1))
    first = allocate(values, 33)
    assert first.value == 33.0
    assert all(allocate(values, 33).units.tolist() == first.units.tolist() for _ in range(3))
    assert allocate(values, 1000).units.tolist() == [2] * 50


@pytest.mark.parametrize("height", [0.37, 0.1, 1.0, 7.0])
@pytest.mark.parametrize("arms", [50, 3000])
def test_many_arms_that_are_all_alike(arms, height):
    values = np.where(np.arange(21) >= 7, height, 0.0) * np.ones((arms, 1))
    shares = allocate(values, 4 * arms + 5)
    assert shares.value == pytest.approx(height * ((4 * arms + 5) // 7), rel=1e-12)


@kernel
def solve_all(memory, rounds, picks):
    for t in range(rounds.shape[0]):
        share_out(memory, rounds[t], picks[t])


@kernel
def solve_all_in_groups(memory, rounds, picks):
    for t in range(rounds.shape[0]):
        share_out_in_groups(memory, rounds[t], picks[t])


def test_the_kernel_solves_round_after_round_for_any_budget():
    rng = np.random.default_rng(2)
    least, most, group = np.array([0, 1, 0, 0, 2, 0]), np.full(6, 8), np.array([0, -1, 0, 1, 1, -1])
    limits = np.array([[3, 5], [2, 7]])
    groups = {"a": ([0, 2], 3, 5), "b": ([3, 4], 2, 7)}
    alone = allocator(9, 20, least, most, np.full(6, -1), np.zeros((0, 2), np.int64), CELLS)
    grouped = allocator(9, 20, least, most, group, limits, CELLS)
    rounds = np.stack([curves(shape, 6, 8, rng) for shape in SHAPES for _ in range(5)])
    picks = np.zeros((len(rounds), 6), np.int64)
    for budget in (20, 9, 14):
        alone.budget[0] = grouped.budget[0] = budget
        solve_all(alone, rounds, picks)
        for values, units in zip(rounds, picks, strict=True):
            best = by_table(values, budget, least, most, {})
            assert values[np.arange(6), units].sum() == pytest.approx(best, rel=1e-12, abs=1e-12)
        solve_all_in_groups(grouped, rounds, picks)
        for values, units in zip(rounds, picks, strict=True):
            best = by_table(values, budget, least, most, groups)
            assert values[np.arange(6), units].sum() == pytest.approx(best, rel=1e-12, abs=1e-12)
    assert alone.unproved[0] == grouped.unproved[0] == 0


def hard(arms):
    """Many arms whose best amounts are worth about the same per unit, and do not add up to the budget."""
    rng = np.random.default_rng(arms)
    values = np.where(np.arange(21) >= 20, 1.0 + 1e-3 * rng.random((arms, 1)), (np.arange(21) / 20.0) ** 2)
    return values, 4 * arms + 5


@pytest.mark.parametrize("groups", [None, {"a": (list(range(500)), 2100, 2900), "b": ([700, 701], 7, 9)}])
def test_a_time_limit_ends_the_search_honestly(groups):
    values, budget = hard(1000)
    best = allocate(values, budget, groups=groups)
    shares = allocate(values, budget, groups=groups, time_limit=1e-4)
    assert not shares.proved
    assert shares.units.sum() <= budget
    assert shares.value <= best.bound
    assert best.value <= shares.bound
    for members, low, high in (groups or {}).values():
        assert low <= shares.units[members].sum() <= high


@pytest.mark.parametrize("cells", [16, 200, 1000, 5000, 50_000])
def test_little_memory_ends_the_search_honestly(cells):
    values, budget = hard(100)
    group, limits = np.arange(100) % 5 - 1, np.array([[30, 60], [90, 95], [0, 33], [101, 101]])
    none, top = np.zeros(100, np.int64), np.full(100, 20)
    units, counts = np.zeros((1, 100), np.int64), []
    for memory, solve, of_groups in (
        (allocator(21, budget, none, top, np.full(100, -1), limits[:0], cells), solve_all, {}),
        (
            allocator(21, budget, none, top, group, limits, cells),
            solve_all_in_groups,
            {g: (np.flatnonzero(group == g), *limits[g]) for g in range(4)},
        ),
    ):
        solve(memory, values[None], units)
        best = by_table(values, budget, none, top, of_groups)
        worth = values[np.arange(100), units[0]].sum()
        assert units.sum() <= budget
        assert all(low <= units[0][members].sum() <= high for members, low, high in of_groups.values())
        assert worth <= best * (1 + 1e-12)
        assert memory.unproved[0] == 1 or worth >= best * (1 - 1e-12)
        counts.append(memory.unproved[0])
    assert cells > 16 or counts == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "limits", "message"),
    [
        (([[0.0, math.nan]], 1), {}, r"values\[0, 1\] is nan; expected finite numbers"),
        (([[0.0, 1.0], [math.inf, 1.0]], 1), {}, r"values\[1, 0\] is inf; expected finite numbers"),
        (([0.0, 1.0], 1), {}, r"values is \[0.0, 1.0\]; expected a table of numbers"),
        (([[]], 1), {}, "expected a table of numbers"),
        ((np.zeros((0, 3)), 1), {}, "expected a table of numbers"),
        (([["a"]], 1), {}, "expected a table of numbers"),
        (([[0.0], [0.0, 1.0]], 1), {}, "expected a table of numbers"),
        (([[0.0, 1.0]], -1), {}, "budget is -1; expected a whole number of at least 0"),
        (([[0.0, 1.0]], 1.5), {}, "budget is 1.5; expected a whole number"),
        (([[0.0, 1.0]], 1), {"time_limit": 0}, "time_limit is 0; expected a number above 0"),
        (
            ([[0.0, 1.0]], 1),
            {"least": 0.5},
            "least is 0.5; expected a whole number of units, or one for each arm",
        ),
        (([[0.0, 1.0]], 1), {"least": [0, 0]}, "least has 2 numbers; expected 1, one for each arm"),
        (([[0.0, 1.0]], 1), {"most": [-2]}, r"most\[0\] is -2; expected a whole number of at least 0"),
        (([[0.0, 1.0]], 5), {"least": 2}, r"least\[0\] is 2; expected at most 1, the highest amount"),
        (
            ([[0.0, 1.0, 2.0]] * 2, 5),
            {"least": [0, 2], "most": 1},
            r"least\[1\] is 2; expected at most 1, the arm's",
        ),
        (([[0.0, 1.0, 2.0]] * 3, 2), {"least": 1}, "the least of all arms together is 3; expected at most 2"),
        (
            ([[0.0, 1.0]] * 3, 3),
            {"groups": [1]},
            r"groups is \[1\]; expected names, each with \(arms, least, most\)",
        ),
        (([[0.0, 1.0]] * 3, 3), {"groups": {"n": 5}}, r"groups\['n'\] is 5; expected \(arms, least, most\)"),
        (([[0.0, 1.0]] * 3, 3), {"groups": {"n": ([3], 0, 1)}}, r"an arm of groups\['n'\] is 3"),
        (
            ([[0.0, 1.0]] * 3, 3),
            {"groups": {"n": ([1], 0, 1), "s": ([2, 1], 0, 1)}},
            r"groups\['s'\] has arm 1",
        ),
        (
            ([[0.0, 1.0]] * 3, 3),
            {"groups": {"n": ([1, 1], 0, 1)}},
            r"groups\['n'\] has arm 1, as groups\['n'\] has",
        ),
        (
            ([[0.0, 1.0]] * 3, 3),
            {"groups": {"n": ([1], 2, 1)}},
            r"the least of groups\['n'\] is 2; expected at most 1",
        ),
        (
            ([[0.0, 1.0]] * 3, 3),
            {"groups": {"n": ([1], 2, None)}},
            "expected at most 1, all that its arms can get",
        ),
        (
            ([[0.0, 1.0]] * 3, 3),
            {"least": 1, "groups": {"n": ([0, 1], 0, 1)}},
            r"the most of groups\['n'\] is 1; expected at least 2, the least of its arms together",
        ),
        (
            ([[0.0, 1.0]] * 5, 3),
            {"least": [0, 0, 0, 0, 1], "groups": {"n": ([0, 1], 2, 2), "s": ([2, 3], 1, 2)}},
            r"the least of groups\['n'\] \(2\), groups\['s'\] \(1\), the arms in no group \(1\) is 4 together"
            "; expected at most 3, the budget",
        ),
    ],
)
def test_bad_input_is_named(arguments, limits, message):
    with pytest.raises(InputError, match=message):
        allocate(*arguments, **limits)


ALIKE = """
import numpy as np
from allotment.oracles.shares.allocate import allocate
from allotment.oracles.shares.moves import fewest_moves
from oracles.curves import SHAPES, curves
rng = np.random.default_rng(5)
for shape in SHAPES:
    for arms, units in ((1, 1), (4, 7), (20, 20)):
        values, budget = curves(shape, arms, units, rng), arms * units // 4
        for groups in (None, {"a": (range(arms // 2), budget // 3, budget // 2), "b": ([arms - 1], 1, 3)}):
            best = allocate(values, budget, groups=groups) if budget > 4 else allocate(values, budget)
            print(best.units, float(best.value).hex(), float(best.bound).hex(), best.proved)
    values = curves(shape, 12, 5, rng)
    for groups in (None, {"a": (range(5), 3, 6), "b": ([8, 9], 2, 4)}):
        before = rng.permutation(allocate(values, 15).units)
        needed = fewest_moves(15, before, most=5, groups=groups, crew=2)
        for moves in (None, needed + 2):
            best = allocate(values, 15, groups=groups, crew=2, before=before, moves=moves)
            print(best.units, float(best.value).hex(), float(best.bound).hex(), best.proved)
"""


def test_uncompiled_code_gives_the_same_allocations():
    tests = str(Path(__file__).parent.parent)
    outputs = [
        subprocess.run(
            [sys.executable, "-c", ALIKE],
            env={
                **os.environ,
                "NUMBA_DISABLE_JIT": disable,
                "PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")]),
            },
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for disable in ("0", "1")
    ]
    assert outputs[0] == outputs[1] != ""


def test_a_hundred_thousand_arms():
    rng = np.random.default_rng(0)
    values = curves("steps", 100_000, 20, rng)
    shares = allocate(values, 500_000)
    assert shares.units.sum() <= 500_000
    assert shares.value <= shares.bound <= shares.value * (1 + 1e-6)


def test_a_hundred_groups():
    rng = np.random.default_rng(0)
    values, budget = curves("random increasing", 2000, 10, rng), 5000
    groups = {k: (list(range(20 * k, 20 * k + 20)), 30 + k % 40, 45 + k % 40) for k in range(90)}
    none, top = np.zeros(2000, np.int64), np.full(2000, 10)
    best = by_table(values, budget, none, top, groups)
    assert_best(allocate(values, budget, groups=groups), values, budget, none, top, groups, best)
