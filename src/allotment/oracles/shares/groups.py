"""Groups with a floor and a cap: each is solved on its own, then all are combined like arms.

At the prices found, a group that its floor or cap binds pays its own price. Its arms must deviate from their
best choices so that whole units fit the limits. The least cost of that is found first, for every group alone.
Then the groups share the remaining gap between the bound and the best allocation. All totals of a group
within this gap above its least cost become the candidates of one element. The chain of elements is searched
like a chain of arms.
"""

import math
from typing import NamedTuple

from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.chains import NARROW, Goal, fill_chain, search_chain, step_back, toll
from allotment.oracles.shares.prices import Price
from allotment.oracles.shares.share_arrays import NO_LIMIT, Allocator, Chain
from allotment.oracles.shares.survey import Collected, collect, survey, take_reach

NO_GOAL = Goal(1, 0, 0.0, 0.0)
FIRST = 0.25  # of a unit's price: what is looked at first, unless it is known to cost less;
FEW = 160.0  # more, where there are fewer arms than make this up
GROWTH = 8.0
GENEROUS = 1e-9  # relative margin, so that a search includes the way whose cost is its limit
TRIALS = 400  # from the smallest number to the largest


class Outcome(NamedTuple):
    """What a search came to."""

    cost: float  # on top of what the groups' limits cost; inf: nothing was found
    limit: float  # below which it was looked for
    complete: bool
    written: bool  # whether the units are written down, for good


class GroupSearch(NamedTuple):
    """What stays the same while limits are tried."""

    goal: Goal
    price: float
    step: float
    tolerance: float
    width: int


@kernel
def follow_back(allocator: Allocator, chain: Chain, layer: int, shift: int) -> None:
    """Write down the choices that led to a shift; for a group, the units on top of those taken, and costs."""
    while layer > 0:
        c, shift = step_back(chain, layer, shift)
        layer -= 1
        if c >= 0:
            who, change = chain.elements[chain.order[layer]].who, chain.candidates[c].shift
            if who >= 0:
                allocator.lanes.taken[who] += float(change)
            else:
                allocator.parts[-who].detour += change
                allocator.parts[-who].cost += chain.candidates[c].cost


@kernel
def goal_of(part: Records, price: float) -> Goal:
    """What a group's arms may take together, counted from what they take at their price."""
    return Goal(
        part.least - part.taken,
        part.most - part.taken,
        max(part.price - price, 0.0),
        max(price - part.price, 0.0),
    )


@kernel
def _settle(allocator: Allocator, part: Records, goal: Goal, step: float) -> bool:
    """Find the least that a group's limits cost; says whether that is certain."""
    part.cost, part.detour = toll(goal, 0), 0
    if part.cost <= step:
        return True
    nothing = Collected(0, 0, part.cost, -1, 0, math.inf)
    got = collect(allocator.lanes, part, allocator.inner, nothing, goal, step, part.least == part.floor)
    found = search_chain(allocator.inner, got.elements, goal, got.limit, step)
    if found.cost < math.inf:
        part.cost, part.detour = found.cost, found.shift
    elif got.lane >= 0:
        part.cost, part.detour = got.cost, got.units - int(allocator.lanes.taken[got.lane])
    return found.complete and part.cost < math.inf


@kernel
def _profile(allocator: Allocator, part: Records, goal: Goal, limit: float, width: int) -> tuple[int, bool]:
    """All totals of a group's arms that cost less than the limit, as the last row of the inner chain."""
    nothing = Collected(0, 0, limit, -1, 0, math.inf)
    got = collect(allocator.lanes, part, allocator.inner, nothing, NO_GOAL, 0.0, part.least == part.floor)
    return fill_chain(allocator.inner, got.elements, goal, limit, width)


@kernel
def _add_group(
    allocator: Allocator, p: int, count: int, used: int, search: GroupSearch, limit: float
) -> tuple[int, int, bool]:
    """Append a group as an element, its totals as candidates; counts both, and says whether none was dropped.

    A negative count says that memory was short.
    """
    part, outer, inner = allocator.parts[p], allocator.outer, allocator.inner
    own = goal_of(part, search.price)
    last, complete = _profile(allocator, part, own, part.cost + limit, search.width)
    if last < 0:
        return -1, used, False
    layer, element = inner.layers[last], outer.elements[count]
    element.key, element.who, element.first, element.down, element.up = math.inf, -p, used, 0, 0
    high = -math.inf
    for k in range(layer.width):
        shift = layer.low + k - part.detour
        cost = max(inner.rows[layer.start + k] + toll(own, layer.low + k) - part.cost, 0.0)
        worth = search.price * shift - cost
        if worth <= high:
            continue  # fewer units are worth as much
        high = worth
        if shift != 0 and cost < limit:
            outer.candidates[used].shift, outer.candidates[used].cost = shift, cost
            element.key = min(element.key, cost)
            element.down, element.up = max(element.down, -shift), max(element.up, shift)
            used += 1
    element.end = used
    return count + (used > element.first), used, complete


@kernel
def make_do(allocator: Allocator) -> None:
    """Some allocation within all limits."""
    for lane in range(allocator.enough.size):
        allocator.lanes.taken[lane] = float(allocator.enough[lane])


