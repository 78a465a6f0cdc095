"""The best allocation in whole units, as a compiled kernel that allocates nothing."""

import math
from typing import NamedTuple

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import kernel
from allotment.oracles.shares.chains import Goal, search_chain
from allotment.oracles.shares.groups import NO_GOAL, Outcome, follow_back, make_do, search_groups
from allotment.oracles.shares.prices import Price, find_price, take_values, visit_part
from allotment.oracles.shares.share_arrays import NO_LIMIT, Allocator
from allotment.oracles.shares.survey import Collected, all_whole, collect, survey, take_reach
from allotment.oracles.shares.ties import balance
from allotment.tolerance import RELATIVE

TINY = 1e-290  # where all is worth 0


class Least(NamedTuple):
    """What it costs at least that all arms fit the budget if at most one chooses otherwise, and which one."""

    cost: float
    lane: int  # -1: none


class Ready(NamedTuple):
    """The results of the search for prices."""

    found: Price
    tolerance: float  # a better allocation counts only if it is better by more than this,
    step: float  # and is better by at least this
    known: Least


@kernel
def _search(allocator: Allocator, ready: Ready) -> Outcome:
    """Write down the best allocation at the price found, where there are no groups."""
    lanes, part, chain = allocator.lanes, allocator.parts[0], allocator.outer
    found, tolerance, step, least = ready
    room = allocator.budget[0] - part.taken
    goal = Goal(-NO_LIMIT, room, found.price, 0.0)
    known = least.cost
    limit = known - step if known < math.inf else found.bound - found.worth + tolerance
    complete, cost = True, math.inf
    if limit > 0.0:
        nothing = Collected(0, 0, limit, -1, 0, math.inf)
        got = collect(lanes, part, chain, nothing, NO_GOAL, step, True)
        best = search_chain(chain, got.elements, goal, limit, step)
        complete, cost = best.complete, best.cost
        if cost < math.inf:
            follow_back(allocator, chain, best.layer, best.shift)
            return Outcome(cost, limit, complete, True)
    if known == math.inf:
        make_do(allocator)
        if found.within < math.inf:
            visit_part(lanes, part, found.within)
    elif least.lane >= 0:
        take_reach(lanes, part, least.lane, room)
    return Outcome(known, limit, complete, True)


@kernel
def prepare(allocator: Allocator, values: FloatArray) -> Ready:
    """Find prices for these values, and what every arm chooses at them."""
    take_values(allocator, values)
    return prepare_table(allocator)


@kernel
def prepare_table(allocator: Allocator) -> Ready:
    """The same for the values that are in the table already."""
    found = find_price(allocator)
    balance(allocator, found.price)
    parts, size = allocator.parts, found.price * allocator.budget[0]  # what rounding is relative to
    room = allocator.budget[0] - parts[0].taken
    cost, lane = (found.price * room, -1) if room >= 0 else (math.inf, -1)
    for p in range(parts.size):
        more, gain, one = survey(allocator.lanes, parts[p], room)
        size += more + abs(parts[p].price) * max(parts[p].taken, parts[p].least)
        if found.price * room - gain < cost:
            cost, lane = found.price * room - gain, one
    tolerance = max(0.5 * RELATIVE * size, TINY)
    step = 1.0 - tolerance if all_whole(allocator.lanes.table) else tolerance
    return Ready(found, tolerance, step, Least(cost, lane))


@kernel
def conclude(allocator: Allocator, complete: bool, units: IntArray) -> None:
    """Write down what every arm gets."""
    for lane in range(allocator.arms.size):
        if allocator.arms[lane] >= 0:
            units[allocator.arms[lane]] = int(allocator.lanes.taken[lane])
    allocator.unproved[0] += not complete


@kernel
def share_out_at(allocator: Allocator, ready: Ready, units: IntArray) -> tuple[bool, float]:
    """Write down the best units for every arm once prices are found; for allocators without groups.

    Says whether they are proved to be best, and what no allocation is worth more than (up to the tolerance).
    """
    complete = _search(allocator, ready).complete
    conclude(allocator, complete, units)
    return complete, ready.found.bound + ready.tolerance


@kernel
def share_out_in_groups_at(allocator: Allocator, ready: Ready, units: IntArray) -> tuple[bool, float]:
    """The same with groups: a kernel of its own, since it takes as long to compile as all else."""
    complete = search_groups(allocator, ready.found, ready.tolerance, ready.step).complete
    conclude(allocator, complete, units)
    return complete, ready.found.bound + ready.tolerance


@kernel
def share_out(allocator: Allocator, values: FloatArray, units: IntArray) -> tuple[bool, float]:
    """Write down the best units for every arm, given a row of values for each; likewise without groups."""
    return share_out_at(allocator, prepare(allocator, values), units)


@kernel
def share_out_in_groups(allocator: Allocator, values: FloatArray, units: IntArray) -> tuple[bool, float]:
    """The same with groups."""
    return share_out_in_groups_at(allocator, prepare(allocator, values), units)
