"""What arms and groups can choose apart from the best at the prices found, as labels; and the way back."""

import math

from allotment.compiling.decorators import kernel
from allotment.oracles.records import Records
from allotment.oracles.selection import sort
from allotment.oracles.shares.calm_arrays import FIRST_ARM, NONE, Calm
from allotment.oracles.shares.calm_prices import gains_of
from allotment.oracles.shares.groups import goal_of
from allotment.oracles.shares.labels import SHORT, USED, Layer, Target, add_label, combine_all
from allotment.oracles.shares.share_arrays import Chain


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
