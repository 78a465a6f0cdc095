"""What policies share that grant whole units: the unit, the budget and the bounds counted in it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike, IntArray
from allotment.checks import number, per_arm, vector
from allotment.oracles.shares.calm_arrays import Calm
from allotment.oracles.shares.oracle import Free, Grouped, sharing_oracle
from allotment.policies.base.policy import Setting
from allotment.tolerance import RELATIVE, ceil_with_tolerance, floor_with_tolerance
from allotment.worlds.units import Units


def oracle_of(setting: Setting, full: int) -> Free | Grouped | Calm:
    """The oracle that shares out the setting's budget within its bounds; `full` units are a full grant."""
    bounds = setting.bounds
    budget = Units.of(1.0 / full, setting.budget, setting.slack).budget
    least = None if bounds.least is None else _floors("least", bounds.least, setting.arms, full)
    most = None if bounds.most is None else _caps("most", bounds.most, setting.arms, full)
    crew = None if bounds.crew is None else _floors("crew", bounds.crew, setting.arms, full)
    # What arms had counts down: counted up, an arm could gain more than the moves allow.
    before = None if bounds.before is None else _caps("before", bounds.before, setting.arms, full)
    moves = None if bounds.moves is None else _number("moves", bounds.moves)
    return sharing_oracle(
        setting.arms,
        full,
        budget,
        least=least,
        most=most,
        groups=_in_units(bounds.groups, full),
        crew=crew,
        before=before,
        moves=None if moves is None else floor_with_tolerance(moves * full),
    )


def largest_units(setting: Setting, full: int) -> IntArray:
    """The most units that each arm may get; `full` units are a full grant."""
    most = 1.0 if setting.bounds.most is None else setting.bounds.most
    return _caps("most", most, setting.arms, full)


def _amounts(name: str, values: ArrayLike, arms: int) -> Any:
    return vector(name, per_arm(values, arms), "from 0 to 1", length=arms, least=0.0, most=1.0)


def _floors(name: str, values: ArrayLike, arms: int, full: int) -> IntArray:
    """Floors count up to the next whole unit."""
    return np.ceil(_amounts(name, values, arms) * full - RELATIVE * full).astype(np.int64)


def _caps(name: str, values: ArrayLike, arms: int, full: int) -> IntArray:
    """Caps count down to the whole units that they contain."""
    return np.floor(_amounts(name, values, arms) * full + RELATIVE * full).astype(np.int64)


def _in_units(groups: Any, full: int) -> Any:
    """Groups with their floors and caps in units; what is wrong with them, the oracle says."""
    if not isinstance(groups, Mapping):
        return groups
    counted: dict[Any, Any] = {}
    for name, group in groups.items():
        try:
            arms, least, most = group
        except (TypeError, ValueError):
            counted[name] = group
            continue
        here = f"groups[{name!r}]"
        low = None if least is None else _number(f"the least of {here}", least)
        high = None if most is None else _number(f"the most of {here}", most)
        counted[name] = (
            arms,
            None if low is None else ceil_with_tolerance(low * full),
            None if high is None else floor_with_tolerance(high * full),
        )
    return counted


def _number(name: str, value: Any) -> float:
    return number(name, value, "a number of at least 0", least=0.0, most=1e9)
