"""The compiled solver of the best allocation in whole units, with a limit on the units that arms gain.

It first solves without the limit, since the best allocation often keeps to it. If not, gains get a price, and
the search looks for deviations from the best choices among labels of units and gains. Each group is solved on
its own; its totals are then the candidates of one element, as in `groups.py`.
"""

import math
from typing import NamedTuple

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.selection import sort
from allotment.oracles.shares.calm_arrays import FIRST_ARM, NONE, Calm
from allotment.oracles.shares.calm_prices import GainPrice, all_gains, charge_gains, find_gain_price, gains_of
from allotment.oracles.shares.calm_ties import balance_gains
from allotment.oracles.shares.chains import Goal, toll
from allotment.oracles.shares.groups import GENEROUS, goal_of, make_do
from allotment.oracles.shares.labels import (
    DROPPED,
    SHORT,
    SHORTAGES,
    USED,
    BestLabel,
    Layer,
    Target,
    add_label,
    combine_all,
    combine_best,
)
from allotment.oracles.shares.share_arrays import NO_LIMIT, Chain
from allotment.oracles.shares.solver import (
    TINY,
    Ready,
    conclude,
    prepare,
    prepare_table,
    share_out_at,
    share_out_in_groups_at,
)
from allotment.oracles.shares.survey import all_whole, survey
from allotment.tolerance import RELATIVE


@kernel
def list_arms(calm: Calm, part: Records, chain: Chain, count: int, limit: float) -> int:
    """Append the arms of a part for which another choice costs less than the limit; counts all, or SHORT.

    Unless a group has to spend, amounts that are worth no more than a smaller one are of no use: they gain no
    less than it does.
    """
    blocks, table, best, all_taken, second, _ = calm.allocator.lanes
    columns, lavish = table.size // best.size, part.least > part.floor
    for block in range(part.first, part.end):
        start, width = blocks[block], blocks[block + 1] - blocks[block]
        for lane in range(start, start + width):
            if best[lane] - second[lane] >= limit:
                continue
            taken, before, high = int(all_taken[lane]), int(calm.before[lane]), -math.inf
            place, first, had = start * columns + lane - start, calm.counts[USED], max(taken - before, 0)
            for u in range(columns):
                value, cost = calm.plain[place], best[lane] - (table[place] - part.price * u)
                place += width
                if cost < limit and u != taken and (value > high or lavish):
                    gains = max(u - before, 0) - had
                    if add_label(calm, u - taken, gains, cost, NONE, FIRST_ARM - lane) == SHORT:
                        return SHORT
                high = max(high, value)
            if calm.counts[USED] > first:
                element = chain.elements[count]
                element.key, element.first, element.end = best[lane] - second[lane], first, calm.counts[USED]
                chain.order[count] = count
                count += 1
    return count


@kernel
def list_totals(calm: Calm, part: Records, price: float, limit: float, width: int) -> Layer:
    """All totals of a group's arms, in units and gains, that cost less than the limit."""
    inner = calm.allocator.inner
    count = list_arms(calm, part, inner, 0, limit)
    if count == SHORT:
        return Layer(0, SHORT)
    sort(inner.order, inner.elements.key, count)
    target = Target(goal_of(part, price), calm.moves[0] - gains_of(calm, part), 0.0, width)
    return combine_all(calm, inner, count, target, limit)


@kernel
def follow_labels(calm: Calm, label: int) -> None:
    """Write down the choices that a label combines."""
    taken = calm.allocator.lanes.taken
    while label != NONE:
        inner = calm.labels[label].choice
        while inner != NONE:
            choice = calm.labels[inner].choice
            if choice <= FIRST_ARM:
                taken[FIRST_ARM - choice] += float(calm.labels[inner].units)
                break
            if choice != NONE:  # the inner label adds an arm to the totals of a group
                taken[FIRST_ARM - calm.labels[choice].choice] += float(calm.labels[choice].units)
            inner = calm.labels[inner].before
        label = calm.labels[label].before


