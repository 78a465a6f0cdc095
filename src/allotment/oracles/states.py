"""The search over a core: dynamic programming over its items, with dominance, bounds and a state limit.

A state is a set of flips among the items so far: the room that it spares (negative if it is too heavy as
yet), its gain, and the cost spent. One state dominates another that has neither more room nor more gain.
States that cannot lead to anything better than the incumbent are dropped, and so the search ends as soon as
no item in question is left that any state could afford.

How a state came about is kept as bits, one per item, for a block of items; at the end of a block the states'
bits go to a log, and each state keeps the number of its entry.
"""

from typing import NamedTuple

from allotment.checks import BoolArray
from allotment.compiling import kernel
from allotment.oracles.core import Core
from allotment.oracles.sorting import smallest
from allotment.oracles.workspace import ExactKnapsack

BLOCK = 62  # flips per word, clear of the sign
NOWHERE = -(1 << 62)  # the room of the mark that ends a row


class Search(NamedTuple):
    """How far a search has come."""

    position: int  # items of the core done
    count: int  # states alive
    best: float  # the incumbent's gain
    found: int  # the position that led to the incumbent, -1 for the one that the search began with
    found_flips: int
    found_origin: int
    logged: int
    lost: float  # the least cost to which a state was given up unexplored


@kernel
def start(oracle: ExactKnapsack, core: Core) -> Search:
    """Begin with the break solution as the only state."""
    oracle.spare[0, 0], oracle.gain[0, 0], oracle.spent[0, 0] = core.spare, 0.0, 0.0
    oracle.flips[0, 0], oracle.origin[0, 0] = 0, -1
    return Search(0, 1, core.best, -1, 0, -1, 0, 1e300)


@kernel
def expand(oracle: ExactKnapsack, core: Core, search: Search) -> Search:
    """Let every state flip the next item of the core, or not."""
    here, there = search.position & 1, 1 - (search.position & 1)
    from_spare, to_spare = oracle.spare[here], oracle.spare[there]
    from_gain, to_gain = oracle.gain[here], oracle.gain[there]
    from_spent, to_spent = oracle.spent[here], oracle.spent[there]
    from_flips, to_flips = oracle.flips[here], oracle.flips[there]
    from_origin, to_origin = oracle.origin[here], oracle.origin[there]

    item, after = oracle.core[search.position], search.position + 1
    bit = 1 << (search.position % BLOCK)
    cost = oracle.cost[item]
    shift = oracle.units[item] if oracle.inside[item] else -oracle.units[item]
    step = -oracle.worth[item] if oracle.inside[item] else oracle.worth[item]
    least = oracle.cost[oracle.core[after]] if after < core.count else 1e300
    drain, fill, removable = oracle.drain[after], oracle.fill[after], oracle.removable[after]

    best, found = search.best, search.found
    found_flips, found_origin = search.found_flips, search.found_origin
    gap = core.top - best - core.tolerance
    margin = 0.5 * core.tolerance / core.count
    leader = -1e300  # the highest gain among states with at least as much room
    i, j, count = 0, 0, 0
    from_spare[search.count] = NOWHERE
    while i < search.count or j < search.count:
        spare, gain = from_spare[j] + shift, from_gain[j] + step
        if from_spare[i] > spare or (from_spare[i] == spare and from_gain[i] >= gain):
            source, flipped = i, 0
            spare, gain, spent = from_spare[i], from_gain[i], from_spent[i]
            i += 1
        else:
            source, flipped = j, bit
            spent = from_spent[j] + cost
            j += 1
        if gain <= leader + margin:
            continue
        leader = gain
        if spare >= 0:
            if gain > best:
                best, found = gain, search.position
                found_flips, found_origin = from_flips[source] | flipped, from_origin[source]
                gap = core.top - best - core.tolerance
            loss = spent + max(least, fill * spare)
        else:
            loss = spent + max(least, -drain * spare)
        if loss < gap and spare + removable >= 0:
            to_spare[count], to_gain[count], to_spent[count] = spare, gain, spent
            to_flips[count], to_origin[count] = from_flips[source] | flipped, from_origin[source]
            count += 1
    return Search(after, count, best, found, found_flips, found_origin, search.logged, search.lost)


