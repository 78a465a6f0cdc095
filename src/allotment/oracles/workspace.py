"""The memory of the exact knapsack: made once for a number of items, used by every solve."""

from typing import NamedTuple

import numpy as np

from allotment.checks import BoolArray, FloatArray, IntArray
from allotment.oracles.sorting import DEPTH

STATES = 1 << 18  # of 80 bytes each; the system hands out the memory only as it is touched


class ExactKnapsack(NamedTuple):
    """Workspace of the exact oracle."""

    # The instance. Weights are whole numbers of a unit, 2⁻⁶¹ to 2⁻⁶⁰ of the room, so that sums are exact.
    room: IntArray  # one number: the capacity with its slack
    weights: FloatArray  # as given
    units: IntArray  # rounded down; -1 for an item that never fits
    inverse: FloatArray  # 1 / units
    worth: FloatArray  # values, scaled to at most 1; 0 for items that cannot be chosen

    # What one solve leaves for the next to start from.
    order: IntArray  # items by worth per unit, near the break item
    previous: BoolArray
    unproved: IntArray  # one number: how many solves ended without a proof

    # The core: the items whose part in the best choice is open.
    key: FloatArray
    inside: BoolArray  # whether the item is in the break solution
    cost: FloatArray  # what flipping the item costs at least
    core: IntArray  # by cost
    drain: FloatArray  # from this position on: the least cost of a unit taken out,
    fill: FloatArray  # of a unit put in or left empty,
    removable: IntArray  # and how many units can be taken out
    stack: IntArray

    # States, in two rows that take turns, by descending spare room.
    spare: IntArray
    gain: FloatArray  # worth above the break solution
    spent: FloatArray  # the cost of all flips so far
    flips: IntArray  # those of this block, one bit each
    origin: IntArray  # the log's entry for the blocks before
    log_flips: IntArray
    log_origin: IntArray


def exact_oracle(items: int, states: int = STATES) -> ExactKnapsack:
    """An exact oracle for this many items that keeps at most so many states."""
    return ExactKnapsack(
        room=np.zeros(1, np.int64),
        weights=np.zeros(items),
        units=np.zeros(items, np.int64),
        inverse=np.zeros(items),
        worth=np.zeros(items),
        order=np.arange(items),
        previous=np.zeros(items, np.bool_),
        unproved=np.zeros(1, np.int64),
        key=np.zeros(items),
        inside=np.zeros(items, np.bool_),
        cost=np.zeros(items),
        core=np.zeros(items, np.int64),
        drain=np.zeros(items + 1),
        fill=np.zeros(items + 1),
        removable=np.zeros(items + 1, np.int64),
        stack=np.zeros(DEPTH, np.int64),
        spare=np.zeros((2, states + 1), np.int64),
        gain=np.zeros((2, states + 1)),
        spent=np.zeros((2, states + 1)),
        flips=np.zeros((2, states + 1), np.int64),
        origin=np.zeros((2, states + 1), np.int64),
        log_flips=np.zeros(4 * states, np.int64),
        log_origin=np.zeros(4 * states, np.int64),
    )
