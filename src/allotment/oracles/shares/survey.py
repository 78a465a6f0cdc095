"""What is in question at the prices found: arms whose second best choice may be part of something better."""

import math
from typing import NamedTuple

from allotment.arrays import FloatArray
from allotment.compiling.decorators import inlined, kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.chains import Goal, toll
from allotment.oracles.shares.share_arrays import Chain, PriceLanes


class Collected(NamedTuple):
    """What was collected, and the cheapest way to the goal seen meanwhile, by one arm choosing otherwise."""

    elements: int
    candidates: int
    limit: float  # nothing better costs as much as this
    lane: int  # the arm that chooses otherwise, or -1: none
    units: int  # and what it gets instead
    cost: float  # what this costs, or inf: no such way was seen


@inlined
def _other(second: float, value: float, charge: float, units: float, taken: float) -> float:
    """The best after paying, so far, apart from what is taken; with one more amount."""
    left = value - charge if units != taken else -math.inf
    return left if left > second else second


@inlined
def _within(reach: float, value: float, units: float, most: float) -> float:
    """The best value so far with at most `most` units, after one more amount."""
    value = value if units <= most else -math.inf
    return value if value > reach else reach


@kernel
def _survey_block(
    table: FloatArray,
    taken: FloatArray,
    second: FloatArray,
    reach: FloatArray,
    shape: tuple[int, int],
    price: float,
    room: float,
) -> None:
    """For every lane, the best apart from what is taken, and the best with the room on top; in fours."""
    width, columns = shape
    two, three = 2 * width, 3 * width
    for lane in range(width):
        own, value = taken[lane], table[lane]
        second[lane] = _other(-math.inf, value, 0.0, 0.0, own)
        reach[lane] = _within(-math.inf, value, 0.0, own + room)
    for u in range(1, columns, 4):
        row = table[u * width : (u + 4) * width]
        once, twice, thrice, four = price * u, price * (u + 1), price * (u + 2), price * (u + 3)
        units = float(u)
        for lane in range(width):
            own, other, far = taken[lane], second[lane], reach[lane]
            a, b, c, d = row[lane], row[lane + width], row[lane + two], row[lane + three]
            other = _other(other, a, once, units, own)
            other = _other(other, b, twice, units + 1.0, own)
            other = _other(other, c, thrice, units + 2.0, own)
            second[lane] = _other(other, d, four, units + 3.0, own)
            most = own + room
            far = _within(far, a, units, most)
            far = _within(far, b, units + 1.0, most)
            far = _within(far, c, units + 2.0, most)
            reach[lane] = _within(far, d, units + 3.0, most)


@kernel
def survey(lanes: PriceLanes, part: Records, room: int) -> tuple[float, float, int]:
    """Find every arm's second best choice in a part, and its best with this room on top of what it takes.

    Returns what the part's arms are worth after paying, regardless of sign; the most that one arm gains by
    using the room (-inf where none can); and its lane.
    """
    blocks, table, best, taken, second, reach = lanes
    columns, size, gain, chosen, price = table.size // best.size, 0.0, -math.inf, -1, part.price
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        values, shape = table[start * columns : end * columns], (end - start, columns)
        _survey_block(
            values, taken[start:end], second[start:end], reach[start:end], shape, price, float(room)
        )
        for lane in range(start, end):
            size += abs(best[lane])
            more = reach[lane] - (best[lane] + price * taken[lane])
            if more > gain:
                gain, chosen = more, lane
    return size, gain, chosen


@kernel
def take_reach(lanes: PriceLanes, part: Records, lane: int, room: int) -> None:
    """Let one arm use the room as well as it can."""
    blocks, table, best, taken, _, reach = lanes
    columns, block = table.size // best.size, part.first
    while blocks[block + 1] <= lane:
        block += 1
    start, width, u = blocks[block], blocks[block + 1] - blocks[block], 0
    while table[start * columns + u * width + lane - start] != reach[lane]:
        u += 1
    taken[lane] = float(u)


@kernel
def collect(
    lanes: PriceLanes, part: Records, chain: Chain, before: Collected, goal: Goal, step: float, thrifty: bool
) -> Collected:
    """Append the arms of a part for which another choice costs less than the limit.

    A way to the goal that is seen meanwhile lowers the limit to a step below its cost. To be thrifty is to
    leave out amounts that are worth no more than a smaller one: of no use unless a group has to spend.
    """
    blocks, table, best, all_taken, second, _ = lanes
    elements, candidates = chain.elements, chain.candidates
    columns, price = table.size // best.size, part.price
    count, used, limit, chosen, chosen_units, cheapest = before
    lavish = not thrifty
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        for lane in range(start, end):
            if best[lane] - second[lane] >= limit:
                continue
            taken, high, first = int(all_taken[lane]), -math.inf, used
            place, top = start * columns + lane - start, best[lane]
            for u in range(columns):
                value = table[place]
                place += end - start
                cost, candidate = top - (value - price * u), candidates[used]
                candidate.shift, candidate.cost = u - taken, cost
                # Without branches: which amounts are kept is hard to guess.
                used += (cost < limit) & (u != taken) & ((value > high) | lavish)
                high = value if value > high else high
            if used > first:
                element = elements[count]
                element.key, element.who, element.first, element.end = top - second[lane], lane, first, used
                element.down, element.up = (
                    max(-candidates[first].shift, 0),
                    max(candidates[used - 1].shift, 0),
                )
                count += 1
            if goal.low <= goal.high:
                for c in range(first, used):
                    total = candidates[c].cost + toll(goal, candidates[c].shift)
                    if total < limit:
                        chosen, chosen_units, cheapest = lane, taken + candidates[c].shift, total
                        limit = total - step
    return Collected(count, used, limit, chosen, chosen_units, cheapest)


@kernel
def all_whole(table: FloatArray) -> bool:
    """Whether all values are whole numbers, so that a better allocation is better by at least 1."""
    for k in range(table.size):
        value = table[k]
        if value != -math.inf and not (abs(value) < 1e9 and value == math.floor(value)):
            return False
    return True
