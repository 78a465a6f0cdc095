"""The memory of calm allocations, which limit the units that arms gain over their previous units.

A search compares labels. A label is a deviation from the best choices at the prices found, with its units,
its gains and its cost. One arm's other choice is a label, and so is a group's total. A label that combines
others names them, so that the choices of all arms can be traced back.
"""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import allocating, kernel
from allotment.oracles.protocol import Records, records
from allotment.oracles.shares.share_arrays import NO_LIMIT, Allocator
from allotment.oracles.shares.solver import share_out, share_out_in_groups

NONE = -1  # no label
FIRST_ARM = -2  # in place of a label, lane k is FIRST_ARM - k

LABEL = np.dtype(
    [
        ("units", "i8"),  # more than in the best choices
        ("gains", "i8"),  # likewise: units that arms have more than before
        ("cost", "f8"),
        ("before", "i8"),  # the label that it adds to
        ("choice", "i8"),  # the label that it adds; a lane where it is one arm's other choice
    ]
)
SLOT = np.dtype(
    [
        ("layer", "i8"),  # the layer that wrote it; any other layer takes it as empty
        ("label", "i8"),
    ]
)
REST = np.dtype(
    [
        ("down", "i8"),  # how many units the elements left can take back,
        ("up", "i8"),  # or add,
        ("fewer", "i8"),  # and how many gains they can take back
        ("drain", "f8"),  # what a unit taken back costs at least,
        ("refill", "f8"),  # a unit added,
        ("ease", "f8"),  # and a gain taken back
        ("filling", "f8"),  # what candidates cost at least, as a share of the room that they fill
    ]
)


class Calm(NamedTuple):
    """Workspace of the exact allocation in which gains are limited."""

    allocator: Allocator
    moves: IntArray  # one number: the gains of all arms together, at most
    before: FloatArray  # by lane: the units that an arm had
    plain: FloatArray  # the table of values before gains are charged for
    labels: Records
    slots: Records  # where the labels of a layer are found by their units and gains
    rests: Records
    counts: IntArray  # labels in use, layers so far, slots in use, shortages, labels dropped
    effort: IntArray  # one number: how many labels may still be looked at


@kernel
def fits(allocator: Allocator) -> bool:
    """Whether some allocation is within all limits, the moves aside."""
    total = 0
    for p in range(allocator.parts.size):
        part = allocator.parts[p]
        if part.least > part.most:
            return False
        total += part.least
    return total <= allocator.budget[0]


@kernel
def _stays(allocator: Allocator, before: FloatArray) -> bool:
    """Let every arm keep what it had, as far as its own limits allow; whether that is within all limits."""
    total = 0
    for p in range(allocator.parts.size):
        part, together = allocator.parts[p], 0
        for lane in range(allocator.lanes.blocks[part.first], allocator.lanes.blocks[part.end]):
            units = max(min(int(before[lane]), allocator.most[lane]), allocator.least[lane])
            if units < allocator.crew[lane]:
                units = 0
            allocator.enough[lane] = units
            together += units
        if together < part.least or together > part.most:
            return False
        total += together
    return total <= allocator.budget[0]


@allocating
def _settle_for_fewest(allocator: Allocator, before: IntArray, columns: int) -> None:
    """Make the allocation to fall back on one that gains as few units as any within the limits."""
    values, units = np.zeros((before.size, columns)), np.zeros(before.size, np.int64)
    for i in range(before.size):
        for u in range(columns):
            values[i, u] = -float(max(u - before[i], 0))
    if allocator.parts.size > 1:
        share_out_in_groups(allocator, values, units)
    else:
        share_out(allocator, values, units)
    allocator.unproved[0] = 0
    for lane in range(allocator.arms.size):
        allocator.enough[lane] = units[allocator.arms[lane]] if allocator.arms[lane] >= 0 else 0


@allocating
def calm_allocator(
    allocator: Allocator, columns: int, before: IntArray, moves: int, labels: int
) -> tuple[Calm, int]:
    """Make an allocator that limits gains, with room for `labels` labels; also the fewest gains needed."""
    lanes, arms = allocator.arms.size, before.size
    had = np.zeros(lanes)
    for lane in range(lanes):
        had[lane] = float(before[allocator.arms[lane]]) if allocator.arms[lane] >= 0 else 0.0
    if not _stays(allocator, had):
        _settle_for_fewest(allocator, before, columns)
    needed = 0
    for lane in range(lanes):
        needed += max(allocator.enough[lane] - int(had[lane]), 0)
    slots = 64
    while slots < labels // 2:
        slots *= 2
    calm = Calm(
        allocator=allocator,
        moves=np.full(1, moves),
        before=had,
        plain=np.empty(allocator.lanes.table.size),
        labels=records(labels, LABEL),
        slots=records(slots, SLOT),
        rests=records(arms + allocator.parts.size + 2, REST),
        counts=np.zeros(5, np.int64),
        effort=np.full(1, NO_LIMIT),
    )
    return calm, needed
