"""Limits at the door: floors and caps of arms and of groups, and one sentence if they do not fit together."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from allotment.checks import IntArray, per_arm, shown, whole
from allotment.errors import InputError
from allotment.oracles.shares.workspace import NO_LIMIT


class Groups(NamedTuple):
    """Groups of arms: names with the arms of each, and a row (least, most) for each."""

    arms: tuple[tuple[Any, tuple[int, ...]], ...]
    limits: IntArray

    def members(self, arms: int) -> IntArray:
        """The group of every arm, or -1."""
        group = np.full(arms, -1)
        for g, (_, members) in enumerate(self.arms):
            group[list(members)] = g
        return group


def _whole_numbers(name: str, values: ArrayLike, arms: int) -> IntArray:
    """One whole number for each arm."""
    array = np.array(per_arm(values, arms))
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{name} is {shown(values)}; expected a whole number of units, or one for each arm")
    if array.size != arms:
        raise InputError(f"{name} has {array.size} numbers; expected {arms}, one for each arm")
    if array.min() < 0:
        i = int(np.argmax(array < 0))
        raise InputError(f"{name}[{i}] is {array[i]}; expected a whole number of at least 0")
    return np.minimum(array, NO_LIMIT).astype(np.int64)


def per_arm_limits(
    least: ArrayLike | None, most: ArrayLike | None, arms: int, columns: int
) -> tuple[IntArray, IntArray]:
    """Floors and caps of arms; no cap is higher than the table of values."""
    floors, caps = np.zeros(arms, np.int64), np.full(arms, columns - 1)
    if most is not None:
        caps = np.minimum(_whole_numbers("most", most, arms), columns - 1)
    if least is not None:
        floors = _whole_numbers("least", least, arms)
        if (floors > caps).any():
            i = int(np.argmax(floors > caps))
            why = (
                "the arm's most"
                if caps[i] < columns - 1
                else "the highest amount that values has a column for"
            )
            raise InputError(f"least[{i}] is {floors[i]}; expected at most {caps[i]}, {why}")
    return floors, caps


def groups_of(groups: Mapping[Any, tuple[Any, Any, Any]], floors: IntArray, caps: IntArray) -> Groups:
    """Groups that fit the limits of their arms."""
    if not isinstance(groups, Mapping):
        raise InputError(f"groups is {shown(groups)}; expected names, each with (arms, least, most)")
    seen: dict[int, Any] = {}
    named, limits = [], []
    for name, group in groups.items():
        here = f"groups[{name!r}]"
        try:
            members, least, most = group
            members = list(members)
        except (TypeError, ValueError):
            raise InputError(f"{here} is {shown(group)}; expected (arms, least, most)") from None
        for arm in members:
            whole(f"an arm of {here}", arm, least=0, most=floors.size - 1)
            if arm in seen:
                raise InputError(
                    f"{here} has arm {arm}, as groups[{seen[arm]!r}] has; expected arms in one group at most"
                )
            seen[arm] = name
        low = 0 if least is None else whole(f"the least of {here}", least, least=0)
        high = NO_LIMIT if most is None else whole(f"the most of {here}", most, least=0)
        must, may = int(floors[members].sum()) if members else 0, int(caps[members].sum()) if members else 0
        if low > high:
            raise InputError(f"the least of {here} is {low}; expected at most {high}, its most")
        if high < must:
            raise InputError(
                f"the most of {here} is {high}; expected at least {must}, the least of its arms together"
            )
        if low > may:
            raise InputError(
                f"the least of {here} is {low}; expected at most {may}, all that its arms can get"
            )
        named.append((name, tuple(int(arm) for arm in members)))
        limits.append((max(low, must), min(high, may)))
    return Groups(tuple(named), np.array(limits, np.int64).reshape(-1, 2))


def check_budget(budget: int, floors: IntArray, group: IntArray, groups: Groups) -> None:
    """Whether all floors together fit the budget."""
    alone = int(floors[group < 0].sum())
    total = alone + int(groups.limits[:, 0].sum())
    if total <= budget:
        return
    floors_named = [
        f"groups[{name!r}] ({low})"
        for (name, _), low in zip(groups.arms, groups.limits[:, 0], strict=True)
        if low
    ]
    if not floors_named:
        raise InputError(f"the least of all arms together is {total}; expected at most {budget}, the budget")
    if alone:
        floors_named.append(f"the arms in no group ({alone})")
    raise InputError(
        f"the least of {', '.join(floors_named)} is {total} together; expected at most {budget}, the budget"
    )
