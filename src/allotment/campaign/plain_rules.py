"""What planners do without a model: split equally, or send most to where most happened."""

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.bounds import Bounds


def in_order(bounds: Bounds, order: IntArray, *, one_by_one: bool) -> IntArray:
    """Grant in an order, within all bounds: a unit to each in turn, or to the first all that it takes."""
    units = bounds.least.copy()
    group = np.full(units.size, -1)
    room = []
    for number, (members, _, most) in enumerate(bounds.groups.values()):
        group[members] = number
        room.append(np.inf if most is None else most - int(units[members].sum()))
    left = bounds.budget - int(units.sum())
    for members, least, _ in bounds.groups.values():  # floors of groups first
        own = set(members.tolist())
        inside = [i for i in order.tolist() if i in own]
        short = least - int(units[members].sum())
        left = _grant(units, bounds, inside, group, room, left, short, one_by_one)
    _grant(units, bounds, order.tolist(), group, room, left, left, one_by_one)
    return units


def _grant(
    units: IntArray,
    bounds: Bounds,
    order: list[int],
    group: IntArray,
    room: list[float],
    left: int,
    wanted: int,
    one_by_one: bool,
) -> int:
    """Grant what is wanted, as far as it goes; returns what is left."""
    moved = True
    while wanted > 0 and left > 0 and moved:
        moved = False
        for i in order:
            g = int(group[i])
            free = min(int(bounds.most[i] - units[i]), left, wanted, room[g] if g >= 0 else np.inf)
            grant = int(min(free, 1) if one_by_one else free)
            if grant > 0:
                units[i] += grant
                left, wanted, moved = left - grant, wanted - grant, True
                if g >= 0:
                    room[g] -= grant
            if wanted <= 0 or left <= 0:
                break
    return left


def equal_split(bounds: Bounds) -> IntArray:
    """As equal as whole units and bounds let it be."""
    return in_order(bounds, np.arange(bounds.least.size), one_by_one=True)


def hot_spots(seen: FloatArray, bounds: Bounds) -> IntArray:
    """To where most was seen to happen as much as it can use, then to the next."""
    return in_order(bounds, np.argsort(-seen, kind="stable"), one_by_one=False)
