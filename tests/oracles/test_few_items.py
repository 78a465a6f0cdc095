import numpy as np
import pytest

from allotment.oracles.few_items import MOST_ITEMS, best_of_few
from allotment.oracles.knapsack.solve import knapsack


@pytest.mark.parametrize("seed", range(30))
def test_equals_the_knapsack(seed):
    stream = np.random.default_rng(seed)
    items = int(stream.integers(1, MOST_ITEMS + 1))
    values, weights = stream.random(items), stream.random(items)
    capacity = float(weights.sum() * stream.uniform(0.0, 1.1))
    chosen = best_of_few(values, weights, capacity)
    best = knapsack(values, weights, capacity)
    assert values[chosen].sum() == pytest.approx(best.value, rel=1e-12)
    assert weights[chosen].sum() <= capacity + 1e-12 * max(1.0, capacity)


def test_of_equally_good_choices_the_lightest():
    chosen = best_of_few(np.array([1.0, 1.0, 1.0]), np.array([0.7, 0.5, 0.6]), 1.1)
    assert chosen.tolist() == [False, True, True]


def test_sums_fit_under_the_tolerance():
    assert best_of_few(np.ones(3), np.array([0.7, 0.7, 0.6]), 2.0).all()
    assert not best_of_few(np.ones(2), np.ones(2), 0.0).any()
