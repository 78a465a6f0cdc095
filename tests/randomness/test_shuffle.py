import itertools

import numpy as np
from scipy import stats

from allotment.randomness.laws import shuffle


def test_every_order_is_equally_likely():
    orders = dict.fromkeys(itertools.permutations(range(4)), 0)
    rng = np.random.default_rng(4)
    for _ in range(24_000):
        items = np.array([0, 1, 2, 3, 9])
        shuffle(rng, items, 4)
        assert items[4] == 9
        orders[tuple(int(item) for item in items[:4])] += 1
    assert stats.chisquare(list(orders.values())).pvalue > 1e-4
