"""Combining deviations from the best choices, where units and gains are both limited.

As in `chains.py`, elements come one after the other, and what costs as much as the best known is dropped.
There, a row holds a cost for every total of units. Here, a layer holds a label for every pair of units and
gains that is in question: far fewer than all pairs, so that they are looked up by hashing.
"""

import math
from typing import NamedTuple

from allotment.compiling.decorators import kernel
from allotment.oracles.protocol import Records
from allotment.oracles.shares.calm_arrays import NONE, Calm
from allotment.oracles.shares.chains import Goal, toll
from allotment.oracles.shares.share_arrays import Chain

USED, LAYERS, SLOTS, SHORTAGES, DROPPED = 0, 1, 2, 3, 4  # places in Calm.counts
SHORT = -1  # in place of a label: memory or time was short


class Target(NamedTuple):
    """What the units and the gains of all deviations together must be, and what they cost below that."""

    goal: Goal
    gains: int  # at most
    gain_price: float  # of every gain below the most
    width: int  # how far from start and target labels may be


class Layer(NamedTuple):
    """A run of labels, no two with the same units and gains."""

    first: int
    end: int  # SHORT: memory or time was short


class BestLabel(NamedTuple):
    """The best way to a target: what it costs (inf: none below the limit), and its label."""

    cost: float
    label: int
    complete: bool  # whether nothing was dropped


@kernel
def end_cost(target: Target, label: Records) -> float:
    """What ending with a label costs, itself included: inf where it must not end."""
    if label.gains > target.gains:
        return math.inf
    unused = target.gain_price * (target.gains - label.gains) if target.gain_price > 0.0 else 0.0
    return label.cost + toll(target.goal, label.units) + unused


@kernel
def add_label(calm: Calm, units: int, gains: int, cost: float, before: int, choice: int) -> int:
    """Write a label at the end of those in use; its place, or SHORT."""
    place = calm.counts[USED]
    if place == calm.labels.size:
        calm.counts[SHORTAGES] += 1
        return SHORT
    label = calm.labels[place]
    label.units, label.gains, label.cost, label.before, label.choice = units, gains, cost, before, choice
    calm.counts[USED] = place + 1
    return place


@kernel
def _look_ahead(calm: Calm, chain: Chain, count: int, target: Target) -> None:
    """Sum up what the elements after each can still do, and what that costs at least."""
    last = calm.rests[count]
    last.down, last.up, last.fewer = 0, 0, 0
    last.drain, last.refill, last.ease, last.filling = math.inf, math.inf, math.inf, 1.0
    below = target.goal.below
    for k in range(count, 0, -1):
        rest, before, element = calm.rests[k], calm.rests[k - 1], chain.elements[chain.order[k - 1]]
        down, up, fewer = 0, 0, 0
        drain, refill, ease, fill = rest.drain, rest.refill, rest.ease, rest.filling
        for c in range(element.first, element.end):
            candidate = calm.labels[c]
            units, gains, cost = candidate.units, candidate.gains, candidate.cost
            if units < 0:
                down = max(down, -units)
                drain = min(drain, cost / -units)
            elif units > 0:
                up = max(up, units)
                refill = min(refill, cost / units)
            if gains < 0:
                fewer = max(fewer, -gains)
                ease = min(ease, cost / -gains)
            filled = below * max(units, 0) + target.gain_price * max(gains, 0)
            if filled > 0.0:
                fill = min(fill, cost / filled)
        before.down, before.up, before.fewer = rest.down + down, rest.up + up, rest.fewer + fewer
        before.drain, before.refill, before.ease, before.filling = drain, refill, ease, fill


@kernel
def _to_come(target: Target, rest: Records, units: int, gains: int) -> float:
    """What it costs at least to get from here to the target; inf where nothing leads there."""
    goal, over, excess = target.goal, units - target.goal.high, gains - target.gains
    if over > 0 or excess > 0:
        if over > rest.down or excess > rest.fewer:
            return math.inf
        cost = rest.drain * over if over > 0 else 0.0
        return max(cost, rest.ease * excess) if excess > 0 else cost
    if units < goal.low:
        return rest.refill * (goal.low - units) if goal.low - units <= rest.up else math.inf
    return rest.filling * (goal.below * -over + target.gain_price * -excess)


@kernel
def _is_far(target: Target, units: int, gains: int) -> bool:
    """Whether units or gains are further than a width from both start and target."""
    goal, width = target.goal, target.width
    return (
        units < min(0, goal.high) - width
        or units > max(0, goal.low) + width
        or gains < min(0, target.gains) - width
        or gains > width
    )


