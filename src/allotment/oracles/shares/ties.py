"""Where many arms are indifferent at the price found, let some choose more or less so that all nearly fit.

Prices alone move all arms that are alike at once. Among amounts that are equally good after paying, any is a
best choice: those taken here bring what is spent near the budget, so that the search starts near its goal.
"""

from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.share_arrays import Allocator, PriceLanes

ROUNDING = 2e-13  # relative: smaller differences are rounding, and a part of the one tolerance


@kernel
def _shift_part(lanes: PriceLanes, part: Records, wanted: int) -> int:
    """Shift what a part takes by what is wanted, as far as ties allow; returns what is still missing."""
    blocks, table, best, taken, _, _ = lanes
    columns, price = table.size // best.size, part.price
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        for lane in range(start, end):
            own = int(taken[lane])
            u, last, step = (own + 1, columns, 1) if wanted > 0 else (own - 1, -1, -1)
            shift = 0
            while u != last and abs(u - own) <= abs(wanted):
                cost = best[lane] - (table[start * columns + u * (end - start) + lane - start] - price * u)
                if cost <= ROUNDING * (abs(best[lane]) + abs(price) * max(u, own)):
                    shift = u - own
                u += step
            taken[lane] += float(shift)
            part.taken += shift
            wanted -= shift
            if wanted == 0:
                return wanted
    return wanted


@kernel
def balance(allocator: Allocator, price: float) -> None:
    """Use ties to bring groups near their limits, and all arms near the budget, if they are far from them."""
    lanes, parts, room = allocator.lanes, allocator.parts, allocator.budget[0]
    columns = lanes.table.size // lanes.best.size
    for p in range(parts.size):
        part = parts[p]
        wanted = min(max(part.taken, part.least), part.most) - part.taken
        if abs(wanted) >= columns:
            _shift_part(lanes, part, wanted)
        room -= part.taken
    if -columns < room < columns or (price == 0.0 and room >= 0):
        return
    for p in range(parts.size):
        part = parts[p]
        wanted = min(max(room, part.least - part.taken), part.most - part.taken)
        if wanted * room > 0 and part.price == price:
            room -= wanted - _shift_part(lanes, part, wanted)
