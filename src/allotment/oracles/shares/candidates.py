"""What is in question at the prices found: the arms for which another choice could be part of something better."""

import math
from typing import NamedTuple

from allotment.checks import FloatArray
from allotment.compiling import inlined, kernel
from allotment.oracles.shares.chains import Goal, toll
from allotment.oracles.shares.workspace import Chain, Lanes, Records


class Collected(NamedTuple):
    """What was collected, and the cheapest way to the goal seen meanwhile: at most one arm chooses otherwise."""

    elements: int
    candidates: int
    limit: float  # nothing better costs as much as this
    lane: int  # the arm that chooses otherwise, or -1: none
    units: int  # and what it gets instead
    cost: float  # what this costs, or inf: no such way was seen


@inlined
def _other(next_best: float, here: float, units: float, taken: float) -> float:
    """The best so far apart from what is taken, with one more amount."""
    here = here if units != taken else -math.inf
    return here if here > next_best else next_best


@kernel
def _survey_block(
    table: FloatArray, second: FloatArray, taken: FloatArray, lanes: int, columns: int, price: float
) -> None:
    """For every lane, the best after paying the price apart from what is taken; four amounts at a time."""
    two, three = 2 * lanes, 3 * lanes
    for lane in range(lanes):
        second[lane] = table[lane] if taken[lane] != 0.0 else -math.inf
    for u in range(1, columns, 4):
        row = table[u * lanes : (u + 4) * lanes]
        once, twice, thrice, four = price * u, price * (u + 1), price * (u + 2), price * (u + 3)
        units = float(u)
        for lane in range(lanes):
            most, own = second[lane], taken[lane]
            most = _other(most, row[lane] - once, units, own)
            most = _other(most, row[lane + lanes] - twice, units + 1.0, own)
            most = _other(most, row[lane + two] - thrice, units + 2.0, own)
            second[lane] = _other(most, row[lane + three] - four, units + 3.0, own)


@kernel
def survey(lanes: Lanes, part: Records) -> float:
    """Find every arm's second best choice in a part; returns what its arms are worth, regardless of sign."""
    blocks, table, best, taken, second = lanes
    columns, size = table.size // best.size, 0.0
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        values = table[start * columns : end * columns]
        _survey_block(values, second[start:end], taken[start:end], end - start, columns, part.price)
        for lane in range(start, end):
            size += abs(best[lane])
    return size


@kernel
def collect(
    lanes: Lanes, part: Records, chain: Chain, before: Collected, goal: Goal, step: float, thrifty: bool
) -> Collected:
    """Append the arms of a part for which another choice costs less than the limit.

    A way to the goal that is seen meanwhile lowers the limit to a step below its cost. To be thrifty is to
    leave out amounts that are worth no more than a smaller one, which nobody needs who does not have to spend.
    """
    blocks, table, best, all_taken, second = lanes
    elements, candidates = chain.elements, chain.candidates
    columns, price = table.size // best.size, part.price
    count, used, limit, chosen, chosen_units, cheapest = before
    for block in range(part.first, part.end):
        start, end = blocks[block], blocks[block + 1]
        for lane in range(start, end):
            if best[lane] - second[lane] >= limit:
                continue
            taken, high, first = int(all_taken[lane]), -math.inf, used
            place, down, up, top = start * columns + lane - start, 0, 0, best[lane]
            for u in range(columns):
                value = table[place]
                place += end - start
                if thrifty and value <= high:
                    continue
                high = value
                cost = top - (value - price * u)
                if cost < limit and u != taken:
                    candidates[used].shift, candidates[used].cost = u - taken, cost
                    down, up = max(down, taken - u), max(up, u - taken)
                    used += 1
                    total = cost + toll(goal, u - taken)
                    if total < limit:
                        chosen, chosen_units, cheapest, limit = lane, u, total, total - step
            if used > first:
                element = elements[count]
                element.key, element.who, element.first, element.end = top - second[lane], lane, first, used
                element.down, element.up = down, up
                count += 1
    return Collected(count, used, limit, chosen, chosen_units, cheapest)


@kernel
def all_whole(table: FloatArray) -> bool:
    """Whether all values are whole numbers, so that a better allocation is better by at least 1."""
    for k in range(table.size):
        value = table[k]
        if value != -math.inf and not (abs(value) < 1e9 and value == math.floor(value)):
            return False
    return True
