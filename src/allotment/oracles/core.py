"""From an instance to its core: the break solution, a first incumbent, and the items still in question.

Take items in order of worth per unit until one, the break item, does not fit: that is the break solution.
Let λ be the break item's worth per unit. A choice that differs from the break solution in the items F
("flips"), and leaves r units of room, is worth

    worth of the break solution + λ·(room that it leaves) - Σ_{i in F} cost_i - λ·r,   cost_i = |worth_i - λ·units_i|

The first two terms are the bound with one item split. So a better choice than the incumbent flips only items
that cost less than the gap between bound and incumbent, and their costs together stay below it: those items,
by cost, are the core.

A valid inequality on the number of chosen items (see cardinality.py) adds a second price, μ per item.
"""

from typing import NamedTuple

from allotment.checks import BoolArray, FloatArray
from allotment.compiling import kernel
from allotment.oracles.sorting import find_break, sort
from allotment.oracles.workspace import ExactKnapsack
from allotment.tolerance import RELATIVE

EXCLUDED = 1.0  # the key of an item that cannot be chosen; all others are negative


class Core(NamedTuple):
    """The core of one instance; its items are in the workspace."""

    count: int
    spare: int  # the room that the break solution leaves
    top: float  # the bound, like all worths here counted from the break solution
    best: float  # the incumbent
    tolerance: float  # a better choice counts only if it is better by more than this


@kernel
def take_break(oracle: ExactKnapsack, unit_price_of_item: float) -> tuple[int, int, float]:
    """Find the break solution for worths reduced by μ; returns its size, the room it leaves, and λ."""
    worth, key, order = oracle.worth, oracle.key, oracle.order
    for i in range(worth.size):
        reduced = worth[i] - unit_price_of_item
        key[i] = -reduced * oracle.inverse[i] if worth[i] > 0.0 and reduced > 0.0 else EXCLUDED
    size, spare = find_break(order, key, oracle.units, oracle.room[0])
    if size == worth.size or key[order[size]] > 0.0:
        return size, spare, 0.0
    return size, spare, -key[order[size]]


@kernel
def _gain_of(oracle: ExactKnapsack, chosen: BoolArray) -> float:
    """The worth of a choice above that of the break solution."""
    gain = 0.0
    for i in range(chosen.size):
        if chosen[i] != oracle.inside[i]:
            gain += oracle.worth[i] if chosen[i] else -oracle.worth[i]
    return gain


@kernel
def _improve(oracle: ExactKnapsack, chosen: BoolArray, size: int, spare: int, best: float) -> float:
    """Try the break solution with one item more, and with the break item in one's place."""
    inside, worth, units = oracle.inside, oracle.worth, oracle.units
    entering = oracle.order[size] if size < worth.size and worth[oracle.order[size]] > 0.0 else -1
    missing = units[entering] - spare if entering >= 0 else 0
    more, less = -1, -1
    if best < 0.0:
        best = 0.0
        chosen[:] = inside
    for i in range(worth.size):
        if inside[i]:
            if entering >= 0 and units[i] >= missing and worth[entering] - worth[i] > best:
                best = worth[entering] - worth[i]
                more, less = entering, i
        elif units[i] <= spare and worth[i] > best:
            best = worth[i]
            more, less = i, -1
    if more >= 0:
        chosen[:] = inside
        chosen[more] = True
    if less >= 0:
        chosen[less] = False
    return best


@kernel
def _collect(oracle: ExactKnapsack, gap: float, unit_price: float) -> int:
    """Put the items that cost less than the gap in order, and bound what those from each one on can do."""
    core, cost, inside = oracle.core, oracle.cost, oracle.inside
    count = 0
    for i in range(cost.size):
        if cost[i] < gap:
            core[count] = i
            count += 1
    sort(core, cost, count, oracle.stack)
    drain, fill, removable = oracle.drain, oracle.fill, oracle.removable
    drain[count], fill[count], removable[count] = 1e300, unit_price, 0
    for k in range(count - 1, -1, -1):
        item = core[k]
        per_unit = cost[item] * oracle.inverse[item]
        drain[k], fill[k], removable[k] = drain[k + 1], fill[k + 1], removable[k + 1]
        if inside[item]:
            drain[k] = min(drain[k], per_unit)
            removable[k] += oracle.units[item]
        else:
            fill[k] = min(fill[k], per_unit)
    return count


@kernel
def find_core(oracle: ExactKnapsack, chosen: BoolArray, item_price: float, most: int) -> Core:
    """Find the core, starting from a choice that fits; the choice is replaced if a better one is seen.

    `item_price` (μ) and `most` state that at most (μ > 0) or at least (μ < 0) so many items count.
    """
    worth, units, inside, cost = oracle.worth, oracle.units, oracle.inside, oracle.cost
    size, spare, unit_price = take_break(oracle, item_price)
    inside[:] = False
    total = 0.0
    for k in range(size):
        inside[oracle.order[k]] = True
        total += worth[oracle.order[k]]
    best = _improve(oracle, chosen, size, spare, _gain_of(oracle, chosen))
    for i in range(worth.size):
        reduced = worth[i] - unit_price * units[i] - item_price
        cost[i] = max(0.0, reduced if inside[i] else -reduced) if worth[i] > 0.0 else 1e300
    top = unit_price * spare + item_price * (most - size)
    tolerance = 0.5 * RELATIVE * (total + best)
    count = _collect(oracle, top - best - tolerance, unit_price)
    return Core(count, spare, top, best, tolerance)
