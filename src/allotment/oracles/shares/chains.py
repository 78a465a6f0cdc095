"""Deciding on elements one after the other: dynamic programming on what deviating from the best choice costs.

An element is an arm or a group. At the prices found, each has a best choice; any other choice, a candidate,
shifts the units spent and costs something. A row holds the least cost of every total shift so far. The worth
of an allocation is the bound, minus the costs, minus what the units left over are priced at: so what costs as
much as the best allocation known is dropped. Elements come in the order of what deviating costs at least, and
when that reaches the limit, the rest stay as they are: often after few.
"""

import math
from typing import NamedTuple

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.selection import sort
from allotment.oracles.shares.share_arrays import NO_LIMIT, WIDTH, Chain

SMALL = 16  # elements
NARROW = 256  # units to each side that a first search keeps to


class Goal(NamedTuple):
    """What a total shift must be, and what it costs where it is not as high or as low as may be."""

    low: int
    high: int
    below: float  # the price of every unit below the highest
    above: float  # the price of every unit above the lowest


class BestChain(NamedTuple):
    """The best end of a chain: the least cost (inf: none below the limit), its layer and its shift."""

    cost: float
    layer: int
    shift: int
    complete: bool  # whether nothing was dropped for want of memory or time


@kernel
def toll(goal: Goal, shift: int) -> float:
    """What ending at a shift costs, besides the candidates: inf where it must not end."""
    if shift < goal.low or shift > goal.high:
        return math.inf
    cost = 0.0
    if goal.below > 0.0:
        cost += goal.below * (goal.high - shift)
    if goal.above > 0.0:
        cost += goal.above * (shift - goal.low)
    return cost


@kernel
def _lower(source: FloatArray, target: FloatArray, count: int, cost: float) -> None:
    """Lower target to source + cost wherever that is less."""
    for k in range(count):
        # Adding 0 keeps the compiler from storing only where something changes, which is slower.
        here, other = target[k] + 0.0, source[k] + cost
        target[k] = other if other < here else here


@kernel
def _padded(count: int) -> int:
    return (count + WIDTH - 1) // WIDTH * WIDTH


@kernel
def _extend(chain: Chain, layer: int, element: Records, limit: float) -> bool:
    """Make the row after an element from the row before; says whether there was memory."""
    rows, candidates = chain.rows, chain.candidates
    before, after = chain.layers[layer], chain.layers[layer + 1]
    count = _padded(before.width)
    start = before.start + count  # rows end with padding, so that loops need no last odd steps
    total = _padded(count + element.down + element.up) + WIDTH
    chain.effort[0] -= count * (1 + element.end - element.first)
    if start + total > rows.size or chain.effort[0] < 0:
        return False
    row = rows[start : start + total]
    for k in range(total):
        row[k] = math.inf
    source = rows[before.start : before.start + count]
    _lower(source, row[element.down : element.down + count], count, 0.0)
    for c in range(element.first, element.end):
        candidate = candidates[c]
        if candidate.cost < limit:
            place = element.down + candidate.shift
            _lower(source, row[place : place + count], count, candidate.cost)
    after.start, after.low, after.width = (
        start,
        before.low - element.down,
        before.width + element.down + element.up,
    )
    return True


@kernel
def _hopeless(cost: float, shift: int, goal: Goal, layer: Records, refill: float, limit: float) -> bool:
    """Whether all ways on from a shift cost too much, at the least that the elements left cost per unit."""
    if shift > goal.high:
        return shift - goal.high > layer.down or cost + layer.drain * (shift - goal.high) >= limit
    if shift < goal.low:
        return goal.low - shift > layer.up or cost + layer.refill * (goal.low - shift) >= limit
    return cost + refill * (goal.high - shift) >= limit


@kernel
def _trim(rows: FloatArray, layer: Records, goal: Goal, limit: float, width: int) -> bool:
    """Cut off the ends of a row that lead nowhere: they cost too much, or nothing can bring them back.

    Also cuts off shifts further than a width from start and goal; returns whether that may matter.
    """
    refill = min(layer.refill, goal.below) if goal.below > 0.0 else 0.0
    low, high = layer.low, layer.low + layer.width - 1
    while low <= high and _hopeless(rows[layer.start + low - layer.low], low, goal, layer, refill, limit):
        low += 1
    while low <= high and _hopeless(rows[layer.start + high - layer.low], high, goal, layer, refill, limit):
        high -= 1
    first, last = low - layer.low, high - layer.low
    lowest, highest = min(0, goal.high) - width - layer.low, max(0, goal.low) + width - layer.low
    dropped = first <= last and (first < lowest or last > highest)
    if dropped:
        first, last = max(first, lowest), min(last, highest)
    left = max(last - first + 1, 0)
    for k in range(left, _padded(left)):
        rows[layer.start + first + k] = math.inf
    layer.start, layer.low, layer.width = layer.start + first, layer.low + first, left
    return dropped


