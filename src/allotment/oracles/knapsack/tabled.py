"""The exact knapsack by a table: where few sets of items are worth choosing, the best of all is looked up.

Where every item is worth something, the best choice is a maximal set: no further item fits beside it. The
maximal sets depend on weights and capacity alone, so `fit` lists them once, and `choose` adds up the values
of each. The exact search decides where there are many sets, where two are worth the same but for rounding,
and where an item is worth next to nothing.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.compiling.decorators import kernel, lanes, shared
from allotment.oracles.knapsack.exact import ExactKnapsack, exact_oracle
from allotment.oracles.protocol import Records, choose, fit, unproved

MOST_ITEMS = 32  # with more, a table that is small enough is rare
MOST_PLACES = 1024  # items times sets; adding up more takes as long as searching
MOST_VISITS = 1024  # sets that fit, maximal or not, which are looked at to list the maximal ones
CLEARLY = 1e-9  # a share of the best set's worth, far beyond the tolerance of the exact search


class TabledKnapsack(NamedTuple):
    """Workspace: the table, and the exact search for what the table cannot decide."""

    exact: ExactKnapsack
    listed: IntArray  # one number: how many sets are listed; 0 where there are too many
    members: FloatArray  # sets x items: 1 for the members of a set, 0 for the others

    def carried_over(self) -> tuple[str, ...]:
        """What one replication may leave to the next: a table that is read only as far as it was listed."""
        return ("members",)


def tabled_oracle(items: int) -> TabledKnapsack:
    """An oracle for this many items."""
    sets = MOST_PLACES // items if items <= MOST_ITEMS else 0
    return TabledKnapsack(exact_oracle(items), np.zeros(1, np.int64), np.zeros((sets, items)))


@unproved.register
def _unproved(oracle: TabledKnapsack) -> float:
    return unproved(oracle.exact)


@fit.register
def _fit(oracle: TabledKnapsack, weights: FloatArray, capacity: float) -> None:
    fit(oracle.exact, weights, capacity)
    oracle.listed[0] = _list_maximal_sets(oracle.exact.items, oracle.exact.room[0], oracle.members)


@kernel
def _is_maximal(items: Records, inside: int, room: int) -> bool:
    """Whether no item outside fits beside those inside."""
    fitting = 0
    for i in range(items.size):
        fitting += not (inside >> i) & 1 and 0 <= items[i].units <= room
    return fitting == 0


@kernel
def _list_maximal_sets(items: Records, room: int, members: FloatArray) -> int:
    """Write the maximal sets, and return their number; 0 if there are too many to list.

    Goes through all sets that fit, as one looks up words: each set is followed by those that continue it with
    later items. Bit i of `inside` says whether item i is in the set.
    """
    if members.shape[0] == 0:
        return 0
    count, visits, inside, following = 0, 0, 0, 0
    while visits < MOST_VISITS:
        while following < items.size and not 0 <= items[following].units <= room:
            following += 1
        if following < items.size:
            visits += 1
            inside |= 1 << following
            room -= items[following].units
            if _is_maximal(items, inside, room):
                if count == members.shape[0]:
                    return 0
                for i in range(items.size):
                    members[count, i] = (inside >> i) & 1
                count += 1
        elif inside == 0:
            return count
        else:  # go on without the last member
            following = items.size - 1
            while not (inside >> following) & 1:
                following -= 1
            inside ^= 1 << following
            room += items[following].units
        following += 1
    return 0


@lanes
def _take_best(oracle: TabledKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    """Mark the best set; False if another is worth as much but for rounding, or without one of its items."""
    best, highest, second = 0, -1.0, -1.0
    for s in range(oracle.listed[0]):  # without branches, since nobody can tell which set is the best
        members, worth = oracle.members[s], 0.0
        for i in range(values.size):
            worth += values[i] * members[i]
        second = max(second, min(worth, highest))
        best = s if worth > highest else best
        highest = max(worth, highest)
    margin = CLEARLY * highest
    members, is_clear = oracle.members[best], second < highest - margin
    for i in range(values.size):
        chosen[i] = members[i] > 0.0
        is_clear &= (values[i] > margin) | (members[i] == 0.0)
    return is_clear


@choose.register
@lanes
def _choose(oracle: TabledKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    if oracle.listed[0] > 0 and _take_best(oracle, values, chosen):
        return True
    return _choose_by_search(oracle.exact, values, chosen)


@shared
def _choose_by_search(exact: ExactKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    return choose(exact, values, chosen)
