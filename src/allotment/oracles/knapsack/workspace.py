"""The memory of the exact knapsack: made once for a number of items, used by every solve."""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.oracles.protocol import Records, records, unproved
from allotment.oracles.selection import DEPTH

MOST_STATES = 1 << 18
STATES_PER_ITEM = 1 << 10  # far more than searches take that end with a proof at all

ITEM = np.dtype(
    [
        ("units", "i8"),  # the weight in units, rounded down; -1 for an item that never fits
        ("inverse", "f8"),  # 1 / units
        ("worth", "f8"),  # the value, scaled so that the highest is about 1; 0 if it cannot be chosen
        ("key", "f8"),  # what items are ordered by: first -worth per unit, then the cost of a flip
        ("inside", "?"),  # whether the item is in the break solution
        ("previous", "?"),  # whether the last solve chose it
    ],
    align=True,
)
CANDIDATE = np.dtype(
    [
        ("index", "i8"),
        ("cost", "f8"),  # what flipping the item costs at least
        ("shift", "i8"),  # what it does to the spare room,
        ("step", "f8"),  # and to the gain
        ("removal", "f8"),  # for this and all later candidates: the least cost of taking an item out,
        ("addition", "f8"),  # of putting one in,
        ("drain", "f8"),  # of a unit taken out,
        ("refill", "f8"),  # of a unit put in or left empty,
        ("removable", "i8"),  # and how many units can be taken out
    ]
)
STATE = np.dtype(
    [
        ("spare", "i8"),  # the room that is left; negative while there are too many items
        ("gain", "f8"),  # worth above the break solution
        ("spent", "f8"),  # the cost of all flips
        ("flips", "i8"),  # the flips of this block, one bit each
        ("origin", "i8"),  # the log's entry for the blocks before
    ]
)
ENTRY = np.dtype([("flips", "i8"), ("origin", "i8")])


class ExactKnapsack(NamedTuple):
    """Workspace of the exact oracle."""

    room: IntArray  # one number: the capacity with its slack, in units
    unproved: IntArray  # one number: how many solves ended without a proof
    price: FloatArray  # two numbers: the last break item's value per unit, and the gap that it left
    items: Records
    order: IntArray  # items by worth per unit, at least near the break item; kept for the next solve
    shortlist: IntArray  # the candidates by cost, and room for sorting
    core: Records  # the candidates: items whose part in the best choice is open
    states: Records  # two rows that take turns
    log: Records  # how states came about

    def carried_over(self) -> tuple[str, ...]:
        """The fields that replications share: scratch memory."""
        return ("shortlist", "core", "states", "log")


@unproved.register
def _unproved(oracle: ExactKnapsack) -> float:
    return float(oracle.unproved[0])


def exact_oracle(items: int, states: int = 0) -> ExactKnapsack:
    """Make an exact oracle for a number of items; `states` limits its states, by default by its size."""
    if states == 0:
        states = min(MOST_STATES, max(16, items * STATES_PER_ITEM))
        if items < 18:
            states = min(states, max(16, 1 << items))
    oracle = ExactKnapsack(
        room=np.zeros(1, np.int64),
        unproved=np.zeros(1, np.int64),
        price=np.zeros(2),
        items=records(items, ITEM),
        order=np.arange(0, items),
        shortlist=np.empty(items + DEPTH, np.int64),
        core=records(items + 1, CANDIDATE),
        states=records(2 * (states + 1), STATE),
        log=records(4 * states, ENTRY),
    )
    oracle.items.previous[:] = False
    return oracle