@kernel
def _best_end(rows: FloatArray, layer: Records, goal: Goal, limit: float) -> tuple[float, int]:
    """The cheapest shift to end with below the limit, and its cost; inf if there is none."""
    best, shift = limit, NO_LIMIT
    low, high = max(layer.low, goal.low), min(layer.low + layer.width - 1, goal.high)
    step, end = 1, high + 1
    here = low
    if goal.below > 0.0:  # come from the side where ending is free
        step, here, end = -1, high, low - 1
    while (here - end) * step < 0:
        extra = toll(goal, here)
        if extra >= best and (goal.below == 0.0 or goal.above == 0.0):
            break
        cost = rows[layer.start + here - layer.low] + extra
        if cost < best:
            best, shift = cost, here
        here += step
    return (best, shift) if shift != NO_LIMIT else (math.inf, 0)


@kernel
def _start(chain: Chain, count: int, limit: float) -> int:
    """Order the elements that matter, sum up what those after each can do, and write the first row.

    Returns how many matter.
    """
    elements, layers, order = chain.elements, chain.layers, chain.order
    matter = 0
    for k in range(count):
        order[matter] = k
        matter += elements[k].key < limit
    sort(order, elements.key, matter)
    down, up, drain, refill = 0, 0, math.inf, math.inf
    for k in range(matter, 0, -1):
        layer, element = layers[k], elements[order[k - 1]]
        layer.down, layer.up, layer.drain, layer.refill = down, up, drain, refill
        down += element.down
        up += element.up
        if matter <= SMALL:  # rows stay short anyway
            drain, refill = 0.0, 0.0
            continue
        for c in range(element.first, element.end):
            shift, cost = chain.candidates[c].shift, chain.candidates[c].cost
            if shift < 0:
                drain = min(drain, cost / -shift)
            else:
                refill = min(refill, cost / shift)
    layers[0].start, layers[0].low, layers[0].width = 0, 0, 1
    chain.rows[0] = 0.0
    for k in range(1, WIDTH):
        chain.rows[k] = math.inf
    return matter


@kernel
def _run(chain: Chain, count: int, goal: Goal, limit: float, step: float, width: int) -> BestChain:
    """Search a chain within a width."""
    count = _start(chain, count, limit)
    elements, layers, order, rows = chain.elements, chain.layers, chain.order, chain.rows
    best, best_layer, best_shift, k, complete = math.inf, 0, 0, 0, True
    while True:
        cost, shift = _best_end(rows, layers[k], goal, limit)
        if cost < limit:
            best, best_layer, best_shift, limit = cost, k, shift, cost - step
        if limit <= 0.0:
            complete = True  # whatever was dropped, nothing is better
            break
        if k == count or elements[order[k]].key >= limit:
            break
        if not _extend(chain, k, elements[order[k]], limit):
            complete = False
            break
        k += 1
        if _trim(rows, layers[k], goal, limit, width):
            complete = False
        if layers[k].width == 0:
            break
    return BestChain(best, best_layer, best_shift, complete)


@kernel
def search_chain(chain: Chain, count: int, goal: Goal, limit: float, step: float) -> BestChain:
    """The cheapest way to the goal with any of these elements, if it costs less than the limit.

    Once one is found, only ways that are cheaper by at least a step are looked for. The first search keeps to
    a width: what it finds leaves less for the second, which does not.
    """
    narrow = _run(chain, count, goal, limit, step, NARROW)
    if narrow.complete:
        return narrow
    wide = _run(chain, count, goal, min(limit, narrow.cost - step), step, NO_LIMIT)
    if wide.cost < math.inf or narrow.cost == math.inf:
        return wide
    narrow = _run(chain, count, goal, limit, step, NARROW)  # for its rows
    return BestChain(narrow.cost, narrow.layer, narrow.shift, wide.complete)


@kernel
def fill_chain(chain: Chain, count: int, goal: Goal, limit: float, width: int) -> tuple[int, bool]:
    """All ways to the goal that cost less than the limit and stay within a width.

    Returns the last layer, or -1 if memory was short, and whether nothing was dropped.
    """
    count, complete = _start(chain, count, limit), True
    for k in range(count):
        if not _extend(chain, k, chain.elements[chain.order[k]], limit):
            return -1, False
        if _trim(chain.rows, chain.layers[k + 1], goal, limit, width):
            complete = False
    return count, complete


@kernel
def step_back(chain: Chain, layer: int, shift: int) -> tuple[int, int]:
    """The candidate that led to a shift in a layer (-1: the best choice), and the shift before it."""
    rows, element = chain.rows, chain.elements[chain.order[layer - 1]]
    before, here = chain.layers[layer - 1], chain.layers[layer]
    cost, place = rows[here.start + shift - here.low], shift - before.low
    if 0 <= place < before.width and rows[before.start + place] == cost:
        return -1, shift
    for c in range(element.first, element.end):
        candidate = chain.candidates[c]
        place = shift - candidate.shift - before.low
        if 0 <= place < before.width and rows[before.start + place] + candidate.cost == cost:
            return c, shift - candidate.shift
    return -1, shift
