"""The best choice among few items, by looking at every one: at once, before anything is compiled."""

import numpy as np

from allotment.arrays import BoolArray, FloatArray
from allotment.tolerance import RELATIVE, fits, slack_of

MOST_ITEMS = 14


def best_of_few(values: FloatArray, weights: FloatArray, capacity: float) -> BoolArray:
    """The most valuable items that fit together; of equally valuable choices, the lightest.

    Values count as equal that differ by no more than 1e-12, and by no more than 1e-12 of the best. A choice
    fits under the tolerance.

    >>> best_of_few(np.array([3.0, 2.0, 2.0]), np.array([1.0, 0.5, 0.5]), 1.0).tolist()
    [False, True, True]
    """
    sets = np.arange(1 << values.size)
    worth, weight = sums_over_sets(values), sums_over_sets(weights)
    worth = np.where(fits(weight, capacity, slack_of(capacity)), worth, -1.0)
    equal = np.flatnonzero(worth >= worth.max() - RELATIVE * min(1.0, worth.max()))
    chosen = int(sets[equal[np.argmin(weight[equal])]])
    return np.array([chosen >> i & 1 == 1 for i in range(values.size)])


def sums_over_sets(values: FloatArray) -> FloatArray:
    """The sum over each set of values; bit i of a position says whether value i is in."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums
