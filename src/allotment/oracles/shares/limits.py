"""Limits at the door: floors and caps of arms and of groups, and one sentence if they do not fit together."""

from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np

from allotment.arrays import ArrayLike, IntArray
from allotment.checks import per_arm, whole
from allotment.compiling.switches import interpreting
from allotment.errors import InputError, shown
from allotment.oracles.shares.crews import apply_crews, meet_floor
from allotment.oracles.shares.share_arrays import NO_LIMIT

COUNT = np.dtype(np.int64)


class Groups(NamedTuple):
    """Groups of arms: names with the arms of each, and a row (least, most) for each."""

    arms: tuple[tuple[Any, IntArray], ...]
    limits: IntArray

    def members(self, arms: int) -> IntArray:
        """The group of every arm, or -1."""
        group = np.full(arms, -1)
        for g, (_, members) in enumerate(self.arms):
            group[members] = g
        return group


def whole_numbers(name: str, values: ArrayLike, arms: int) -> IntArray:
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


def counted(name: str, values: ArrayLike | None, arms: int) -> IntArray:
    """One whole number for each arm, 0 if none is given; signs are checked in compiled code."""
    if values is None:
        return np.zeros(arms, np.int64)
    array: Any = np.array(values) if isinstance(values, list) else values
    if type(array) is np.ndarray and array.dtype is COUNT and array.shape == (arms,):
        return array if array.flags.carray else array.copy()
    return whole_numbers(name, values, arms)


def moves_from(before: ArrayLike | None, moves: Any, arms: int) -> tuple[IntArray, int]:
    """What arms got before, and the units that they may gain over it together."""
    count = whole("moves", moves, least=0)
    if before is None:
        raise InputError("moves is given, but before is not; expected the units that each arm had before")
    return counted("before", before, arms), min(count, NO_LIMIT)


def refuse_moves(moves: Any, needed: int) -> NoReturn:
    """Say how many moves it takes to get from what arms had to anything within the limits."""
    raise InputError(
        f"moves is {moves}; expected at least {needed}, the fewest units that arms can gain within the limits"
    )


def per_arm_limits(
    least: ArrayLike | None, most: ArrayLike | None, arms: int, columns: int
) -> tuple[IntArray, IntArray]:
    """Floors and caps of arms; no cap is higher than the table of values."""
    floors, caps = np.zeros(arms, np.int64), np.full(arms, columns - 1)
    if most is not None:
        caps = np.minimum(whole_numbers("most", most, arms), columns - 1)
    if least is not None:
        floors = whole_numbers("least", least, arms)
        if (floors > caps).any():
            i = int(np.argmax(floors > caps))
            why = (
                "the arm's most"
                if caps[i] < columns - 1
                else "the highest amount that values has a column for"
            )
            raise InputError(f"least[{i}] is {floors[i]}; expected at most {caps[i]}, {why}")
    return floors, caps


def _members(here: str, listed: list[Any], arms: int) -> IntArray:
    """The arms of a group, each a whole number that stands for an arm."""
    members = np.array(listed if listed else np.empty(0, np.int64))
    if members.ndim != 1 or members.dtype.kind not in "iu" or not ((members >= 0) & (members < arms)).all():
        for arm in listed:
            whole(f"an arm of {here}", arm, least=0, most=arms - 1)
    return members.astype(np.int64)


def _repeated(members: IntArray) -> int:
    """Where an arm stands for the second time."""
    seen: set[int] = set()
    for k, arm in enumerate(members.tolist()):
        if arm in seen:
            return k
        seen.add(arm)
    return -1


def groups_of(groups: Mapping[Any, tuple[Any, Any, Any]], floors: IntArray, caps: IntArray) -> Groups:
    """Groups that fit the limits of their arms."""
    if not isinstance(groups, Mapping):
        raise InputError(f"groups is {shown(groups)}; expected names, each with (arms, least, most)")
    owner, names = np.full(floors.size, -1), list(groups)
    named, limits = [], []
    for g, (name, group) in enumerate(groups.items()):
        here = f"groups[{name!r}]"
        try:
            listed, least, most = group
            listed = list(listed)
        except (TypeError, ValueError):
            raise InputError(f"{here} is {shown(group)}; expected (arms, least, most)") from None
        members = _members(here, listed, floors.size)
        owners = owner[members]
        owner[members] = g
        if (owners >= 0).any() or np.unique(members).size < members.size:
            k = int(np.argmax(owners)) if (owners >= 0).any() else _repeated(members)
            other = names[owners[k]] if owners[k] >= 0 else name
            raise InputError(
                f"{here} has arm {members[k]}, as groups[{other!r}] has; expected arms in one group at most"
            )
        low = 0 if least is None else whole(f"the least of {here}", least, least=0)
        high = NO_LIMIT if most is None else whole(f"the most of {here}", most, least=0)
        must, may = int(floors[members].sum()), int(caps[members].sum())
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
        named.append((name, members))
        limits.append((max(low, must), min(high, may)))
    return Groups(tuple(named), np.array(limits, np.int64).reshape(-1, 2))


def check_rules(
    budget: int,
    limits: tuple[IntArray, IntArray],
    groups: Mapping[Any, tuple[Any, Any, Any]] | None,
    crew: ArrayLike | None,
    before: ArrayLike | None,
) -> tuple[IntArray, Groups]:
    """Apply crews to the limits of arms and groups; an error says what does not fit together."""
    floors, caps = limits
    crews = np.zeros_like(floors) if crew is None else whole_numbers("crew", crew, floors.size)
    if before is not None:
        whole_numbers("before", before, floors.size)
    if (bad := (floors > 0) & (crews > caps)).any():
        i = int(np.argmax(bad))
        raise InputError(
            f"crew[{i}] is {crews[i]}; expected at most {caps[i]}, all that the arm can get, "
            f"since its least is {floors[i]}"
        )
    with interpreting():  # short loops, and once for a start: not worth compiling
        apply_crews(floors, caps, crews)
    named = groups_of(groups or {}, floors, caps)
    for g, (name, members) in enumerate(named.arms if crew is not None else ()):
        least, low, high = floors[members], int(named.limits[g, 0]), int(named.limits[g, 1])
        floor, units = int(least.sum()), np.zeros_like(least)
        with interpreting():
            reached = meet_floor(least, caps[members], crews[members], units, 0, members.size, low - floor)
        named.limits[g, 0] = floor + reached
        if floor + reached > high:
            raise InputError(
                f"the most of groups[{name!r}] is {high}; expected at least {floor + reached}, "
                f"the fewest units, from {low} on, that the crews of its arms can make"
            )
    check_budget(budget, floors, named.members(floors.size), named)
    return crews, named


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