@kernel
def _write_groups(allocator: Allocator, price: float, tolerance: float, width: int) -> bool:
    """Choose for the arms of every group what makes its total; without memory for that, make do."""
    allocator.inner.effort[0] = NO_LIMIT  # time or no time, this is needed
    for p in range(1, allocator.parts.size):
        part = allocator.parts[p]
        if part.detour != 0 or part.cost > 0.0:
            goal, enough = goal_of(part, price), part.cost * (1.0 + GENEROUS) + 2.0 * tolerance
            last, _ = _profile(allocator, part, goal, enough, width)
            if last < 0:
                last, _ = _profile(allocator, part, goal, enough, NARROW)
            layer = allocator.inner.layers[max(last, 0)]
            if last < 0 or not layer.low <= part.detour < layer.low + layer.width:
                make_do(allocator)
                return False
            follow_back(allocator, allocator.inner, last, part.detour)
    return True


@kernel
def _try(allocator: Allocator, search: GroupSearch, limit: float, certain: bool, write: bool) -> Outcome:
    """Search among all allocations that cost less than a limit, on top of the cost of the groups' limits.

    Writes the result if the caller wishes, or if it is certainly the best.
    """
    parts, outer = allocator.parts, allocator.outer
    nothing = Collected(0, 0, limit, -1, 0, math.inf)
    got = collect(allocator.lanes, parts[0], outer, nothing, NO_GOAL, search.step, True)
    count, used, complete = got.elements, got.candidates, True
    for p in range(1, parts.size):
        count, used, none_dropped = _add_group(allocator, p, count, used, search, limit)
        complete = complete and none_dropped
        if count < 0:
            return Outcome(math.inf, limit, False, False)
    found = search_chain(outer, count, search.goal, limit, search.step)
    complete = complete and found.complete and certain
    write = found.cost < math.inf and (complete or write)
    if write:
        follow_back(allocator, outer, found.layer, found.shift)
        if not _write_groups(allocator, search.price, search.tolerance, search.width):
            return Outcome(math.inf, limit, False, True)
    return Outcome(found.cost, limit, complete, write)


@kernel
def _attempt(allocator: Allocator, search: GroupSearch, known: float, limit: float) -> Outcome:
    """Try with ever higher limits until something is found that costs less than what is known.

    Where memory does not suffice for that, try with lower ones.
    """
    highest, certain = known - search.step, True
    outcome = Outcome(math.inf, limit, True, False)
    for _ in range(TRIALS):
        last = limit >= highest
        outcome = _try(allocator, search, min(limit, highest), certain, False)
        if outcome.cost < math.inf:
            break
        if certain and outcome.complete:
            if last:
                break
            limit *= GROWTH
        else:
            certain = False
            limit /= GROWTH * GROWTH
            if limit < search.tolerance:
                break
    return outcome


@kernel
def _write_known(
    allocator: Allocator, known: float, lane: int, room: int, price: float, tolerance: float
) -> Outcome:
    """Write down what was known before the search: at most one arm outside all groups chooses otherwise."""
    if lane >= 0:
        take_reach(allocator.lanes, allocator.parts[0], lane, room)
    return Outcome(known, known, _write_groups(allocator, price, tolerance, NO_LIMIT), True)


@kernel
def search_groups(allocator: Allocator, found: Price, tolerance: float, step: float) -> Outcome:
    """Write down the best allocation at the prices found, and what it costs on top of the groups' least."""
    parts, price, dearest = allocator.parts, found.price, found.price
    room = allocator.budget[0] - parts[0].taken
    for p in range(1, parts.size):
        part = parts[p]
        if not _settle(allocator, part, goal_of(part, price), tolerance):
            make_do(allocator)
            return Outcome(math.inf, 0.0, False, True)
        room -= part.taken + part.detour
        dearest = max(dearest, abs(part.price))
    goal = Goal(-NO_LIMIT, room, price, 0.0)
    known, lane = toll(goal, 0), -1
    _, gain, one = survey(allocator.lanes, parts[0], room)
    if price * room - gain < known:  # one arm outside all groups uses the room, or makes some
        known, lane = price * room - gain, one
    if known <= step:
        return _write_known(allocator, known, lane, room, price, tolerance)
    first = max(min(known, max(FIRST, FEW / allocator.arms.size) * dearest), tolerance)
    narrow = GroupSearch(goal, price, step, tolerance, NARROW)
    outcome = _attempt(allocator, narrow, known, first)
    if outcome.written:
        return outcome
    complete, best, search = outcome.complete, outcome, narrow
    if not complete:
        wide = GroupSearch(goal, price, step, tolerance, NO_LIMIT)
        outcome = _attempt(allocator, wide, min(known, best.cost), min(first, best.cost))
        if outcome.written:
            return outcome
        complete = outcome.complete
        if outcome.cost < math.inf:
            best, search = outcome, wide
    if best.cost < math.inf:
        allocator.outer.effort[0] = allocator.inner.effort[0] = NO_LIMIT
        again = _try(allocator, search, best.limit, False, True)
        if again.written:
            return Outcome(again.cost, best.limit, complete and again.cost < math.inf, True)
    if known == math.inf:
        make_do(allocator)
        return Outcome(known, first, False, True)
    known_before = _write_known(allocator, known, lane, room, price, tolerance)
    return Outcome(known, first, complete and known_before.complete, True)
