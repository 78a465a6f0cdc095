"""The price of a unit: the value of the budget's last unit, from tangents of the dual function.

At a price λ, every arm takes the units u that maximise value(u) - λ·u, whatever the others do. With the
budget paid for, λ·B + Σ max(value(u) - λ·u) bounds the value of any allocation, and is convex in λ. Every
visited λ gives a tangent, which stands for an allocation: its value, and its units. The point where tangents
from both sides meet is the next price to visit, until nothing lies below.

Arms of a group with a cap pay their own price, at least high enough that they take no more than the cap. Arms
of a group with a floor pay at most the price at which they take the floor. The price in a group is the
budget's price, held between these two.
"""

import math
from typing import NamedTuple

from allotment.arrays import FloatArray
from allotment.compiling.decorators import inlined, kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.share_arrays import STRIDE, Allocator, PriceLanes

VISITS = 80
ROUNDING = 1e-15
CLOSE = 5e-2  # of a unit's price: so near the lowest bound is near enough


@kernel
def _take_four(
    table: FloatArray,
    first: FloatArray,
    second: FloatArray,
    third: FloatArray,
    fourth: FloatArray,
    width: int,
) -> None:
    """Write four rows of values side by side."""
    for u in range(first.size):
        place = u * width
        table[place] = first[u]
        table[place + 1] = second[u]
        table[place + 2] = third[u]
        table[place + 3] = fourth[u]


@kernel
def _take_one(allocator: Allocator, values: FloatArray, lane: int, place: int, room: int, width: int) -> int:
    """Write one row of values, as far as its arm's limits and the room allow; returns the highest amount."""
    arm, least, table = allocator.arms[lane], allocator.least[lane], allocator.lanes.table
    most, crew = min(allocator.most[lane], least + room), allocator.crew[lane]
    if arm < 0:
        table[place] = 0.0
        return 0
    if most < crew:
        most = 0
    for u in range(values.shape[1]):
        allowed = least <= u <= most and (u == 0 or u >= crew)
        table[place + u * width] = values[arm, u] if allowed else -math.inf
    return most


@kernel
def take_values(allocator: Allocator, values: FloatArray) -> None:
    """Arrange a table of values (a row per arm) in blocks, without what limits and budget rule out."""
    arms, least, most, parts = allocator.arms, allocator.least, allocator.most, allocator.parts
    crew = allocator.crew
    blocks, table, room = allocator.lanes.blocks, allocator.lanes.table, allocator.budget[0]
    columns, top = table.size // arms.size, values.shape[1] - 1
    for p in range(parts.size):
        room -= parts[p].floor
    for p in range(parts.size):
        part = parts[p]
        part.roof = 0
        for block in range(part.first, part.end):
            start, end = blocks[block], blocks[block + 1]
            for four in range(start, end, STRIDE):
                place, free = start * columns + four - start, 0
                for lane in range(four, four + STRIDE):
                    unbound = (arms[lane] >= 0) & (least[lane] == 0) & (crew[lane] <= 1)
                    free += unbound & (min(most[lane], room) == top)
                if free == STRIDE:
                    part.roof += STRIDE * top
                    a, b, c, d = arms[four], arms[four + 1], arms[four + 2], arms[four + 3]
                    _take_four(table[place:], values[a], values[b], values[c], values[d], end - start)
                else:
                    for lane in range(four, four + STRIDE):
                        part.roof += _take_one(
                            allocator, values, lane, place + lane - four, room, end - start
                        )


@inlined
def _best_of(
    best: float, taken: float, first: float, second: float, third: float, fourth: float, units: float
) -> tuple[float, float]:
    """The best so far, or one of four more amounts if that is better."""
    taken = units if first > best else taken
    best = first if first > best else best
    taken = units + 1.0 if second > best else taken
    best = second if second > best else best
    taken = units + 2.0 if third > best else taken
    best = third if third > best else best
    taken = units + 3.0 if fourth > best else taken
    best = fourth if fourth > best else best
    return best, taken


@kernel
def _visit_block(
    table: FloatArray, best: FloatArray, taken: FloatArray, lanes: int, columns: int, price: float
) -> None:
    """What every lane of a block takes at a price: the fewest units among equally good amounts.

    Four amounts at a time, so that what is best stays in registers meanwhile.
    """
    two, three = 2 * lanes, 3 * lanes
    row = table[: 5 * lanes]
    once, twice, thrice, four = price, price * 2.0, price * 3.0, price * 4.0
    for lane in range(lanes):
        best[lane], taken[lane] = _best_of(
            row[lane],
            0.0,
            row[lane + lanes] - once,
            row[lane + two] - twice,
            row[lane + three] - thrice,
            row[lane + 4 * lanes] - four,
            1.0,
        )
    for u in range(5, columns, 4):
        row = table[u * lanes : (u + 4) * lanes]
        once, twice, thrice, four = price * u, price * (u + 1), price * (u + 2), price * (u + 3)
        for lane in range(lanes):
            best[lane], taken[lane] = _best_of(
                best[lane],
                taken[lane],
                row[lane] - once,
                row[lane + lanes] - twice,
                row[lane + two] - thrice,
                row[lane + three] - four,
                float(u),
            )


