"""Totals that arms with crews can make: with nothing or at least a crew for each, not every total exists."""

import numpy as np

from allotment.arrays import IntArray
from allotment.compiling.decorators import allocating, kernel


@kernel
def apply_crews(least: IntArray, most: IntArray, crew: IntArray) -> bool:
    """Make the limits of every arm 0 or at least its crew; says whether that is possible."""
    for i in range(crew.size):
        if crew[i] < 0:
            return False
        if most[i] < crew[i]:
            most[i] = 0
        if least[i] > 0:
            least[i] = max(least[i], crew[i])
        if least[i] > most[i]:
            return False
    return True


@kernel
def _spread(
    least: IntArray, most: IntArray, crew: IntArray, units: IntArray, first: int, end: int, missing: int
) -> int:
    """Give lanes more than their least, one after the other; returns the units that are still missing."""
    for lane in range(first, end):
        more = min(missing, most[lane] - least[lane])
        if least[lane] + more < crew[lane]:
            more = 0
        units[lane] = least[lane] + more
        missing -= more
    return missing


@allocating
def meet_floor(
    least: IntArray, most: IntArray, crew: IntArray, units: IntArray, first: int, end: int, missing: int
) -> int:
    """Write units for lanes that add up to `missing` above the least of each, or to the next possible total.

    Returns that total, or `missing` if no total is as high.
    """
    if _spread(least, most, crew, units, first, end, missing) == 0:
        return missing
    widest, highest = 0, 0
    for lane in range(first, end):
        widest = max(widest, most[lane] - least[lane])
        highest += most[lane] - least[lane]
    if highest < missing:
        return missing
    # From all lanes at their most, lane after lane back to its least passes a total in this range.
    totals = missing + widest
    made_by = np.full(totals, -1)  # the first lane with which lanes make a total,
    amount = np.zeros(totals, np.int64)  # and what it adds to a total of the lanes before it
    made_by[0] = first
    for lane in range(first, end):
        if made_by[missing] >= 0:
            break
        few, many = max(1, crew[lane] - least[lane]), most[lane] - least[lane]
        for total in range(totals - 1, few - 1, -1):  # downwards, so that a lane counts once
            if made_by[total] < 0:
                for more in range(few, min(many, total) + 1):
                    if made_by[total - more] >= 0:
                        made_by[total], amount[total] = lane, more
                        break
    found = missing
    while made_by[found] < 0:
        found += 1
    for lane in range(first, end):
        units[lane] = least[lane]
    total = found
    while total > 0:
        units[made_by[total]] += amount[total]
        total -= amount[total]
    return found
