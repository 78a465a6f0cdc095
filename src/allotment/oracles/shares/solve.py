"""The best allocation in whole units, as a compiled kernel that allocates nothing."""

import math

from allotment.checks import FloatArray, IntArray
from allotment.compiling import kernel
from allotment.oracles.shares.candidates import Collected, all_whole, collect, survey
from allotment.oracles.shares.chains import Goal, search_chain, toll
from allotment.oracles.shares.groups import Outcome, follow_back, make_do, search_groups
from allotment.oracles.shares.prices import Price, find_price, take_values, visit_part
from allotment.oracles.shares.workspace import NO_LIMIT, Allocator
from allotment.tolerance import RELATIVE

TINY = 1e-290  # where all is worth 0


@kernel
def _search(allocator: Allocator, found: Price, tolerance: float, step: float) -> Outcome:
    """Write down the best allocation at the price found, where there are no groups: the arms are the elements."""
    part, chain = allocator.parts[0], allocator.outer
    goal = Goal(-NO_LIMIT, allocator.budget[0] - part.taken, found.price, 0.0)
    cost = toll(goal, 0)
    if cost <= step:
        return Outcome(cost, True)
    limit = cost - step if cost < math.inf else found.bound - found.worth + tolerance
    got = collect(allocator.lanes, part, chain, Collected(0, 0, limit, -1, 0, cost), goal, step, True)
    best = search_chain(chain, got.elements, goal, got.limit, step)
    if best.cost < math.inf:
        follow_back(allocator, chain, best.layer, best.shift)
    elif got.lane >= 0:
        allocator.lanes.taken[got.lane] = float(got.units)
    elif cost == math.inf:
        make_do(allocator)
        if found.within < math.inf:
            visit_part(allocator.lanes, part, found.within)
    return Outcome(min(best.cost, got.cost), best.complete)


@kernel
def share_out(allocator: Allocator, values: FloatArray, units: IntArray) -> tuple[bool, float]:
    """Write down the best units for every arm, given a row of values for each.

    Says whether they are proved to be best, and what no allocation is worth more than (up to the tolerance).
    """
    take_values(allocator, values)
    found = find_price(allocator)
    parts, size = allocator.parts, found.price * allocator.budget[0]
    for p in range(parts.size):
        size += survey(allocator.lanes, parts[p])
    tolerance = max(0.5 * RELATIVE * size, TINY)
    step = 1.0 - tolerance if all_whole(allocator.lanes.table) else tolerance
    if parts.size == 1:
        outcome = _search(allocator, found, tolerance, step)
    else:
        outcome = search_groups(allocator, found, tolerance, step)
        if outcome.cost == math.inf:
            make_do(allocator)
    for lane in range(allocator.arms.size):
        if allocator.arms[lane] >= 0:
            units[allocator.arms[lane]] = int(allocator.lanes.taken[lane])
    if not outcome.complete:
        allocator.unproved[0] += 1
    return outcome.complete, found.bound + tolerance