@kernel
def visit_part(lanes: PriceLanes, part: Records, price: float) -> tuple[float, int]:
    """What a part's arms are worth and take at a price: their tangent."""
    blocks, table, best, taken, _, _ = lanes
    columns = table.size // best.size
    worth, units = 0.0, 0.0
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        values = table[start * columns : end * columns]
        _visit_block(values, best[start:end], taken[start:end], end - start, columns, price)
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        e, f, g, h = 0.0, 0.0, 0.0, 0.0
        for lane in range(start, end, 4):
            a, b, c, d = a + best[lane], b + best[lane + 1], c + best[lane + 2], d + best[lane + 3]
            e, f, g, h = e + taken[lane], f + taken[lane + 1], g + taken[lane + 2], h + taken[lane + 3]
        worth += (a + b) + (c + d)
        units += (e + f) + (g + h)
    return worth + price * units, int(units)


@kernel
def _extreme(lanes: PriceLanes, part: Records, highest: bool) -> float:
    """What a part's arms are worth if all get as much as they may, or as little as they must."""
    blocks, table, best, _, _, _ = lanes
    columns, worth = table.size // best.size, 0.0
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        width = end - start
        for lane in range(width):
            place, step = start * columns + lane, width
            if highest:
                place, step = place + (columns - 1) * width, -width
            while table[place] == -math.inf:
                place += step
            worth += table[place]
    return worth


@kernel
def _near(off: int, columns: int, price: float, worth: float) -> float:
    """How far above the lowest bound is near enough: a little, unless far more or fewer units are taken."""
    return CLOSE * abs(price) if abs(off) < columns else ROUNDING * (abs(worth) + abs(price * off))


@kernel
def _meet(
    lanes: PriceLanes, part: Records, units: int, many: tuple[float, int], few: tuple[float, int]
) -> tuple[float, float]:
    """The price between two tangents at which a part's arms take `units` units, and their value there."""
    price, worth, taken, previous, columns = 0.0, 0.0, 0, math.inf, lanes.table.size // lanes.best.size
    for _ in range(VISITS):
        price = (many[0] - few[0]) / (many[1] - few[1])
        worth, taken = visit_part(lanes, part, price)
        above = worth - price * taken - (many[0] - price * many[1])
        if taken == units or price == previous or above <= _near(taken - units, columns, price, worth):
            break
        previous = price
        if taken > units:
            many = worth, taken
        else:
            few = worth, taken
    return price, worth + price * (units - taken)


@kernel
def _price_limits(lanes: PriceLanes, part: Records) -> None:
    """The lowest and the highest price that a part's arms may pay, given their floor and cap together."""
    part.cap_price, part.floor_price = -math.inf, math.inf
    few = _extreme(lanes, part, False), part.floor
    part.cap_worth, part.floor_worth = 0.0, few[0]
    if part.most < part.roof:
        many = visit_part(lanes, part, 0.0)
        if many[1] > part.most:
            part.cap_price, part.cap_worth = _meet(lanes, part, part.most, many, few)
    if part.least > part.floor:
        many = _extreme(lanes, part, True), part.roof
        part.floor_price, part.floor_worth = _meet(lanes, part, part.least, many, few)
        part.floor_price = max(part.floor_price, part.cap_price)


@kernel
def _visit_all(lanes: PriceLanes, parts: Records, price: float) -> tuple[float, int]:
    """The tangent of the whole: what all arms are worth and take if a unit of the budget has this price."""
    worth, taken = 0.0, 0
    for p in range(parts.size):
        part = parts[p]
        if price < part.cap_price:
            more = part.cap_worth, part.most
        elif price > part.floor_price:
            more = part.floor_worth, part.least
        else:
            more = visit_part(lanes, part, price)
        worth, taken = worth + more[0], taken + more[1]
    return worth, taken


class Price(NamedTuple):
    """The price of a unit of the budget, and what is known from looking for it."""

    price: float
    bound: float  # no allocation is worth more than this
    within: float  # where all arms together are within the budget: the lowest such price seen, or inf,
    worth: float  # and what they are worth then


@kernel
def find_price(allocator: Allocator) -> Price:
    """The price of a unit of the budget; every part's own price is written down."""
    lanes, parts, budget = allocator.lanes, allocator.parts, allocator.budget[0]
    few = 0.0, 0
    for p in range(parts.size):
        _price_limits(lanes, parts[p])
        few = few[0] + parts[p].floor_worth, few[1] + parts[p].least
    price, previous, within, columns = 0.0, math.inf, math.inf, lanes.table.size // lanes.best.size
    worth, taken = _visit_all(lanes, parts, price)
    many = worth, taken
    if taken > budget:
        for _ in range(VISITS):
            price = (many[0] - few[0]) / (many[1] - few[1])
            worth, taken = _visit_all(lanes, parts, price)
            above = worth - price * taken - (many[0] - price * many[1])
            if taken == budget or price == previous or above <= _near(taken - budget, columns, price, worth):
                break
            previous = price
            if taken > budget:
                many = worth, taken
            else:
                few, within = (worth, taken), price
    for p in range(parts.size):
        part = parts[p]
        part.price = max(part.cap_price, min(part.floor_price, price))
        if part.price != price:
            visit_part(lanes, part, part.price)
        units = 0.0
        for lane in range(lanes.blocks[part.first], lanes.blocks[part.end]):
            units += lanes.taken[lane]
        part.taken = int(units)
    return Price(price, worth + price * (budget - taken), within, few[0])
