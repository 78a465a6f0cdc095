"""Tables of values of many shapes, and solvers of the allocation in whole units too simple to be wrong."""

import itertools
import math

import numpy as np
import pytest

SHAPES = (
    "step",
    "steps",
    "random increasing",
    "sorted",
    "convex",
    "concave",
    "sigmoid",
    "noise",
    "whole",
    "correlated",
)


def curves(shape, arms, units, rng):
    """A row of values for each arm, for 0 to `units` units."""
    amounts = np.arange(units + 1)[None, :]
    share, height = amounts / max(units, 1), rng.random((arms, 1))
    if shape == "step":
        return height * (amounts >= rng.integers(1, units + 2, (arms, 1)))
    if shape == "steps":
        places = rng.integers(1, units + 2, (3, arms, 1))
        return (rng.random((3, arms, 1)) * (amounts[None] >= places)).sum(axis=0)
    if shape == "random increasing":
        return np.cumsum(rng.random((arms, units + 1)), axis=1) / (units + 1)
    if shape == "sorted":
        return np.sort(rng.random((arms, units + 1)), axis=1)
    if shape == "convex":
        return height * share ** rng.uniform(1.0, 4.0, (arms, 1))
    if shape == "concave":
        return height * share ** rng.uniform(0.2, 1.0, (arms, 1))
    if shape == "sigmoid":
        middle, width = rng.random((arms, 1)), rng.uniform(0.02, 0.3, (arms, 1))
        return height / (1.0 + np.exp((middle - share) / width))
    if shape == "noise":
        return rng.normal(size=(arms, units + 1))
    if shape == "whole":
        return np.cumsum(rng.integers(-1, 4, (arms, units + 1)), axis=1).astype(float)
    if shape == "correlated":
        place = rng.integers(1, units + 2, (arms, 1))
        return np.where(amounts >= place, place + 3.0, 0.0)
    raise KeyError(shape)


