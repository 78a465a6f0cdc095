import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.oracles.protocol import choose, fit
from allotment.oracles.scaled_knapsack import scaled_oracle


def chosen_by_scaling(values, weights, capacity, scale, truncate=False):
    oracle = scaled_oracle(len(values), capacity, scale, truncate)
    fit(oracle, np.array(weights), float(capacity))
    chosen = np.zeros(len(values), np.bool_)
    choose(oracle, np.array(values), chosen)
    return chosen


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 100)), min_size=1, max_size=8), st.integers(0, 300))
@settings(max_examples=100, deadline=None)
def test_weights_that_are_whole_at_the_scale_are_solved_exactly(items, room):
    values, whole = zip(*items, strict=True)
    weights, capacity = [each / 100 for each in whole], room / 100
    chosen = chosen_by_scaling(values, weights, capacity, 100)
    best = max(
        math.fsum(value for value, taken in zip(values, choice, strict=True) if taken)
        for choice in itertools.product([False, True], repeat=len(values))
        if sum(each for each, taken in zip(whole, choice, strict=True) if taken) <= room
    )
    assert math.fsum(np.array(values)[chosen]) == pytest.approx(best, abs=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=8), st.floats(0, 4))
@settings(max_examples=100, deadline=None)
def test_rounding_up_always_fits(items, capacity):
    values, weights = zip(*items, strict=True)
    chosen = chosen_by_scaling(values, weights, capacity, 50)
    assert math.fsum(np.array(weights)[chosen]) <= capacity + 1e-9


def test_truncation_may_overspend_which_is_why_it_is_an_option():
    weights = [0.509, 0.509]
    assert chosen_by_scaling([1.0, 1.0], weights, 1.0, 100).sum() == 1
    assert chosen_by_scaling([1.0, 1.0], weights, 1.0, 100, truncate=True).sum() == 2


def test_what_cannot_be_covered_is_never_chosen():
    assert chosen_by_scaling([1.0, 0.1], [np.inf, 0.5], 1.0, 100).tolist() == [False, True]


def test_decimal_weights_do_not_creep_over_a_whole_number():
    assert chosen_by_scaling(
        [0.9, 0.89, 0.87, 0.58, 0.3], [0.7, 0.7, 0.7, 0.6, 0.35], 2.0, 10_000
    ).tolist() == [
        True,
        True,
        False,
        True,
        False,
    ]
