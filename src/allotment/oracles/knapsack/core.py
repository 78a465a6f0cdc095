"""From an instance to its core: the break solution, a first incumbent, and the items still in question.

Take items in order of worth per unit until one, the break item, does not fit: that is the break solution.
Let λ be the break item's worth per unit. A choice that differs from the break solution in the items F
("flips"), and leaves r units of room, is worth

    worth of the break solution + λ·(room that it leaves) - Σ_{i in F} cost_i - λ·r

with cost_i = |worth_i - λ·units_i|. The first two terms are the bound with one item split. So a choice better
than the incumbent flips only items that cost less than the gap between bound and incumbent, and their costs
together stay below it: those items, by cost, are the core.

A valid inequality on the number of chosen items (see cardinality.py) adds a second price, μ per item.
"""

from typing import NamedTuple

from allotment.arrays import BoolArray, IntArray
from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.selection import SHORT, insert, partition, sort
from allotment.tolerance import RELATIVE


@kernel
def _room_after(order: IntArray, items: Records, left: int, right: int, room: int) -> int:
    """The room that order[left:right] leaves; negative if some item does not fit, or must not be taken."""
    for k in range(left, right):
        item = items[order[k]]
        room = room - item.units if item.key <= 0.0 else -1
        if room < 0:
            break
    return room


@kernel
def find_break(order: IntArray, items: Records, room: int) -> tuple[int, int]:
    """Arrange an order around its break item, the first that no longer fits; linear time on average.

    Returns the break item's position and the room that the items before it leave. Items with a positive key
    must not be taken: where all others fit, the position is that of the first such item, or the end.
    """
    left, right, keys = 0, order.size, items.key
    while right - left > SHORT:
        j, i = partition(order, keys, left, right)
        rest = _room_after(order, items, left, j, room)
        if rest < 0:
            right = j
            continue
        room = rest
        rest = _room_after(order, items, j, i, room)
        if rest < 0:
            return j, room
        room = rest
        left = i
    insert(order, keys, left, right)
    while left < right:
        item = order[left]
        if items[item].key > 0.0 or items[item].units > room:
            break
        room -= items[item].units
        left += 1
    return left, room


EXCLUDED = 1.0  # the key of an item that cannot be chosen; all others are negative
ROUGHLY = 48  # up to this many candidates need no exact order
BINS = 16
INFINITE = 1e280  # times any number of units still a number


class Core(NamedTuple):
    """The core of one instance; its candidates are in the workspace. Gains count from the break solution."""

    size: int
    base: float  # the break solution's worth
    spare: int  # the room that the break solution leaves
    top: float  # no choice gains more than this
    best: float  # the incumbent's gain
    tolerance: float  # a better choice counts only if it gains more by more than this
    margin: float  # a state must gain more than this to be worth keeping
    unit_price: float


@kernel
def set_keys(items: Records, item_price: float) -> None:
    """Rank items by worth per unit, best first, after the price of an item is paid."""
    for i in range(items.size):
        item = items[i]
        reduced = item.worth - item_price
        item.key = -reduced * item.inverse if item.worth > 0.0 and reduced > 0.0 else EXCLUDED


@kernel
def _survey(
    items: Records, order: IntArray, size: int, spare: int, prices: tuple[float, float], chosen: BoolArray
) -> tuple[float, float]:
    """Mark the break solution, find what each flip costs, and look for a better choice in passing.

    That is the break solution, alone, with one item more, or with the break item in one's place. Returns the
    break solution's worth and the gain of the choice, which is replaced if a better one was seen.
    """
    unit_price, item_price = prices
    total, gain, best, more, less = 0.0, 0.0, 0.0, -1, -1
    entering, entering_worth, missing = -1, 0.0, 0
    if unit_price > 0.0:
        entering = order[size]
        entering_worth, missing = items[entering].worth, items[entering].units - spare
    for k in range(size):
        item = items[order[k]]
        item.inside = True
        item.key = max(0.0, item.worth - unit_price * item.units - item_price)
        total += item.worth
        gain -= item.worth * (1 - chosen[order[k]])
        if entering_worth - item.worth > best and item.units >= missing:
            best, more, less = entering_worth - item.worth, entering, order[k]
    for k in range(size, order.size):
        item = items[order[k]]
        item.inside = False
        item.key = (
            max(0.0, unit_price * item.units + item_price - item.worth) if item.worth > 0.0 else INFINITE
        )
        gain += item.worth * chosen[order[k]]
        if item.worth > best and item.units <= spare:
            best, more, less = item.worth, order[k], -1
    if gain >= best:
        return total, gain
    for i in range(items.size):
        chosen[i] = items[i].inside
    if more >= 0:
        chosen[more] = True
    if less >= 0:
        chosen[less] = False
    return total, best


@kernel
def _sort_roughly(items: Records, shortlist: IntArray, core: Records, count: int, gap: float) -> None:
    """Put a short list into a few bins by cost: what the search gains from more order, sorting would cost."""
    ends, scale = shortlist[shortlist.size - BINS :], BINS / gap
    for b in range(BINS):
        ends[b] = 0
    for k in range(count):
        core[k].index = shortlist[k]
        core[k].removable = min(int(items[shortlist[k]].key * scale), BINS - 1)
        ends[core[k].removable] += 1
    for b in range(1, BINS):
        ends[b] += ends[b - 1]
    for k in range(count):
        b = core[k].removable
        ends[b] -= 1
        shortlist[ends[b]] = core[k].index


