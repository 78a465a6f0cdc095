"""The search over a core: dynamic programming over its candidates, with dominance, bounds and a state limit.

A state is a set of flips among the candidates so far. It dominates another that has neither more room nor
more gain. States that cannot beat the incumbent are dropped. So the search ends as soon as no state can
afford a further candidate. States are sorted by descending spare room, except in the first attempt, which
uses neither order nor dominance and gives up when there are too many states.

The flips of a state are bits, one per candidate of a block. At the end of a block, the bits of all states go
to a log, and each state keeps the number of its entry.
"""

from typing import Any, NamedTuple

from allotment.arrays import BoolArray
from allotment.compiling.decorators import kernel
from allotment.oracles.knapsack.core import INFINITE, Core
from allotment.oracles.protocol import Records
from allotment.oracles.selection import select

BLOCK = 62  # flips per word, clear of the sign
UNSORTED = 512  # states that the first attempt bears
NOWHERE = -3 * (1 << 61)  # the spare room of the mark that ends a row: no flip lifts it to a real one


class CoreSearch(NamedTuple):
    """How far a search has come."""

    position: int  # candidates done; also says which row of states is in use
    alive: int  # states
    best: float  # the incumbent's gain
    found: int  # the position at which the search found it, or -1
    found_flips: int
    found_origin: int
    logged: int
    lost: float  # the least cost of a state that was given up unexplored


@kernel
def start(states: Records, core: Core) -> CoreSearch:
    """Begin with the break solution as the only state."""
    first = states[0]
    first.spare, first.gain, first.spent, first.flips, first.origin = core.spare, 0.0, 0.0, 0, -1
    return CoreSearch(0, 1 if core.size > 0 else 0, core.best, -1, 0, -1, 0, INFINITE)


