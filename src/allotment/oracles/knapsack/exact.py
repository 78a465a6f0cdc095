"""The exact 0-1 knapsack on real-valued weights and values, as a compiled oracle that allocates nothing.

Weights become whole numbers of a unit so small that sums of them are exact, and rounding, where there is
any, moves an item's weight by less than 2⁻⁶⁰ of the capacity. It moves it down, and the room is cut by one
unit for every item that was rounded: whatever is chosen fits to the last bit, within the one tolerance.

A solve starts from the last one's choice, order and price, which is most of the work where values drift.
"""

import math

from allotment.arrays import BoolArray, FloatArray
from allotment.compiling.decorators import kernel, lanes
from allotment.oracles.knapsack.cardinality import price_of_items
from allotment.oracles.knapsack.core import Core, core_at_price, find_core
from allotment.oracles.knapsack.states import CoreSearch, advance, gain_bound, is_over, start, take_found
from allotment.oracles.knapsack.workspace import ExactKnapsack, exact_oracle
from allotment.oracles.protocol import Records, choose, fit
from allotment.tolerance import slack_of

__all__ = ["ExactKnapsack", "exact_oracle"]

_slack_of = kernel(slack_of)

WEIGHTLESS = 1e30  # stands for 1 / 0
LARGEST = 1.7976931348623157e308
STALE = 3.0  # find a new price once the gap has grown by this factor
NARROW = 1 << 10  # states
FIRST_EFFORT = 1 << 20
UNLIMITED = 1 << 62
COARSE = 1 << 16
FINEST = float(1 << 40)


@kernel
def _divisor(a: int, b: int) -> int:
    while b != 0:
        a, b = b, a % b
    return a


@kernel
def _common_unit(items: Records) -> int:
    """The number that all weights are multiples of, large where they are integers."""
    divisor = 0
    for i in range(items.size):
        if items[i].units > 0:
            divisor = _divisor(items[i].units, divisor)
            if divisor < COARSE:
                return 1
    return max(divisor, 1)


@fit.register
def _fit(oracle: ExactKnapsack, weights: FloatArray, capacity: float) -> None:
    widened = min(capacity + _slack_of(capacity), LARGEST)
    scale = math.ldexp(1.0, 61 - math.frexp(widened)[1])
    room = int(widened * scale)
    for i in range(weights.size):
        item = oracle.items[i]
        item.units, item.inverse = -1, 0.0
        if weights[i] <= widened:
            item.units = int(weights[i] * scale)
            item.inverse = 1.0 / item.units if item.units > 0 else WEIGHTLESS
            if item.units != weights[i] * scale:
                room -= 1  # what rounding down may have gained must not be spent
    oracle.room[0] = room - room % _common_unit(oracle.items)


@kernel
def _grain_of(items: Records) -> float:
    """The number that all worths are multiples of, where they are integers of a moderate size, or 0."""
    divisor = 0
    for i in range(items.size):
        whole = int(items[i].worth * FINEST)
        if whole != items[i].worth * FINEST:
            return 0.0
        divisor = _divisor(whole, divisor)
    return divisor / FINEST


@kernel
def _take_values(items: Records, values: FloatArray, room: int, chosen: BoolArray) -> float:
    """Scale the values, and start from the previous choice if it still fits; returns the scale."""
    highest = 0.0
    for i in range(items.size):
        if items[i].units >= 0:
            highest = max(highest, values[i])
    scale = math.ldexp(1.0, min(-math.frexp(highest)[1], 1020))
    for i in range(items.size):
        item = items[i]
        item.worth = values[i] * scale if item.units >= 0 else 0.0
        chosen[i] = item.previous and item.worth > 0.0
        if chosen[i] and room >= 0:
            room -= item.units
    if room < 0:
        chosen[:] = False
    return scale


@kernel
def begin(oracle: ExactKnapsack, values: FloatArray, chosen: BoolArray) -> tuple[Core, CoreSearch, float]:
    """Begin a solve, and most often end it: a narrow search, then what a wide one can start from.

    Also returns what values were multiplied by.
    """
    items, order, shortlist, candidates = oracle.items, oracle.order, oracle.shortlist, oracle.core
    room = oracle.room[0]
    scale = _take_values(items, values, room, chosen)
    grain = _grain_of(items)
    # Where values have fallen far, the old price is out of proportion: no gap exceeds the highest worth.
    unit_price, widest = oracle.price[0] * scale, min(STALE * oracle.price[1] * scale, 1.0)
    core = core_at_price(items, shortlist, candidates, room, chosen, grain, unit_price, widest)
    if core.size < 0:
        core = find_core(items, order, shortlist, candidates, room, chosen, grain, 0.0, 0)
        oracle.price[0], oracle.price[1] = core.unit_price / scale, (core.top - core.best) / scale
    search = start(oracle.states, core)
    if search.alive > 0:
        search = advance(oracle.states, candidates, oracle.log, core, search, NARROW, FIRST_EFFORT)
    if not is_over(core, search):
        take_found(candidates, oracle.log, search, items, chosen)
        price, limit = price_of_items(oracle, core.base + search.best)
        core = find_core(items, order, shortlist, candidates, room, chosen, grain, price, limit)
        search = start(oracle.states, core)
    return core, search, scale


@kernel
def conclude(oracle: ExactKnapsack, core: Core, search: CoreSearch, chosen: BoolArray) -> float:
    """Write down the choice; returns how much more a choice could be worth, 0 if this one is proved best."""
    items = oracle.items
    if search.found >= 0:
        take_found(oracle.core, oracle.log, search, items, chosen)
    for i in range(chosen.size):
        items[i].previous = chosen[i]
    if is_over(core, search):
        return 0.0
    oracle.unproved[0] += 1
    return gain_bound(oracle.states, oracle.core, core, search) - search.best


@choose.register
@lanes
def _choose(oracle: ExactKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    core, search, _ = begin(oracle, values, chosen)
    if search.alive > 0:
        search = advance(oracle.states, oracle.core, oracle.log, core, search, UNLIMITED, UNLIMITED)
    return conclude(oracle, core, search, chosen) == 0.0
