"""The knapsack by a table against the exact search, which it stands in for."""

import numpy as np
import pytest

from allotment.compiling.decorators import Entry
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.oracles.knapsack.tabled import MOST_PLACES, tabled_oracle
from allotment.oracles.protocol import choose, fit
from oracles.knapsack.families import by_enumeration


@Entry
def fit_once(oracle, weights, capacity):
    fit(oracle, weights, capacity)


@Entry
def choose_once(oracle, values, chosen):
    return choose(oracle, values, chosen)


def fitted(oracle, weights, capacity):
    fit_once(oracle, np.array(weights), capacity)
    return oracle


def chosen_by(oracle, values):
    chosen = np.zeros(len(values), np.bool_)
    assert choose_once(oracle, np.array(values), chosen)
    return chosen


def maximal_sets(weights, capacity):
    """By trying every set."""
    items, found = range(len(weights)), set()
    for number in range(1, 1 << len(weights)):
        inside = [i for i in items if number >> i & 1]
        room = capacity + 1e-12 * max(1.0, capacity) - sum(weights[i] for i in inside)
        if room >= 0.0 and all(weights[i] > room for i in items if i not in inside):
            found.add(tuple(i in inside for i in items))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_lists_the_maximal_sets(seed):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 1.2, 1 + seed % 9).round(1 + seed % 2)
    capacity = float(rng.uniform(0.2, 2.5))
    oracle = fitted(tabled_oracle(weights.size), weights, capacity)
    listed = [tuple(row > 0.0) for row in oracle.members[: oracle.listed[0]]]
    expected = maximal_sets(weights, capacity)
    assert len(listed) == len(set(listed))
    assert set(listed) == (expected if len(expected) * weights.size <= MOST_PLACES else set())


@pytest.mark.parametrize("seed", range(20))
def test_chooses_as_the_search_does(seed):
    rng = np.random.default_rng(seed)
    weights, capacity = rng.uniform(0.1, 1.0, 3 + seed % 8).round(2), float(rng.uniform(0.5, 2.5))
    table = fitted(tabled_oracle(weights.size), weights, capacity)
    search = fitted(exact_oracle(weights.size), weights, capacity)
    for values in rng.beta(2.0, 3.0, (200, weights.size)):
        chosen = chosen_by(table, values)
        np.testing.assert_array_equal(chosen, chosen_by(search, values))
        assert values[chosen].sum() == pytest.approx(by_enumeration(values, weights, capacity))


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.5, 0.5, 0.5, 0.5],
        [0.7, 0.0, 0.7, 0.0, 0.7],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.4, 0.3, 0.2, 1e-14, 1e-15],
    ],
)
def test_leaves_ties_and_worthless_items_to_the_search(values):
    weights, capacity = [0.4, 0.4, 0.4, 0.8, 0.8], 1.6
    table = fitted(tabled_oracle(5), weights, capacity)
    search = fitted(exact_oracle(5), weights, capacity)
    assert table.listed[0] > 1
    for _ in range(3):
        np.testing.assert_array_equal(chosen_by(table, values), chosen_by(search, values))


@pytest.mark.parametrize(("items", "capacity"), [(40, 0.5), (20, 5.0), (3, 0.0)])
def test_has_no_table_where_sets_are_many_or_none(items, capacity):
    weights = np.linspace(0.2, 0.9, items)
    table = fitted(tabled_oracle(items), weights, capacity)
    search = fitted(exact_oracle(items), weights, capacity)
    values = np.random.default_rng(1).random(items)
    assert table.listed[0] == 0
    np.testing.assert_array_equal(chosen_by(table, values), chosen_by(search, values))
