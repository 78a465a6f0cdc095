"""The m most valuable items: the oracle when every item has the same weight."""

from typing import NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.compiling import kernel
from allotment.oracles.protocol import choose, fit
from allotment.oracles.selection import select
from allotment.tolerance import how_many_fit, slack_of

_how_many_fit = kernel(how_many_fit)
_slack_of = kernel(slack_of)


COUNTED = 32  # up to so many values, counting those above each is faster than selecting


@kernel
def mark_largest(values: FloatArray, m: int, chosen: BoolArray, order: IntArray) -> None:
    """Mark the m largest values; among equal ones, those of lower index."""
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


class TopM(NamedTuple):
    """Workspace of the oracle for one weight that all items share."""

    most: IntArray  # one number: how many items fit
    order: IntArray  # scratch


def top_m_oracle(items: int) -> TopM:
    """An oracle for items of equal weight."""
    return TopM(np.zeros(1, np.int64), np.zeros(items, np.int64))


@fit.register
def _fit(oracle: TopM, weights: FloatArray, capacity: float) -> None:
    # The heaviest weight counts, so that the choice fits even if the weights are not equal after all.
    heaviest = 0.0
    for weight in weights:
        heaviest = max(heaviest, weight)
    count = _how_many_fit(heaviest, capacity, _slack_of(capacity))
    oracle.most[0] = min(weights.size, count)


@choose.register
def _choose(oracle: TopM, values: FloatArray, chosen: BoolArray) -> bool:
    mark_largest(values, oracle.most[0], chosen, oracle.order)
    return True
