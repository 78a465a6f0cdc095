"""The classic families of knapsack instances, and two solvers too simple to be wrong."""

import math

import numpy as np
import pytest

from allotment.tolerance import slack_of

FAMILIES = (
    "uncorrelated",
    "weakly correlated",
    "strongly correlated",
    "inverse strongly correlated",
    "almost strongly correlated",
    "subset sum",
    "similar weights",
    "profit ceiling",
    "circle",
)


def family(name, items, rng, largest=1000):
    """Integer weights up to about `largest`, and the values that make the family."""
    weights = rng.integers(1, largest + 1, items).astype(float)
    tenth = max(1, largest // 10)
    if name == "uncorrelated":
        return rng.integers(1, largest + 1, items).astype(float), weights
    if name == "weakly correlated":
        return np.maximum(1.0, weights + rng.integers(-tenth, tenth + 1, items)), weights
    if name == "strongly correlated":
        return weights + tenth, weights
    if name == "inverse strongly correlated":
        return weights, weights + tenth
    if name == "almost strongly correlated":
        spread = max(1, largest // 500)
        return weights + tenth + rng.integers(-spread, spread + 1, items), weights
    if name == "subset sum":
        return weights.copy(), weights
    if name == "similar weights":
        base = 100 * largest
        return (
            rng.integers(1, largest + 1, items).astype(float),
            rng.integers(base, base + tenth + 1, items).astype(float),
        )
    if name == "profit ceiling":
        return 3.0 * np.ceil(weights / 3.0), weights
    if name == "circle":
        return 2.0 / 3.0 * np.sqrt(4.0 * largest**2 - (weights - 2.0 * largest) ** 2), weights
    raise KeyError(name)


def real_family(name, items, rng):
    """The same families on real numbers: a fine grid, shaken."""
    values, weights = family(name, items, rng, largest=10**6)
    shake = 1.0 + 1e-9 * rng.random(items)
    if name in ("subset sum", "strongly correlated", "inverse strongly correlated"):
        return values * shake, weights * shake
    return values * (1.0 + 1e-9 * rng.random(items)), weights * shake


def by_enumeration(values, weights, capacity):
    """The best value over all subsets that fit, by looking at every one."""
    total_value, total_weight = np.zeros(1), np.zeros(1)
    for value, weight in zip(values, weights, strict=True):
        total_value = np.concatenate([total_value, total_value + value])
        total_weight = np.concatenate([total_weight, total_weight + weight])
    return float(total_value[total_weight <= capacity + slack_of(capacity)].max())


def by_table(values, weights, capacity):
    """The best value for integer weights, by the table over all capacities."""
    best = np.zeros(int(capacity) + 1)
    for value, weight in zip(values, weights.astype(np.int64), strict=True):
        if weight < best.size:
            best[weight:] = np.maximum(best[weight:], best[: best.size - weight] + value)
    return float(best[-1])


def assert_best(selection, values, weights, capacity, best):
    """Proved, feasible to the last bit, its numbers right, and as good as the best to a relative 1e-12."""
    chosen = selection.chosen
    assert selection.proved
    assert math.fsum(weights[chosen]) <= capacity + slack_of(capacity)
    assert selection.weight == pytest.approx(math.fsum(weights[chosen]), rel=1e-15)
    assert selection.value == pytest.approx(math.fsum(values[chosen]), rel=1e-15)
    assert selection.value >= best * (1.0 - 1e-12)
    assert selection.value <= best * (1.0 + 1e-12)
    assert selection.value <= selection.bound <= best * (1.0 + 1e-11)
