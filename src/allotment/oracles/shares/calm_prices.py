"""The price of a gain: what it would be worth if arms together could gain one unit more.

At a price μ, an arm pays μ for every unit that it gains over what it had. The prices of the budget and of
groups are found for the values after that (`prices.py`). With all gains paid for, what comes out is a bound
for every μ, convex in μ; tangents from both sides lead to the lowest, as they do for the budget.
"""

import math
from typing import NamedTuple

from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.calm_arrays import Calm
from allotment.oracles.shares.prices import ROUNDING, Price, find_price
from allotment.oracles.shares.share_arrays import LANES
from allotment.oracles.shares.ties import balance

VISITS = 40
CLOSE = 4e-1  # of a gain's price: so near the lowest bound is near enough


class GainPrice(NamedTuple):
    """The price of a gain, the prices found beside it, and the bound that they give."""

    gain: float
    found: Price
    bound: float
    gains: int  # of the best choices at these prices


@kernel
def charge_gains(calm: Calm, price: float) -> None:
    """Write the values that are left after paying for gains."""
    blocks, table, best, _, _, _ = calm.allocator.lanes
    plain, before, columns = calm.plain, calm.before, calm.allocator.lanes.table.size // best.size
    for block in range(blocks.size - 1):
        start, width = blocks[block], blocks[block + 1] - blocks[block]
        for u in range(columns):
            place, units = start * columns + u * width, float(u)
            for lane in range(width):
                gain = units - before[start + lane]
                table[place + lane] = plain[place + lane] - (price * gain if gain > 0.0 else 0.0)


@kernel
def gains_of(calm: Calm, part: Records) -> int:
    """The units that a part's arms take more than they had."""
    blocks, taken, total = calm.allocator.lanes.blocks, calm.allocator.lanes.taken, 0.0
    for lane in range(blocks[part.first], blocks[part.end]):
        gain = taken[lane] - calm.before[lane]
        total += gain if gain > 0.0 else 0.0
    return int(total)


@kernel
def all_gains(calm: Calm) -> int:
    """The units that all arms take more than they had."""
    gains = 0
    for p in range(calm.allocator.parts.size):
        gains += gains_of(calm, calm.allocator.parts[p])
    return gains


@kernel
def _visit(calm: Calm, price: float) -> GainPrice:
    """Find all other prices at a price of gains.

    Only where the best choices nearly spend the budget do their gains say to which side the lowest bound is.
    """
    charge_gains(calm, price)
    found = find_price(calm.allocator)
    balance(calm.allocator, found.price)
    return GainPrice(price, found, found.bound + price * calm.moves[0], all_gains(calm))


@kernel
def find_gain_price(calm: Calm, many: tuple[float, int], few: tuple[float, int]) -> GainPrice:
    """Find the price of a gain, between the best allocation, with too many gains, and one with few enough.

    Where the best choices do not quite spend the budget, their gains differ a little from the slope of the
    bound. That may end the search early, with a bound that is higher than necessary, but valid.
    """
    moves, columns, low, high = calm.moves[0], calm.plain.size // calm.before.size, 0.0, math.inf
    many_arms = max(1.0, calm.before.size / LANES)  # of which more are in question where the bound is high
    best, lowest = GainPrice(0.0, Price(0.0, 0.0, 0.0, 0.0), math.inf, 0), math.inf
    price = 0.0
    for visit in range(VISITS):
        price = max((many[0] - few[0]) / (many[1] - few[1]), 0.0)
        if not low < price < high:
            price = 0.5 * (low + high) if high < math.inf else 2.0 * price
        here = _visit(calm, price)
        if here.bound < lowest:
            best, lowest = here, here.bound
        above, off = here.bound - (many[0] + price * (moves - many[1])), abs(here.gains - moves)
        near = CLOSE / many_arms * price if off < columns else ROUNDING * (abs(here.bound) + price * off)
        if off == 0 or above <= near or price <= low or price >= high:
            break
        if visit > many_arms and off < columns and best.gain != price:
            break  # a lower bound would save less than it takes to find it
        if here.gains > moves:
            many = here.found.bound + price * here.gains, here.gains
        else:
            few = here.found.bound + price * here.gains, here.gains
        # From a price with a higher bound, the lowest is on the side of the best seen, whatever gains say.
        if best.gain > price if best.gain != price else here.gains > moves:
            low = price
        else:
            high = price
    if best.gain != price:
        best = _visit(calm, best.gain)
    return best