@kernel
def _collect(items: Records, shortlist: IntArray, core: Records, gap: float, unit_price: float) -> int:
    """List the items that cost less than the gap, by cost, with what the search needs to know of them."""
    count = 0
    for i in range(items.size):
        shortlist[count] = i
        count += items[i].key < gap
    if count > ROUGHLY:
        sort(shortlist, items.key, count)
    else:
        _sort_roughly(items, shortlist, core, count, gap)
    removal, addition, drain, refill, removable = INFINITE, INFINITE, INFINITE, unit_price, 0
    end = core[count]
    end.removal, end.addition = removal, addition
    end.drain, end.refill, end.removable = drain, refill, removable
    for k in range(count - 1, -1, -1):
        candidate = core[k]
        item = items[shortlist[k]]
        candidate.index, candidate.cost = shortlist[k], item.key
        per_unit = item.key * item.inverse
        if item.inside:
            removal, drain = min(removal, item.key), min(drain, per_unit)
            removable += item.units
            candidate.shift, candidate.step = item.units, -item.worth
        else:
            addition, refill = min(addition, item.key), min(refill, per_unit)
            candidate.shift, candidate.step = -item.units, item.worth
        candidate.removal, candidate.addition = removal, addition
        candidate.drain, candidate.refill, candidate.removable = drain, refill, removable
    return count


@kernel
def _close(
    items: Records,
    shortlist: IntArray,
    candidates: Records,
    known: tuple[float, int, float, float],
    grain: float,
    unit_price: float,
) -> Core:
    """Collect the core, now that the gap is known."""
    total, spare, top, best = known
    tolerance = 0.5 * RELATIVE * (total + best)
    needed = max(tolerance, grain - tolerance)
    size = 0
    if top - best > needed:
        size = _collect(items, shortlist, candidates, top - best - needed, unit_price)
    return Core(size, total, spare, top, best, needed, 0.5 * tolerance / max(1, size), unit_price)


@kernel
def find_core(
    items: Records,
    order: IntArray,
    shortlist: IntArray,
    candidates: Records,
    room: int,
    chosen: BoolArray,
    grain: float,
    item_price: float,
    limit: int,
) -> Core:
    """Find the core, starting from a choice that fits; a better choice replaces it.

    All worths are multiples of `grain`, if that is positive. `item_price` (μ) and `limit` state that at most
    (μ > 0) or at least (μ < 0) `limit` items count.
    """
    set_keys(items, item_price)
    size, spare = find_break(order, items, room)
    unit_price = 0.0
    if size < order.size and items[order[size]].key <= 0.0:
        unit_price = -items[order[size]].key
    total, best = _survey(items, order, size, spare, (unit_price, item_price), chosen)
    top = unit_price * spare + item_price * (limit - size)
    return _close(items, shortlist, candidates, (total, spare, top, best), grain, unit_price)


@kernel
def _improve(items: Records, spare: int, chosen: BoolArray, gain: float) -> float:
    """Replace the choice if taking what is inside, or that with one flip, fits and gains more."""
    flip, best = -1, max(gain, 0.0) if spare >= 0 else gain
    for i in range(items.size):
        item = items[i]
        if spare >= 0:
            if (item.units <= spare) & (item.worth > best) and not item.inside:
                flip, best = i, item.worth
        elif (item.units >= -spare) & (item.worth < -best) and item.inside:
            flip, best = i, -item.worth
    if best > gain:
        for i in range(items.size):
            chosen[i] = items[i].inside
        if flip >= 0:
            chosen[flip] = not chosen[flip]
    return best


@kernel
def core_at_price(
    items: Records,
    shortlist: IntArray,
    candidates: Records,
    room: int,
    chosen: BoolArray,
    grain: float,
    unit_price: float,
    widest: float,
) -> Core:
    """Find the core for a price λ that was right for other values; a better choice replaces the given one.

    Any price gives a bound, and a nearly right price a good one, without a search for the break item. The
    choice at this price may be too heavy. The size is -1 if the gap is wider than `widest`.
    """
    total, gain, spare = 0.0, 0.0, room
    for i in range(items.size):
        item = items[i]
        reduced = item.worth - unit_price * item.units
        inside = (reduced > 0.0) & (item.worth > 0.0)
        item.inside = inside
        item.key = abs(reduced) if item.worth > 0.0 else INFINITE
        gain += item.worth if chosen[i] else 0.0
        total += item.worth if inside else 0.0
        spare -= item.units if inside else 0
        if spare < -room:
            return Core(-1, total, spare, 0.0, 0.0, 0.0, 0.0, unit_price)
    gain = _improve(items, spare, chosen, gain - total)
    top = unit_price * spare
    if not top - gain <= widest:
        return Core(-1, total, spare, top, gain, 0.0, 0.0, unit_price)
    return _close(items, shortlist, candidates, (total, spare, top, gain), grain, unit_price)