FIRST = 15.0  # of the prices of a unit and a gain, shared by all arms: what is looked at first
GROWTH = 4.0
MANY, NARROW = 256, 16  # with more than MANY arms, a first search stays within NARROW units and gains
TRIALS = 600  # from the smallest number to the largest
FIRST_RAISE, LAST_RAISE = 1e-9, 1e3  # of the price of a gain, where gains are too many
LOWER = 3  # trials with lower limits, once memory or time was short


class CalmSearch(NamedTuple):
    """What stays the same while limits are tried."""

    prices: GainPrice
    target: Target
    step: float
    tolerance: float


@kernel
def _settle(calm: Calm, part: Records, search: CalmSearch, first: float, highest: float) -> bool:
    """Find the least that a group's limits cost, if that is below the highest; says whether it is certain."""
    price = search.prices.found.price
    part.cost = toll(goal_of(part, price), 0)
    if part.cost == 0.0:
        return True
    cost, limit, width = highest, min(first, highest), search.target.width
    for _ in range(TRIALS):
        calm.counts[USED] = calm.counts[DROPPED] = 0
        totals = list_totals(calm, part, price, limit, width)
        if totals.end == SHORT:
            break
        for k in range(totals.first, totals.end):
            total = calm.labels[k]
            cost = min(cost, total.cost)
        if calm.counts[DROPPED] > 0 and cost > search.tolerance:
            width = NO_LIMIT
        elif totals.first < totals.end or limit >= highest:
            part.cost = cost
            return True
        else:
            limit = min(limit * GROWTH, highest)
    return False


@kernel
def _try(calm: Calm, search: CalmSearch, limit: float) -> BestLabel:
    """Search among all that costs less than a limit, on top of what the groups' limits cost."""
    parts, outer, width = calm.allocator.parts, calm.allocator.outer, search.target.width
    calm.counts[USED] = calm.counts[DROPPED] = 0
    for p in range(1, parts.size):
        part, element = parts[p], outer.elements[p - 1]
        totals = list_totals(calm, part, search.prices.found.price, part.cost + limit, width)
        if totals.end == SHORT:
            return BestLabel(math.inf, NONE, False)
        element.key, element.first, element.end = 0.0, totals.first, totals.end
        outer.order[p - 1] = p - 1
        for k in range(totals.first, totals.end):
            total = calm.labels[k]
            total.cost = max(total.cost - part.cost, 0.0)
    groups = parts.size - 1
    count = list_arms(calm, parts[0], outer, groups, limit)
    if count == SHORT:
        return BestLabel(math.inf, NONE, False)
    sort(outer.order[groups:], outer.elements.key, count - groups)
    return combine_best(calm, outer, count, groups, search.target, limit, search.step)


@kernel
def _attempt(calm: Calm, search: CalmSearch, first: float, highest: float) -> BestLabel:
    """Try with ever higher limits until something is found that costs less than the highest.

    Where memory or time does not suffice for that, try with some lower ones.
    """
    limit, certain, lower = min(first, highest), True, 0
    found = BestLabel(math.inf, NONE, True)
    while limit > 0.0 and lower <= LOWER:
        shortages = calm.counts[SHORTAGES]
        found = _try(calm, search, limit)
        certain = certain and found.complete
        lower += calm.counts[SHORTAGES] > shortages or lower > 0
        if found.label != NONE or (lower == 0 and limit >= highest):
            break
        limit = limit / (GROWTH * GROWTH) if lower > 0 else min(limit * GROWTH, highest)
    return BestLabel(found.cost, found.label, certain)


@kernel
def _search(calm: Calm, search: CalmSearch, first: float, highest: float) -> BestLabel:
    """Find the best that costs less than the highest.

    The first search keeps to a width: what it finds leaves less for the second, which does not.
    """
    narrow = _attempt(calm, search, first, highest)
    if narrow.complete:
        return narrow
    target = Target(search.target.goal, search.target.gains, search.target.gain_price, NO_LIMIT)
    wide = CalmSearch(search.prices, target, search.step, search.tolerance)
    found = _attempt(calm, wide, min(first, narrow.cost), min(highest, narrow.cost - search.step))
    if found.label != NONE or narrow.label == NONE:
        return found
    again = _try(calm, search, narrow.cost * (1.0 + GENEROUS) + 2.0 * search.tolerance)  # for its labels
    return BestLabel(again.cost, again.label, found.complete and again.label != NONE)