@kernel
def _write_log(oracle: ExactKnapsack, search: Search) -> Search:
    """End a block: the states' flips go to the log. States for which it has no room are given up."""
    row = search.position & 1
    count = min(search.count, oracle.log_flips.size - search.logged)
    lost = search.lost
    for k in range(count, search.count):
        lost = min(lost, oracle.spent[row, k])
    for k in range(count):
        entry = search.logged + k
        oracle.log_flips[entry], oracle.log_origin[entry] = oracle.flips[row, k], oracle.origin[row, k]
        oracle.flips[row, k], oracle.origin[row, k] = 0, entry
    return Search(
        search.position,
        count,
        search.best,
        search.found,
        search.found_flips,
        search.found_origin,
        search.logged + count,
        lost,
    )


@kernel
def _thin(oracle: ExactKnapsack, core: Core, search: Search, keep: int) -> Search:
    """Give up all but about `keep` states: those that cost least, and among these the nearly full ones."""
    here, there = search.position & 1, 1 - (search.position & 1)
    spare, gain, spent = oracle.spare[here], oracle.gain[here], oracle.spent[here]
    flips, origin = oracle.flips[here], oracle.origin[here]
    merit, scratch = oracle.gain[there], oracle.spent[there]
    drain, fill = oracle.drain[search.position], oracle.fill[search.position]
    nudge = 1e-6 * core.top / oracle.room[0]
    for k in range(search.count):
        per_unit = nudge + (fill if spare[k] > 0 else drain)
        merit[k] = spent[k] + per_unit * abs(spare[k])
    bar = smallest(merit, scratch, search.count, keep)
    count, lost = 0, search.lost
    for k in range(search.count):
        if merit[k] <= bar and count < keep:
            spare[count], gain[count], spent[count] = spare[k], gain[k], spent[k]
            flips[count], origin[count] = flips[k], origin[k]
            count += 1
        else:
            lost = min(lost, spent[k])
    return Search(
        search.position,
        count,
        search.best,
        search.found,
        search.found_flips,
        search.found_origin,
        search.logged,
        lost,
    )


@kernel
def advance(oracle: ExactKnapsack, core: Core, search: Search, work: int) -> Search:
    """Search on until it is over or about so many states have been looked at."""
    limit = (oracle.spare.shape[1] - 1) // 2
    while search.count > 0 and search.position < core.count and work > 0:
        if search.count > limit:
            search = _thin(oracle, core, search, limit // 2)
        work -= search.count
        search = expand(oracle, core, search)
        if search.position % BLOCK == 0:
            search = _write_log(oracle, search)
    return search


@kernel
def take_found(oracle: ExactKnapsack, search: Search, chosen: BoolArray) -> None:
    """Write down the incumbent that the search found, if it found one."""
    if search.found < 0:
        return
    chosen[:] = oracle.inside
    first = search.found - search.found % BLOCK
    flips, entry = search.found_flips, search.found_origin
    while True:
        k = first
        while flips != 0:
            if flips & 1:
                chosen[oracle.core[k]] = not chosen[oracle.core[k]]
            flips >>= 1
            k += 1
        if first == 0:
            return
        first -= BLOCK
        flips, entry = oracle.log_flips[entry], oracle.log_origin[entry]


@kernel
def bound_of(oracle: ExactKnapsack, core: Core, search: Search) -> float:
    """What no choice can gain more than (less a tolerance), given how far the search has come."""
    row = search.position & 1
    least = search.lost
    for k in range(search.count):
        least = min(least, oracle.spent[row, k])
    return max(search.best, core.top - least)