@kernel
def _row(states: Records, position: int) -> int:
    return (position & 1) * (states.size // 2)


@kernel
def _cost_of(state: Any, then: Any) -> float:
    """What a state costs at least, once it is completed with flips of the next or later candidates.

    To be worth more it takes an item put in, or, if there is too much, one taken out.
    """
    if state.spare >= 0:
        return state.spent + max(then.addition, then.refill * state.spare)
    return state.spent + max(then.removal, -then.drain * state.spare)


@kernel
def _search_unsorted(
    states: Records, candidates: Records, core: Core, search: CoreSearch, most: int
) -> CoreSearch:
    """Search without order and dominance, and with few branches, as long as there are few states.

    The twin of `_expand`, for all candidates in one call. For the few states of most searches it takes half
    the time, though it keeps some more of them. Every state is written to the next row twice: as it is, and
    with the next candidate flipped. `to` moves only past states worth keeping, so that the others are
    overwritten. A state is worth keeping if completing it can cost less than the gap. Completing takes at
    least one more flip (`least`), at `per_unit` for each unit of room that the state leaves or lacks;
    `removable` units can make up for missing room. The search ends before the flips of a state fill a word.
    """
    position, alive = 0, search.alive
    best, found, found_flips = search.best, search.found, search.found_flips
    gap = core.top - best - core.tolerance
    while 0 < alive <= most and position + 1 < BLOCK:
        row, to = _row(states, position), _row(states, position + 1)
        first = to
        flip, then = candidates[position], candidates[position + 1]
        cost, shift, step = flip.cost, flip.shift, flip.step
        removal, addition, drain, refill = then.removal, then.addition, then.drain, then.refill
        removable, bit = then.removable, 1 << position
        for k in range(row, row + alive):
            spare, gain, spent, flips = states[k].spare, states[k].gain, states[k].spent, states[k].flips
            least, per_unit = (addition, refill) if spare >= 0 else (removal, -drain)
            state = states[to]
            state.spare, state.gain, state.spent, state.flips = spare, gain, spent, flips
            to += (spent + least < gap) & (spent + per_unit * spare < gap) & (spare + removable >= 0)
            spare, gain, spent, flips = spare + shift, gain + step, spent + cost, flips | bit
            if spare >= 0 and gain > best:
                best, found, found_flips = gain, position, flips
                gap = core.top - best - core.tolerance
            least, per_unit = (addition, refill) if spare >= 0 else (removal, -drain)
            state = states[to]
            state.spare, state.gain, state.spent, state.flips = spare, gain, spent, flips
            to += (spent + least < gap) & (spent + per_unit * spare < gap) & (spare + removable >= 0)
        position += 1
        alive = to - first
    return CoreSearch(position, alive, best, found, found_flips, -1, 0, search.lost)


@kernel
def _expand(states: Records, candidates: Records, core: Core, search: CoreSearch) -> CoreSearch:
    """Let every state flip the next candidate, or not.

    The twin of `_search_unsorted`, for any number of states. A row is sorted by spare room, the most first;
    so are the same states with the candidate flipped, which shifts all of them by the same amount. `i` walks
    through the first and `j` through the second, merging them into the next row. Whoever comes later has no
    more room, and is dominated unless it has more gain than all before it, the `leader`'s.
    """
    i = j = _row(states, search.position)
    end, to = i + search.alive, _row(states, search.position + 1)
    first = to
    flip, then = candidates[search.position], candidates[search.position + 1]
    cost, shift, step = flip.cost, flip.shift, flip.step
    removal, addition, drain, refill = then.removal, then.addition, then.drain, then.refill
    removable = then.removable
    bit = 1 << (search.position % BLOCK)

    best, found = search.best, search.found
    found_flips, found_origin = search.found_flips, search.found_origin
    gap = core.top - best - core.tolerance
    leader = -INFINITE  # the highest gain of a state with at least as much room
    states[end].spare = NOWHERE
    while i < end or j < end:
        source, spare, gain, flipped = states[j], states[j].spare + shift, states[j].gain + step, bit
        spent = source.spent + cost
        if states[i].spare > spare or (states[i].spare == spare and states[i].gain >= gain):
            source, spare, gain, flipped = states[i], states[i].spare, states[i].gain, 0
            spent = source.spent
            i += 1
        else:
            j += 1
        if gain <= leader + core.margin:
            continue
        leader = gain
        if spare >= 0:
            if gain > best:
                best, found = gain, search.position
                found_flips, found_origin = source.flips | flipped, source.origin
                gap = core.top - best - core.tolerance
            further = max(addition, refill * spare)
        else:
            further = max(removal, -drain * spare)
        if spent + further < gap and spare + removable >= 0:
            state = states[to]
            state.spare, state.gain, state.spent = spare, gain, spent
            state.flips, state.origin = source.flips | flipped, source.origin
            to += 1
    return CoreSearch(
        search.position + 1, to - first, best, found, found_flips, found_origin, search.logged, search.lost
    )


@kernel
def _cut_down(search: CoreSearch, alive: int, logged: int, lost: float) -> CoreSearch:
    position, best, found = search.position, search.best, search.found
    return CoreSearch(position, alive, best, found, search.found_flips, search.found_origin, logged, lost)


@kernel
def _write_log(states: Records, log: Records, then: Any, search: CoreSearch) -> CoreSearch:
    """End a block: the states' flips go to the log. States for which it has no room are given up."""
    row = _row(states, search.position)
    count = min(search.alive, log.size - search.logged)
    lost = search.lost
    for k in range(row + count, row + search.alive):
        lost = min(lost, _cost_of(states[k], then))
    for k in range(count):
        state, entry = states[row + k], search.logged + k
        log[entry].flips, log[entry].origin = state.flips, state.origin
        state.flips, state.origin = 0, entry
    return _cut_down(search, count, search.logged + count, lost)


@kernel
def _thin(states: Records, candidates: Records, core: Core, search: CoreSearch, keep: int) -> CoreSearch:
    """Give up all but `keep` states: those that cost least stay, and of these the ones nearly full."""
    row, scratch = _row(states, search.position), _row(states, search.position + 1)
    nudge = 1e-6 * core.unit_price
    for k in range(search.alive):
        state = states[row + k]
        states[scratch + k].gain = _cost_of(state, candidates[search.position]) + nudge * abs(state.spare)
        states[scratch + k].origin = k
    unused: Any = states[scratch : scratch + search.alive]
    bar = select(unused.origin, unused.gain, search.alive, keep)
    count, lost = 0, search.lost
    for k in range(search.alive):
        if states[scratch + k].gain <= bar and count < keep:
            states[row + count] = states[row + k]
            count += 1
        else:
            lost = min(lost, _cost_of(states[row + k], candidates[search.position]))
    return _cut_down(search, count, search.logged, lost)


@kernel
def advance(
    states: Records, candidates: Records, log: Records, core: Core, search: CoreSearch, width: int, work: int
) -> CoreSearch:
    """Search on, at most `width` states wide, until the search is over or has looked at `work` states."""
    width = min(width, (states.size // 2 - 1) // 2)
    if search.position == 0:
        search = _search_unsorted(states, candidates, core, search, min(UNSORTED, width))
        if search.alive > 0:  # begin anew, but for the incumbent
            again = start(states, core)
            search = CoreSearch(0, 1, search.best, search.found, search.found_flips, -1, 0, again.lost)
    while search.alive > 0 and work > 0:
        if search.alive > width:
            search = _thin(states, candidates, core, search, width // 2)
        work -= search.alive
        search = _expand(states, candidates, core, search)
        if search.position % BLOCK == 0:
            search = _write_log(states, log, candidates[search.position], search)
    return search


@kernel
def take_found(
    candidates: Records, log: Records, search: CoreSearch, items: Records, chosen: BoolArray
) -> None:
    """Write down the incumbent that the search found, if it found one."""
    if search.found < 0:
        return
    for i in range(items.size):
        chosen[i] = items[i].inside
    first = search.found - search.found % BLOCK
    flips, entry = search.found_flips, search.found_origin
    while True:
        k = first
        while flips != 0:
            if flips & 1:
                item = candidates[k].index
                chosen[item] = not chosen[item]
            flips >>= 1
            k += 1
        if first == 0:
            return
        first -= BLOCK
        flips, entry = log[entry].flips, log[entry].origin


@kernel
def is_over(core: Core, search: CoreSearch) -> bool:
    """Whether nothing that is left, or was given up, can lead to a better choice."""
    return search.alive == 0 and search.lost >= core.top - search.best - core.tolerance


@kernel
def gain_bound(states: Records, candidates: Records, core: Core, search: CoreSearch) -> float:
    """What no choice gains more than, given how far the search has come."""
    row, least = _row(states, search.position), search.lost
    for k in range(row, row + search.alive):
        least = min(least, _cost_of(states[k], candidates[search.position]))
    return max(search.best + core.tolerance, core.top - least)
