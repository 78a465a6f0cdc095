"""Crews and moves in the allocation in whole units, against enumeration, full tables and two peers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import InputError
from allotment.oracles.shares.allocate import allocate
from allotment.oracles.shares.moves import fewest_moves
from allotment.oracles.shares.oracle import share, sharing_oracle
from oracles.curves import (
    SHAPES,
    assert_best,
    by_enumeration_of_gains,
    by_table_of_gains,
    curves,
    random_limits,
    random_rules,
)
from oracles.test_allocate import fitting_limits, instances, whole_values, with_cp_sat, with_highs


def assert_keeps(shares, limits, rules, values, budget, best):
    """The best allocation, within limits, crews and moves."""
    crew, before, moves = rules
    assert_best(shares, values, budget, *limits, best)
    assert ((shares.units == 0) | (shares.units >= crew)).all()
    assert moves is None or np.maximum(shares.units - before, 0).sum() <= moves


def check_small(values, budget, limits, rules):
    """Compare with enumeration; what is impossible is named, with the moves that it takes."""
    least, most, groups = limits
    crew, before, moves = rules
    best, fewest = by_enumeration_of_gains(values, budget, *limits, *rules)
    given_limits = {"least": least, "most": most, "groups": groups or None, "crew": crew}
    if best > -math.inf:
        shares = allocate(values, budget, **given_limits, before=before, moves=moves)
        assert_keeps(shares, limits, rules, values, budget, best)
    elif fewest is None:
        with pytest.raises(InputError, match="expected"):
            allocate(values, budget, **given_limits, before=before, moves=moves)
    else:
        with pytest.raises(
            InputError, match=f"moves is {moves}; expected at least {fewest}, the fewest units"
        ):
            allocate(values, budget, **given_limits, before=before, moves=moves)
    if fewest is not None:
        given_limits["most"] = np.minimum(most, values.shape[1] - 1)
        assert fewest_moves(budget, before, **given_limits) == fewest


def equals_enumeration(shape, cases, seed):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        arms, units = int(rng.integers(1, 6)), int(rng.integers(0, 5))
        values, budget = curves(shape, arms, units, rng), int(rng.integers(0, arms * units + 2))
        check_small(values, budget, random_limits(rng, arms, units), random_rules(rng, arms, units))


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_enumeration(shape):
    equals_enumeration(shape, 150, len(shape))


@pytest.mark.soak
@pytest.mark.parametrize("shape", SHAPES)
def test_equals_enumeration_in_thousands_of_cases(shape):
    equals_enumeration(shape, 3000, 100 + len(shape))


@given(instances(), st.data())
def test_equals_enumeration_with_ties(instance, data):
    values, budget, *limits = instance
    small = st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values))
    crew, before = np.array(data.draw(small)), np.array(data.draw(small))
    check_small(values, budget, limits, (crew, before, data.draw(st.integers(0, 6))))


def middling(rng, values, budget):
    """Limits and rules around an allocation, so that they fit together; what arms had is another one."""
    arms, columns = values.shape
    least, most, groups = fitting_limits(rng, values, budget)
    crew = np.where((rng.random(arms) < 0.5) & (least == 0), rng.integers(0, 4, arms), 0)
    before = np.minimum(rng.multinomial(budget, np.ones(arms) / arms), columns - 1)
    given_limits = {"least": least, "most": most, "groups": groups, "crew": crew}
    try:
        moves = fewest_moves(budget, before, **given_limits) + int(rng.integers(0, 12))
    except InputError:
        return None  # the groups' limits are between totals that crews can make
    return (least, most, groups), (crew, before, moves)


def equals_table(shape, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        arms, units = int(rng.integers(20, 61)), int(rng.integers(4, 9))
        values, budget = curves(shape, arms, units, rng), arms
        if (fitting := middling(rng, values, budget)) is None:
            continue
        limits, rules = fitting
        best = by_table_of_gains(values, budget, *limits, *rules)
        shares = solved(values, budget, limits, rules)
        assert_keeps(shares, limits, rules, values, budget, best)


def solved(values, budget, limits, rules):
    (least, most, groups), (crew, before, moves) = limits, rules
    return allocate(
        values, budget, least=least, most=most, groups=groups, crew=crew, before=before, moves=moves
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_table(shape):
    equals_table(shape, range(8))


@pytest.mark.soak
@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_table_in_hundreds_of_cases(shape):
    equals_table(shape, range(100, 300))


def equals_peer(peer, seed, cases):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        arms, units = int(rng.integers(5, 25)), int(rng.integers(3, 10))
        values, budget = whole_values(rng, arms, units), arms * units // 4
        if (fitting := middling(rng, values, budget)) is not None:
            limits, rules = fitting
            best = peer(values, budget, *limits, *rules)
            assert solved(values, budget, limits, rules).value == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("peer", [with_cp_sat, with_highs])
@pytest.mark.parametrize("seed", range(4))
def test_equals_peers_on_whole_values(peer, seed):
    equals_peer(peer, seed, 8)


@pytest.mark.soak
@pytest.mark.parametrize("peer", [with_cp_sat, with_highs])
@pytest.mark.parametrize("seed", range(100, 120))
def test_equals_peers_on_hundreds_of_whole_values(peer, seed):
    equals_peer(peer, seed, 20)


@pytest.mark.parametrize("shape", SHAPES)
def test_rules_that_bind_nothing_change_nothing(shape):
    rng = np.random.default_rng(7)
    values = curves(shape, 30, 6, rng)
    groups = {"a": (range(10), 5, 12), "b": (range(10, 20), None, 8)}
    for limits in ({}, {"least": 1, "most": 5}, {"groups": groups}):
        free = allocate(values, 40, **limits)
        for rules in ({"crew": 1}, {"crew": 0, "before": free.units, "moves": 0}, {"before": 0, "moves": 40}):
            same = allocate(values, 40, **limits, **rules)
            assert same.units.tolist() == free.units.tolist()
            assert (same.value, same.bound, same.proved) == (free.value, free.bound, free.proved)


@pytest.mark.parametrize("groups", [None, {"a": (range(7), 3, 9), "b": (range(7, 14), 2, None)}])
def test_the_oracle_gives_what_the_function_gives(groups):
    rng = np.random.default_rng(3)
    crew, before = rng.integers(0, 4, 20), rng.integers(0, 3, 20)
    for rules in ({"crew": crew}, {"crew": crew, "before": before, "moves": 6}):
        oracle, units = sharing_oracle(20, 6, 24, groups=groups, **rules), np.zeros(20, np.int64)
        for shape in SHAPES:  # one after the other: a solve remembers nothing of the one before
            values = curves(shape, 20, 6, rng)
            assert share(oracle, values, units)
            assert units.tolist() == allocate(values, 24, groups=groups, **rules).units.tolist()


@pytest.mark.parametrize("kinds", [1, 3])
@pytest.mark.parametrize("shape", ["steps", "sigmoid", "correlated"])
def test_many_arms_that_are_alike(shape, kinds):
    rng = np.random.default_rng(5)
    values = curves(shape, kinds, 6, rng)[rng.integers(0, kinds, 60)]
    crew = np.where(np.arange(60) % 2 == 0, 2, 0)
    limits = np.zeros(60, np.int64), np.full(60, 6), {"a": (list(range(20)), 12, 14)}
    before = allocate(curves("sorted", 60, 6, rng), 60, groups=limits[2], crew=crew).units
    for moves in (3, 15):
        rules = crew, before, moves
        best = by_table_of_gains(values, 60, *limits, *rules)
        assert_keeps(solved(values, 60, limits, rules), limits, rules, values, 60, best)


@pytest.mark.parametrize("groups", [{}, {"a": (list(range(150)), 60, 80), "b": ([290, 291], 3, 5)}])
def test_a_time_limit_ends_the_search_honestly(groups):
    rng = np.random.default_rng(1)
    values = (np.arange(11) / 10.0) ** 2 * (1.0 + 1e-3 * rng.random((300, 1)))
    before = allocate(rng.random((300, 11)), 130, groups=groups, crew=3).units
    best = allocate(values, 130, groups=groups, crew=3, before=before, moves=40)
    shares = allocate(values, 130, groups=groups, crew=3, before=before, moves=40, time_limit=1e-6)
    assert not shares.proved
    assert shares.units.sum() <= 130
    assert np.maximum(shares.units - before, 0).sum() <= 40
    assert ((shares.units == 0) | (shares.units >= 3)).all()
    assert shares.value <= best.bound
    assert best.value <= shares.bound
    for members, low, high in groups.values():
        assert low <= shares.units[members].sum() <= high


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"crew": 0.5}, "crew is 0.5; expected a whole number of units, or one for each arm"),
        ({"crew": np.array([0, -1, 0])}, r"crew\[1\] is -1; expected a whole number of at least 0"),
        ({"crew": [1, 2]}, "crew has 2 numbers; expected 3, one for each arm"),
        (
            {"crew": 3, "most": 2, "least": [0, 1, 0]},
            r"crew\[1\] is 3; expected at most 2, .* its least is 1",
        ),
        ({"moves": 2}, "moves is given, but before is not; expected the units that each arm had before"),
        ({"before": 0, "moves": 1.5}, "moves is 1.5; expected a whole number"),
        ({"before": 0, "moves": -1}, "moves is -1; expected a whole number of at least 0"),
        ({"before": [0, 0], "moves": 1}, "before has 2 numbers; expected 3"),
        ({"before": np.array([0, 0, -5]), "moves": 1}, r"before\[2\] is -5; expected a whole number"),
        (
            {"before": [1, 1, 0], "moves": 1, "least": [0, 0, 2]},
            "moves is 1; expected at least 2, the fewest",
        ),
        (
            {"before": [4, 0, 0], "moves": 1, "groups": {"n": ([1, 2], 2, 3)}},
            "moves is 1; expected at least 2",
        ),
        ({"crew": 2, "least": 1}, "the least of all arms together is 6; expected at most 4, the budget"),
        (
            {"crew": 2, "most": 2, "groups": {"n": ([0, 1], 3, 3)}},
            r"the most of groups\['n'\] is 3; expected at least 4, the fewest units, from 3 on, that",
        ),
        (
            {"crew": 3, "groups": {"n": ([0, 1], 3, None), "s": ([2], 1, None)}},
            r"the least of groups\['n'\] \(3\), groups\['s'\] \(3\) is 6 together; expected at most 4",
        ),
    ],
)
def test_bad_rules_are_named(rules, message):
    with pytest.raises(InputError, match=message):
        allocate(np.zeros((3, 5)), 4, **rules)
    with pytest.raises(InputError, match=message):
        sharing_oracle(3, 4, 4, **rules)


def test_what_arms_lose_does_not_count_and_an_arm_may_have_had_any_amount():
    values = [[0, 5, 6], [0, 4, 8], [0, 0, 9]]
    assert allocate(values, 4, before=[2, 2, 0], moves=0).units.tolist() == [2, 2, 0]
    assert allocate(values, 4, before=[2, 2, 0], moves=2).units.tolist() == [1, 1, 2]
    assert allocate(values, 4, before=[2, 0, 10**12], moves=0).units.tolist() == [2, 0, 2]
    assert allocate(values, 4, crew=3).units.tolist() == [0, 0, 0]
