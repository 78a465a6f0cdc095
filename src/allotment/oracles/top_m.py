"""The m most valuable items: the oracle when every item has the same weight."""

from typing import NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.compiling.decorators import kernel, lanes, ordered_lanes
from allotment.oracles.protocol import choose, fit
from allotment.oracles.selection import select
from allotment.tolerance import how_many_fit, slack_of

_how_many_fit = kernel(how_many_fit)
_slack_of = kernel(slack_of)


LARGEST = 1e300  # beyond any value
COUNTED = 32  # up to this many values, counting larger ones is faster than selecting


@kernel
def mark_largest(values: FloatArray, m: int, chosen: BoolArray, order: IntArray) -> None:
    """Mark the m largest values; of equal values, mark those at lower positions."""
    if m <= 0 or m >= values.size:
        chosen[:] = m >= values.size
        return
    if values.size <= COUNTED and _mark_by_rank(values, m, chosen) == m:
        return
    for k in range(values.size):
        order[k] = k
    bar = select(order, values, values.size, values.size - m + 1)
    room = m
    for k in range(values.size):
        chosen[k] = values[k] > bar
        room -= chosen[k]
    for k in range(values.size):
        if room > 0 and values[k] == bar:
            chosen[k] = True
            room -= 1


@kernel
def _mark_by_rank(values: FloatArray, m: int, chosen: BoolArray) -> int:
    """Mark values that fewer than m others exceed: more than m of them at a tie. Fast while there are few."""
    marked = 0
    for k in range(values.size):
        above = 0
        for j in range(values.size):
            above += values[j] > values[k]
        chosen[k] = above < m
        marked += above < m
    return marked


FAR = 8  # ranks that the search from the last bar walks one by one


@ordered_lanes
def _how_many_above(values: FloatArray, bar: float) -> int:
    count = 0
    for k in range(values.size):
        count += values[k] > bar
    return count


@ordered_lanes
def _next_above(values: FloatArray, bar: float) -> float:
    """The least value above the bar."""
    result = LARGEST
    for k in range(values.size):
        value = values[k] if values[k] > bar else LARGEST
        result = value if value < result else result
    return result


@ordered_lanes
def _next_up_to(values: FloatArray, bar: float) -> float:
    """The largest value that is not above the bar."""
    result = -LARGEST
    for k in range(values.size):
        value = values[k] if values[k] <= bar else -LARGEST
        result = value if value > result else result
    return result


@ordered_lanes
def _next_below(values: FloatArray, bar: float) -> float:
    """The largest value below the bar."""
    result = -LARGEST
    for k in range(values.size):
        value = values[k] if values[k] < bar else -LARGEST
        result = value if value > result else result
    return result


@ordered_lanes
def _mark_above(values: FloatArray, bar: float, chosen: BoolArray) -> int:
    marked = 0
    for k in range(values.size):
        chosen[k] = values[k] > bar
        marked += values[k] > bar
    return marked


@ordered_lanes
def _mark_from(values: FloatArray, bar: float, chosen: BoolArray) -> int:
    marked = 0
    for k in range(values.size):
        chosen[k] = values[k] >= bar
        marked += values[k] >= bar
    return marked


@lanes
def mark_near(values: FloatArray, m: int, chosen: BoolArray, bar: FloatArray) -> bool:
    """Mark the m largest values, searched from last time's bar; False if that is far off, or at a tie.

    Values that drift leave the bar nearly right: it is walked to its place rank by rank.
    """
    level = bar[0]
    surplus = _how_many_above(values, level) - m
    if abs(surplus) > FAR:
        return False
    if surplus >= 0:
        for _ in range(surplus):
            level = _next_above(values, level)
        bar[0] = level
        return _mark_above(values, level, chosen) == m
    level = _next_up_to(values, level)
    for _ in range(-surplus - 1):
        level = _next_below(values, level)
    bar[0] = level
    return _mark_from(values, level, chosen) == m


class TopM(NamedTuple):
    """Workspace of the oracle for one weight that all items share."""

    most: IntArray  # one number: how many items fit
    bar: FloatArray  # one number: what the last choice was cut at
    order: IntArray  # scratch


def top_m_oracle(items: int) -> TopM:
    """An oracle for items of equal weight."""
    return TopM(np.zeros(1, np.int64), np.zeros(1), np.zeros(items, np.int64))


@fit.register
def _fit(oracle: TopM, weights: FloatArray, capacity: float) -> None:
    # The heaviest weight counts, so that the choice fits even if the weights are not equal after all.
    heaviest = 0.0
    for weight in weights:
        heaviest = max(heaviest, weight)
    count = _how_many_fit(heaviest, capacity, _slack_of(capacity))
    oracle.most[0] = min(weights.size, count)


@choose.register
@lanes
def _choose(oracle: TopM, values: FloatArray, chosen: BoolArray) -> bool:
    most = oracle.most[0]
    if 0 < most < values.size and mark_near(values, most, chosen, oracle.bar):
        return True
    mark_largest(values, most, chosen, oracle.order)
    if 0 < most < values.size:
        oracle.bar[0] = LARGEST
        for k in range(values.size):
            if chosen[k]:
                oracle.bar[0] = min(oracle.bar[0], values[k])
    return True
