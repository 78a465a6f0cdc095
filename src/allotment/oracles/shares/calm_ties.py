"""Where many arms are indifferent at the prices found, let some choose so that units and gains nearly fit.

Prices move all arms that are alike at once. Among amounts that are equally good after paying, any is a best
choice: those taken here bring units near the budget and gains near the moves, so that the search starts near
its target. As `ties.py` does for units alone.
"""

from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.calm_arrays import Calm
from allotment.oracles.shares.calm_prices import GainPrice
from allotment.oracles.shares.ties import ROUNDING

PASSES = 2  # the first is mostly after gains, the second after the units that this took


@kernel
def _outside(part: Records, total: int) -> int:
    """How far a total is outside a part's limits."""
    return max(part.least - total, total - part.most, 0)


@kernel
def _distance(units: int, gains: int, wanted: bool, columns: int) -> int:
    """How far off units and gains are; a gain counts most, since only units are made up for elsewhere."""
    return (abs(units) if units < 0 or wanted else 0) + columns * abs(gains)


@kernel
def _shift_part(calm: Calm, part: Records, units: int, gains: int) -> tuple[int, int]:
    """Let the arms of a part choose so that fewer units and gains are missing; returns what still is."""
    wanted = part.price != 0.0  # units that cost nothing may be left over
    blocks, table, best, taken, _, _ = calm.allocator.lanes
    columns, price = table.size // best.size, part.price
    for block in range(part.first, part.end):
        start, width = blocks[block], blocks[block + 1] - blocks[block]
        for lane in range(start, start + width):
            own, before = int(taken[lane]), int(calm.before[lane])
            had, chosen, off = max(own - before, 0), own, _distance(units, gains, wanted, columns)
            for u in range(columns):
                cost = best[lane] - (table[start * columns + u * width + lane - start] - price * u)
                if cost <= ROUNDING * (abs(best[lane]) + abs(price) * max(u, own)):
                    shifted, more = part.taken + u - own, max(u - before, 0) - had
                    less = _distance(units - (u - own), gains - more, wanted, columns)
                    if less < off and _outside(part, shifted) <= _outside(part, part.taken):
                        chosen, off = u, less
            taken[lane] = float(chosen)
            part.taken += chosen - own
            units, gains = units - (chosen - own), gains - (max(chosen - before, 0) - had)
    return units, gains


@kernel
def balance_gains(calm: Calm, prices: GainPrice) -> int:
    """Use ties to bring all arms near the budget and the moves, if they are far from either; their gains."""
    parts, columns = calm.allocator.parts, calm.plain.size // calm.before.size
    price, room, missing = prices.found.price, calm.allocator.budget[0], calm.moves[0] - prices.gains
    for p in range(parts.size):
        room -= parts[p].taken
    if -columns < room < columns and -columns < missing < columns:
        return prices.gains
    for k in range(PASSES * parts.size):
        part = parts[k % parts.size]
        if part.price == price:
            room, missing = _shift_part(calm, part, room, missing)
        else:  # its arms have a total of their own to keep to
            own = (part.most if part.price > price else part.least) - part.taken
            room += part.taken
            _, missing = _shift_part(calm, part, own, missing)
            room -= part.taken
    return calm.moves[0] - missing
