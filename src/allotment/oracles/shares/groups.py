"""Groups with a floor and a cap: each is worked out by itself, then all are put together like arms.

At the prices found, a group that its floor or cap binds pays a price of its own. What its arms must deviate by,
so that whole units fit the limits, has a least cost, found first for every group alone. Only what is then still
between bound and best allocation is shared: for every group, all totals that cost no more than that above its
least become the candidates of one element, and the chain of elements is searched as that of arms is.
"""

import math
from typing import NamedTuple

from allotment.compiling import kernel
from allotment.oracles.shares.candidates import Collected, collect
from allotment.oracles.shares.chains import Goal, fill_chain, search_chain, step_back, toll
from allotment.oracles.shares.prices import Price
from allotment.oracles.shares.workspace import NO_LIMIT, Allocator, Chain, Records

NO_GOAL = Goal(1, 0, 0.0, 0.0)
FIRST = 0.25  # of a unit's price: what is looked at first
GROWTH = 8.0
TRIALS = 400  # from the smallest number to the largest


class Outcome(NamedTuple):
    """What a search came to: what is written down costs so much more than the bound allows at least."""

    cost: float  # inf: nothing was found
    complete: bool


@kernel
def follow_back(allocator: Allocator, chain: Chain, layer: int, shift: int) -> None:
    """Write down the choices that led to a shift; for a group, the units on top of those taken."""
    while layer > 0:
        c, shift = step_back(chain, layer, shift)
        layer -= 1
        if c >= 0:
            who, change = chain.elements[chain.order[layer]].who, chain.candidates[c].shift
            if who >= 0:
                allocator.lanes.taken[who] += float(change)
            else:
                allocator.parts[-who].detour += change


@kernel
def goal_of(part: Records, price: float) -> Goal:
    """What a group's arms may take together, counted from what they take at their price."""
    return Goal(
        part.least - part.taken, part.most - part.taken, max(part.price - price, 0.0), max(price - part.price, 0.0)
    )


@kernel
def _settle(allocator: Allocator, part: Records, goal: Goal, step: float) -> bool:
    """Find the least that a group's limits cost; says whether that is certain."""
    part.cost, part.detour = toll(goal, 0), 0
    if part.cost <= step:
        return True
    nothing = Collected(0, 0, part.cost, -1, 0, math.inf)
    got = collect(allocator.lanes, part, allocator.inner, nothing, goal, step, False)
    found = search_chain(allocator.inner, got.elements, goal, got.limit, step)
    if found.cost < math.inf:
        part.cost, part.detour = found.cost, found.shift
    elif got.lane >= 0:
        part.cost, part.detour = got.cost, got.units - int(allocator.lanes.taken[got.lane])
    return found.complete and part.cost < math.inf


@kernel
def _profile(allocator: Allocator, part: Records, goal: Goal, limit: float) -> int:
    """All totals of a group's arms that cost less than the limit, as the last row of the inner chain."""
    got = collect(allocator.lanes, part, allocator.inner, Collected(0, 0, limit, -1, 0, math.inf), NO_GOAL, 0.0, False)
    return fill_chain(allocator.inner, got.elements, goal, limit)


@kernel
def _add_group(allocator: Allocator, p: int, before: Collected, price: float) -> Collected:
    """Append a group as an element, its totals as candidates; a negative limit says that memory was short."""
    part, outer, inner = allocator.parts[p], allocator.outer, allocator.inner
    own = goal_of(part, price)
    last = _profile(allocator, part, own, part.cost + before.limit)
    if last < 0:
        return Collected(0, 0, -1.0, -1, 0, math.inf)
    layer, element, used = inner.layers[last], outer.elements[before.elements], before.candidates
    element.key, element.who, element.first, element.down, element.up = math.inf, -p, used, 0, 0
    for k in range(layer.width):
        shift = layer.low + k - part.detour
        cost = max(inner.rows[layer.start + k] + toll(own, layer.low + k) - part.cost, 0.0)
        if shift != 0 and cost < before.limit:
            outer.candidates[used].shift, outer.candidates[used].cost = shift, cost
            element.key = min(element.key, cost)
            element.down, element.up = max(element.down, -shift), max(element.up, shift)
            used += 1
    element.end = used
    count = before.elements + (used > element.first)
    return Collected(count, used, before.limit, before.lane, before.units, before.cost)


@kernel
def _try(allocator: Allocator, goal: Goal, price: float, limit: float, step: float) -> Outcome:
    """Search among all that costs less than a limit, on top of what the groups' limits cost."""
    parts, outer = allocator.parts, allocator.outer
    nothing = Collected(0, 0, limit, -1, 0, math.inf)
    got = collect(allocator.lanes, parts[0], outer, nothing, NO_GOAL, step, True)
    for p in range(1, parts.size):
        got = _add_group(allocator, p, got, price)
        if got.limit < 0.0:
            return Outcome(math.inf, False)
    found = search_chain(outer, got.elements, goal, limit, step)
    if found.cost < math.inf:
        follow_back(allocator, outer, found.layer, found.shift)
    return Outcome(found.cost, found.complete)


@kernel
def _write_groups(allocator: Allocator, price: float, limit: float) -> bool:
    """Choose for the arms of every group what makes its total; says whether there was memory."""
    for p in range(1, allocator.parts.size):
        part = allocator.parts[p]
        own = goal_of(part, price)
        if part.detour == 0 and part.cost == 0.0:
            continue
        last = _profile(allocator, part, own, part.cost + limit)
        if last < 0:
            return False
        follow_back(allocator, allocator.inner, last, part.detour)
    return True


@kernel
def make_do(allocator: Allocator) -> None:
    """Some allocation within all limits: the least for every arm, and more where a group must have it."""
    for p in range(allocator.parts.size):
        part = allocator.parts[p]
        missing = part.least - part.floor
        for lane in range(allocator.lanes.blocks[part.first], allocator.lanes.blocks[part.end]):
            least = allocator.least[lane]
            more = min(missing, allocator.most[lane] - least)
            allocator.lanes.taken[lane] = float(least + more)
            missing -= more


@kernel
def search_groups(allocator: Allocator, found: Price, tolerance: float, step: float) -> Outcome:
    """Write down the best allocation at the prices found, and what it costs on top of the groups' least."""
    parts, price, room, certain, dearest = allocator.parts, found.price, allocator.budget[0], True, found.price
    room -= parts[0].taken
    for p in range(1, parts.size):
        part = parts[p]
        if not _settle(allocator, part, goal_of(part, price), tolerance):
            return Outcome(math.inf, False)
        room -= part.taken + part.detour
        dearest = max(dearest, abs(part.price))
    goal = Goal(-NO_LIMIT, room, price, 0.0)
    known = toll(goal, 0)
    limit = max(FIRST * dearest, tolerance)
    outcome = Outcome(known, True)
    if known > step:
        for _ in range(TRIALS):
            last = limit >= known - step
            limit = min(limit, known - step)
            outcome = _try(allocator, goal, price, limit, step)
            if outcome.cost < math.inf or not outcome.complete or last:
                break
            limit *= GROWTH
        if outcome.cost == math.inf and known < math.inf:
            outcome = Outcome(known, outcome.complete)
    if outcome.cost < math.inf and not _write_groups(allocator, price, limit + 2.0 * tolerance):
        return Outcome(math.inf, False)
    return outcome
