"""The paper's knapsack: everything multiplied by S, made whole, and solved by dynamic programming.

Weights are rounded up, so that what is chosen always fits; the published figures truncated them instead
(after rounding the thresholds themselves to 1/S), which is an option. Values stay as they are: only weights
index the table.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.compiling.decorators import kernel, lanes
from allotment.errors import InputError
from allotment.oracles.protocol import choose, fit
from allotment.tolerance import slack_of

_slack_of = kernel(slack_of)

LARGEST = 2**30  # places in a table


class ScaledKnapsack(NamedTuple):
    """Workspace of the scaled oracle."""

    scale: int
    truncate: bool
    weights: IntArray
    best: FloatArray  # 2 x capacities: the best values of the items so far, and of those before the last one
    taken: NDArray[np.bool_]  # items x capacities: whether the item is in that best choice


def scaled_oracle(items: int, capacity: float, scale: int, truncate: bool = False) -> ScaledKnapsack:
    """An oracle for this many items and whole capacities up to S·Q (nothing weighs more than S)."""
    size = min(math.floor(scale * (capacity + slack_of(capacity))), scale * items) + 1
    if size * items > LARGEST:
        raise InputError.of(
            "scale",
            scale,
            f"less for {items} arms and a budget of {capacity:g}: the table would have {size * items} places",
        )
    return ScaledKnapsack(
        scale=scale,
        truncate=truncate,
        weights=np.zeros(items, np.int64),
        best=np.zeros((2, size)),
        taken=np.zeros((items, size), np.bool_),
    )


@fit.register
def _fit(oracle: ScaledKnapsack, weights: FloatArray, capacity: float) -> None:
    # The table was made for the capacity; the slack keeps 0.7 · 1000 from becoming 701 (or 699).
    slack, size = oracle.scale * _slack_of(capacity), oracle.best.shape[1]
    for i in range(weights.size):
        scaled = oracle.scale * weights[i]
        if scaled > size:
            oracle.weights[i] = size
        elif oracle.truncate:
            oracle.weights[i] = math.floor(scaled + slack)
        else:
            oracle.weights[i] = math.ceil(scaled - slack)


@lanes
def _extend(before: FloatArray, after: FloatArray, taken: BoolArray, weight: int, value: float) -> None:
    """Add an item: the best values after it from those before it, and where the item is in the choice."""
    for room in range(weight):
        after[room], taken[room] = before[room], False
    with_item, without, best, took = (
        before[: before.size - weight],
        before[weight:],
        after[weight:],
        taken[weight:],
    )
    for k in range(best.size):  # without branches, so that capacities go several at once
        candidate = with_item[k] + value
        took[k] = candidate > without[k]
        best[k] = candidate if candidate > without[k] else without[k]


@choose.register
def _choose(oracle: ScaledKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    best, weights, taken = oracle.best, oracle.weights, oracle.taken
    for room in range(best.shape[1]):
        best[0, room] = 0.0
    for i in range(values.size):
        _extend(best[i % 2], best[(i + 1) % 2], taken[i], min(weights[i], best.shape[1]), values[i])
    room = best.shape[1] - 1
    for i in range(values.size - 1, -1, -1):
        chosen[i] = taken[i, room]
        if chosen[i]:
            room -= weights[i]
    return True
