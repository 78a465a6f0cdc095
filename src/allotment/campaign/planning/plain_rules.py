"""Plans without a model: an equal split, and hot spots in proportion to past losses."""

from dataclasses import replace

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.evidence import Evidence
from allotment.evidence.rows import Row, SituatedRow

PRIOR = 0.5  # losses that every arm starts with, so that at first all are alike


def losses_seen(evidence: Evidence, situation: int = 0) -> FloatArray:
    """What was seen to happen at each arm in a situation, and PRIOR."""
    seen = np.full(evidence.arms, PRIOR)
    for row in rows_in(evidence, situation):
        seen[row.arm] += row.losses
    return seen


def rows_in(evidence: Evidence, situation: int) -> list[Row | SituatedRow]:
    """The evidence of one situation."""
    return [row for row in evidence if getattr(row, "situation", 0) == situation]


def equal_split(bounds: PlanBounds) -> IntArray:
    """As equal as whole units and bounds let it be."""
    return in_proportion(np.ones(bounds.least.size), bounds)


def hot_spots(seen: FloatArray, bounds: PlanBounds) -> IntArray:
    """In proportion to what was seen to happen, as far as whole units and bounds let it be."""
    return in_proportion(seen, bounds)


def in_proportion(weights: FloatArray, bounds: PlanBounds) -> IntArray:
    """Floors first; then unit after unit to the arm that is furthest below its share and may have more."""
    share = bounds.budget * weights / weights.sum()
    units = bounds.least.copy()
    for members, least, _ in bounds.groups.values():
        _fill(units, share, bounds, members, least - int(units[members].sum()))
    everyone = np.arange(units.size)
    if not bounds.groups:  # whole shares at once, as far as the budget goes
        # No tolerance: a share of 3 that comes out just below 3 gets its third unit from `_fill`.
        whole = np.clip(np.floor(share).astype(np.int64), bounds.least, bounds.most)
        units = whole if whole.sum() <= bounds.budget else units
    _fill(units, share, bounds, everyone, bounds.budget - int(units.sum()))
    return units if bounds.crew is None else _with_crews(units, bounds)


def _with_crews(wanted: IntArray, bounds: PlanBounds) -> IntArray:
    """The units within the bounds that spend most, and of those the nearest to what is wanted, in squares."""
    amounts = np.arange(bounds.most.max() + 1)
    apart = (amounts - wanted[:, None]).astype(np.float64) ** 2
    spent = (apart.max(axis=1).sum() + 1.0) * amounts
    return replace(bounds, before=None, moves=None).share_out(spent - apart)


def _fill(units: IntArray, share: FloatArray, bounds: PlanBounds, members: IntArray, count: int) -> None:
    """Grant `count` units to some arms, as long as one of them may get more."""
    short = np.full(units.size, -np.inf)
    short[members] = share[members] - units[members]
    short[units >= bounds.most] = -np.inf
    room = {
        name: (np.inf if most is None else most - int(units[arms].sum()))
        for name, (arms, _, most) in bounds.groups.items()
    }
    group = {arm: name for name, (arms, _, _) in bounds.groups.items() for arm in arms.tolist()}
    for name, (arms, _, _) in bounds.groups.items():
        if room[name] <= 0:
            short[arms] = -np.inf
    for _ in range(count):
        furthest = int(np.argmax(short))
        if short[furthest] == -np.inf:
            return
        units[furthest] += 1
        short[furthest] = short[furthest] - 1.0 if units[furthest] < bounds.most[furthest] else -np.inf
        mine = group.get(furthest)
        if mine is not None:
            room[mine] -= 1
            if room[mine] <= 0:
                short[bounds.groups[mine][0]] = -np.inf