@kernel
def _ready_slots(calm: Calm, labels: int) -> int:
    """Prepare slots for about `labels` labels, within memory; return their number minus one."""
    count = 64
    while count < 2 * labels and 2 * count <= calm.slots.size:
        count *= 2
    for k in range(calm.counts[SLOTS], count):
        calm.slots[k].layer = 0
    calm.counts[SLOTS] = max(calm.counts[SLOTS], count)
    calm.counts[LAYERS] += 1
    return count - 1


@kernel
def _slot_of(calm: Calm, units: int, gains: int, mask: int) -> int:
    """The slot in which this layer has a label with these units and gains, or could have it."""
    slots, layer = calm.slots, calm.counts[LAYERS]
    slot = (units * 73856093 ^ gains * 19349663) & mask
    while slots[slot].layer == layer:
        label = calm.labels[slots[slot].label]
        if label.units == units and label.gains == gains:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def extend(
    calm: Calm, layer: Layer, element: Records, must: bool, target: Target, rest: Records, limit: float
) -> Layer:
    """The layer after an element: every label stays as it is (unless one must choose) or adds a candidate."""
    labels, slots, first = calm.labels, calm.slots, calm.counts[USED]
    work = (layer.end - layer.first) * (element.end - element.first + 1)
    mask = _ready_slots(calm, work)
    calm.effort[0] -= work
    if calm.effort[0] < 0:
        calm.counts[SHORTAGES] += 1
        return Layer(first, SHORT)
    for old in range(layer.first, layer.end):
        source = labels[old]
        for choice in range(element.first if must else element.first - 1, element.end):
            units, gains, cost, chosen = source.units, source.gains, source.cost, NONE
            if choice >= element.first:
                chosen = choice
                units, gains = units + labels[choice].units, gains + labels[choice].gains
                cost += labels[choice].cost
            if cost >= limit or cost + _to_come(target, rest, units, gains) >= limit:
                continue
            if _is_far(target, units, gains):
                calm.counts[DROPPED] += 1
                continue
            slot = slots[_slot_of(calm, units, gains, mask)]
            if slot.layer != calm.counts[LAYERS]:
                if 2 * (calm.counts[USED] - first) > mask:
                    calm.counts[SHORTAGES] += 1
                    return Layer(first, SHORT)
                slot.layer, slot.label = calm.counts[LAYERS], add_label(calm, units, gains, cost, old, chosen)
                if slot.label == SHORT:
                    return Layer(first, SHORT)
            elif cost < labels[slot.label].cost:
                known = labels[slot.label]
                known.cost, known.before, known.choice = cost, old, chosen
    return Layer(first, calm.counts[USED])


@kernel
def combine_all(calm: Calm, chain: Chain, count: int, target: Target, limit: float) -> Layer:
    """All ways to the target that cost less than the limit, one label for each pair of units and gains.

    The cost of ending is added to each.
    """
    _look_ahead(calm, chain, count, target)
    first = add_label(calm, 0, 0, 0.0, NONE, NONE)
    layer = Layer(first, SHORT if first == SHORT else first + 1)
    for k in range(count):
        if layer.end == SHORT:
            return layer
        layer = extend(calm, layer, chain.elements[chain.order[k]], False, target, calm.rests[k + 1], limit)
    kept = layer.first
    for k in range(layer.first, layer.end):
        label, cost = calm.labels[k], end_cost(target, calm.labels[k])
        if cost < limit:
            same = calm.labels[kept]
            same.units, same.gains, same.cost = label.units, label.gains, cost
            same.before, same.choice = label.before, label.choice
            kept += 1
    if layer.end != SHORT:
        calm.counts[USED] = kept
    return Layer(layer.first, SHORT if layer.end == SHORT else kept)


@kernel
def combine_best(
    calm: Calm, chain: Chain, count: int, musts: int, target: Target, limit: float, step: float
) -> BestLabel:
    """The cheapest way to the target, if it costs less than the limit; the first elements must choose.

    Once one is found, only ways that are cheaper by at least a step are looked for.
    """
    _look_ahead(calm, chain, count, target)
    best, chosen, k = math.inf, NONE, 0
    first = add_label(calm, 0, 0, 0.0, NONE, NONE)
    layer = Layer(first, SHORT if first == SHORT else first + 1)
    while layer.end != SHORT:
        if k >= musts:
            for label in range(layer.first, layer.end):
                cost = end_cost(target, calm.labels[label])
                if cost < limit:
                    best, chosen, limit = cost, label, cost - step
            if limit <= 0.0:
                return BestLabel(best, chosen, True)  # whatever was dropped, nothing is better
            if k == count or chain.elements[chain.order[k]].key >= limit:
                break
        element = chain.elements[chain.order[k]]
        layer = extend(calm, layer, element, k < musts, target, calm.rests[k + 1], limit)
        k += 1
        if layer.first == layer.end:
            break
    return BestLabel(best, chosen, layer.end != SHORT and int(calm.counts[DROPPED]) == 0)
