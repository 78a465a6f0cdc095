"""The exact 0-1 knapsack on real-valued weights and values, as a compiled oracle that allocates nothing.

Depth-first branch and bound over the items in order of value per weight, pruned by the bound that lets the
last item be split. The capacity is widened by the package's one tolerance, once.
"""

from typing import NamedTuple

import numpy as np

from allotment.checks import BoolArray, FloatArray, IntArray
from allotment.compiling import kernel
from allotment.oracles.oracle import choose, fit
from allotment.tolerance import RELATIVE, slack_of

_slack_of = kernel(slack_of)


class ExactKnapsack(NamedTuple):
    """Workspace of the exact oracle."""

    weights: FloatArray
    room: FloatArray  # one number: the capacity with its slack
    order: IntArray  # items by value per weight; kept between solves, so that sorting starts almost sorted
    ratios: FloatArray
    taken: BoolArray  # by position in the order, like the two below
    room_at: FloatArray
    value_at: FloatArray


def exact_oracle(items: int) -> ExactKnapsack:
    """An exact oracle for this many items."""
    return ExactKnapsack(
        weights=np.zeros(items),
        room=np.zeros(1),
        order=np.arange(items),
        ratios=np.zeros(items),
        taken=np.zeros(items, np.bool_),
        room_at=np.zeros(items + 1),
        value_at=np.zeros(items + 1),
    )


@fit.register
def _fit(oracle: ExactKnapsack, weights: FloatArray, capacity: float) -> None:
    for i in range(weights.size):
        oracle.weights[i] = weights[i]
    oracle.room[0] = capacity + _slack_of(capacity)


@kernel
def _sort(oracle: ExactKnapsack, values: FloatArray) -> int:
    """Order by value per weight; items that are worthless or too heavy go last. Returns how many count."""
    weights, order, ratios = oracle.weights, oracle.order, oracle.ratios
    count = 0
    for i in range(values.size):
        if values[i] <= 0.0 or weights[i] > oracle.room[0]:
            ratios[i] = -1.0
            continue
        ratios[i] = values[i] / weights[i] if weights[i] > 0.0 else np.inf
        count += 1
    for k in range(1, order.size):
        item = order[k]
        j = k
        while j > 0 and ratios[order[j - 1]] < ratios[item]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = item
    return count


@kernel
def _bound(oracle: ExactKnapsack, values: FloatArray, position: int, count: int) -> float:
    """What the items from this position on could add at most, if the last one may be split."""
    room, value = oracle.room_at[position], oracle.value_at[position]
    for k in range(position, count):
        item = oracle.order[k]
        if oracle.weights[item] > room:
            return value + room * oracle.ratios[item]
        room -= oracle.weights[item]
        value += values[item]
    return value


@choose.register
def _choose(oracle: ExactKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    order, taken, room_at, value_at = oracle.order, oracle.taken, oracle.room_at, oracle.value_at
    count = _sort(oracle, values)
    room_at[0], value_at[0] = oracle.room[0], 0.0
    best, position = -1.0, 0
    while True:
        while position < count and _bound(oracle, values, position, count) > best * (1.0 + RELATIVE):
            item = order[position]
            taken[position] = oracle.weights[item] <= room_at[position]
            room_at[position + 1] = room_at[position] - taken[position] * oracle.weights[item]
            value_at[position + 1] = value_at[position] + taken[position] * values[item]
            position += 1
        if position == count and value_at[count] > best:
            best = value_at[count]
            chosen[:] = False
            for k in range(count):
                chosen[order[k]] = taken[k]
        position -= 1
        while position >= 0 and not taken[position]:
            position -= 1
        if position < 0:
            return True
        taken[position] = False
        room_at[position + 1], value_at[position + 1] = room_at[position], value_at[position]
        position += 1