@kernel
def _prepare(calm: Calm, prices: GainPrice) -> CalmSearch:
    """What is in question at the prices found."""
    parts, price, budget = calm.allocator.parts, prices.found.price, calm.allocator.budget[0]
    gains, room = balance_gains(calm, prices), budget
    size = price * budget + prices.gain * max(calm.moves[0], gains)
    for p in range(parts.size):
        part = parts[p]
        more, _, _ = survey(calm.allocator.lanes, part, 0)
        size += more + abs(part.price) * max(part.taken, part.least)
        room -= part.taken
    tolerance = max(0.5 * RELATIVE * size, TINY)
    step = 1.0 - tolerance if all_whole(calm.plain) else tolerance
    width = NARROW if calm.before.size > MANY else NO_LIMIT
    target = Target(Goal(-NO_LIMIT, room, price, 0.0), calm.moves[0] - gains, prices.gain, width)
    return CalmSearch(prices, target, step, tolerance)


@kernel
def _share_out_without_limit(calm: Calm, ready: Ready, units: IntArray) -> tuple[bool, float]:
    """Share out as if gains were not limited."""
    if calm.allocator.parts.size > 1:
        return share_out_in_groups_at(calm.allocator, ready, units)
    return share_out_at(calm.allocator, ready, units)


@kernel
def _make_do_calmly(calm: Calm, price: float, units: IntArray) -> None:
    """Choose the best allocation at the lowest tried price of gains with few enough gains."""
    unproved, raised = calm.allocator.unproved[0], FIRST_RAISE
    while raised < LAST_RAISE:
        charge_gains(calm, price * (1.0 + raised))
        _share_out_without_limit(calm, prepare_table(calm.allocator), units)
        calm.allocator.unproved[0] = unproved
        if all_gains(calm) <= calm.moves[0]:
            return
        raised *= 8.0
    make_do(calm.allocator)


@kernel
def _share_out_at_prices(
    calm: Calm, values: FloatArray, many: tuple[float, int], units: IntArray
) -> tuple[bool, float]:
    """Share out with a price for gains, where what is worth most without one has too many."""
    allocator, worth, kept, complete = calm.allocator, 0.0, 0, True
    for lane in range(allocator.arms.size):
        if allocator.arms[lane] >= 0:
            worth += values[allocator.arms[lane], allocator.enough[lane]]
            kept += max(allocator.enough[lane] - int(calm.before[lane]), 0)
    prices = find_gain_price(calm, many, (worth, kept))
    search = _prepare(calm, prices)
    dearest, highest = prices.found.price, prices.bound - worth + search.tolerance
    for p in range(1, allocator.parts.size):
        dearest = max(dearest, abs(allocator.parts[p].price))
    first = max(FIRST / allocator.arms.size * (dearest + prices.gain), search.tolerance)
    for p in range(1, allocator.parts.size):
        part = allocator.parts[p]
        complete = complete and _settle(calm, part, search, first, highest)
        highest -= part.cost
    found = _search(calm, search, first, highest) if complete else BestLabel(math.inf, NONE, False)
    if found.label != NONE:
        follow_labels(calm, found.label)
    elif found.complete:
        make_do(allocator)
    else:
        _make_do_calmly(calm, prices.gain, units)
    conclude(allocator, found.complete, units)
    return found.complete, prices.bound + search.tolerance


@kernel
def share_out_calmly(calm: Calm, values: FloatArray, units: IntArray) -> tuple[bool, float]:
    """Write down the best units for every arm, given a row of values for each.

    Says whether they are proved to be best, and what no allocation is worth more than (up to the tolerance).
    """
    allocator, moves = calm.allocator, calm.moves[0]
    ready = prepare(allocator, values)
    gains = all_gains(calm)
    if gains <= moves:
        proved, bound = _share_out_without_limit(calm, ready, units)
        gains = all_gains(calm)
        if gains <= moves:
            return proved, bound
        allocator.unproved[0] -= not proved
    for k in range(calm.plain.size):
        calm.plain[k] = allocator.lanes.table[k]
    return _share_out_at_prices(calm, values, (ready.found.bound, gains), units)