def random_limits(rng, arms, units):
    """Floors, caps and groups; they need not fit together."""
    least = rng.integers(0, 2, arms) if rng.random() < 0.4 else np.zeros(arms, np.int64)
    most = rng.integers(0, units + 2, arms) if rng.random() < 0.4 else np.full(arms, units + 3)
    groups, order, cut = {}, rng.permutation(arms), 0
    while cut < arms and rng.random() < 0.7:
        size = int(rng.integers(1, arms - cut + 1))
        low = int(rng.integers(0, size * units // 2 + 2))
        high = low + int(rng.integers(0, size * units // 2 + 2))
        groups[f"group {cut}"] = (order[cut : cut + size].tolist(), low, high)
        cut += size
    return least, most, groups


def random_rules(rng, arms, units):
    """Crews, what arms had before, and moves; they need not fit anything."""
    crew = rng.integers(0, 4, arms) if rng.random() < 0.8 else np.zeros(arms, np.int64)
    moves = int(rng.integers(0, 5)) if rng.random() < 0.7 else None
    return crew, rng.integers(0, units + 1, arms), moves


def by_enumeration(values, budget, least, most, groups):
    """The highest worth by looking at every allocation within the limits; -inf if there is none."""
    return by_enumeration_of_gains(values, budget, least, most, groups)[0]


def by_enumeration_of_gains(values, budget, least, most, groups, crew=0, before=0, moves=None):
    """The same with crews and moves; and the fewest gains within the limits, None if nothing is."""
    best, fewest = -math.inf, None
    crew, before = np.broadcast_to(crew, len(values)), np.broadcast_to(before, len(values))
    choices = [
        [u for u in range(low, min(high, values.shape[1] - 1) + 1) if u == 0 or u >= few]
        for low, high, few in zip(least, most, crew.tolist(), strict=True)
    ]
    for units in itertools.product(*choices):
        if sum(units) <= budget and all(
            low <= sum(units[arm] for arm in members) <= high for members, low, high in groups.values()
        ):
            gains = sum(max(u - had, 0) for u, had in zip(units, before.tolist(), strict=True))
            fewest = gains if fewest is None else min(fewest, gains)
            if moves is None or gains <= moves:
                best = max(best, math.fsum(row[u] for row, u in zip(values, units, strict=True)))
    return best, fewest


def profile(values, least, most, top):
    """The highest worth of some arms for every total up to `top`, exactly spent; -inf where there is none."""
    best = np.full(top + 1, -math.inf)
    best[0] = 0.0
    for row, low, high in zip(values, least, most, strict=True):
        after = np.full(top + 1, -math.inf)
        for u in range(low, min(high, row.size - 1, top) + 1):
            after[u:] = np.maximum(after[u:], best[: top + 1 - u] + row[u])
        best = after
    return best


def by_table(values, budget, least, most, groups):
    """The same by the full table over all totals, a group's first."""
    arms = np.arange(len(values))
    grouped = np.concatenate([np.array(members, int) for members, _, _ in groups.values()] or [arms[:0]])
    free = np.setdiff1d(arms, grouped)
    best = profile(values[free], least[free], most[free], budget)
    for members, low, high in groups.values():
        own = profile(values[members], least[members], most[members], budget)
        after = np.full(budget + 1, -math.inf)
        for total in range(low, min(high, budget) + 1):
            after[total:] = np.maximum(after[total:], best[: budget + 1 - total] + own[total])
        best = after
    return float(best.max())


def profile_of_gains(values, least, most, crew, before, top, moves):
    """The highest worth of some arms for every total up to `top` and every number of gains up to `moves`."""
    best = np.full((top + 1, moves + 1), -math.inf)
    best[0, 0] = 0.0
    for row, low, high, few, had in zip(values, least, most, crew, before, strict=True):
        after = np.full_like(best, -math.inf)
        for u in range(low, min(high, row.size - 1, top) + 1):
            gain = max(u - had, 0)
            if (u == 0 or u >= few) and gain <= moves:
                more = best[: top + 1 - u, : moves + 1 - gain] + row[u]
                after[u:, gain:] = np.maximum(after[u:, gain:], more)
        best = after
    return best


def by_table_of_gains(values, budget, least, most, groups, crew, before, moves):
    """The highest worth with crews and moves by the full table over all totals and gains, a group's first."""
    arms = np.arange(len(values))
    grouped = np.concatenate([np.array(members, int) for members, _, _ in groups.values()] or [arms[:0]])
    rules = values, least, most, crew, before
    best = profile_of_gains(*(rule[np.setdiff1d(arms, grouped)] for rule in rules), budget, moves)
    for members, low, high in groups.values():
        own = profile_of_gains(*(rule[members] for rule in rules), budget, moves)
        after = np.full_like(best, -math.inf)
        for total in range(low, min(high, budget) + 1):
            for gain in np.flatnonzero(own[total] > -math.inf).tolist():
                more = best[: budget + 1 - total, : moves + 1 - gain] + own[total, gain]
                after[total:, gain:] = np.maximum(after[total:, gain:], more)
        best = after
    return float(best.max())


def assert_best(shares, values, budget, least, most, groups, best):
    """Proved, within all limits, its numbers right, and as good as the best to the one tolerance."""
    units = shares.units
    chosen = values[np.arange(len(values)), units]
    slack = 1e-12 * max(np.abs(chosen).sum(), abs(best))
    assert shares.proved
    assert units.sum() <= budget
    assert (units >= least).all()
    assert (units <= most).all()
    for members, low, high in groups.values():
        assert low <= units[members].sum() <= high
    assert shares.value == pytest.approx(math.fsum(chosen), rel=1e-14, abs=1e-14 * np.abs(chosen).sum())
    assert best - slack <= shares.value <= best + slack
    assert shares.value <= shares.bound <= best + 10 * slack
