"""The bounds of a plan in whole units, the crews that they make, and the error if no plan meets them all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import count_of, listed, plain, units_to_reach, units_within, written
from allotment.campaign.planning.wishes import Wishes
from allotment.campaign.settings.settings import Settings
from allotment.checks import LARGEST_COUNT
from allotment.errors import ConflictError, InputError


def ruled_out_by_moves(settings: Settings) -> list[str]:
    """A sentence if a limit of moves keeps places from ever getting their crew again; else nothing.

    A place that has nothing gains its whole crew at once. A place with a least never has nothing.
    """
    arms = [settings.arms[number] for number in settings.active]
    crews = {arm.name: units_within(arm.crew, settings.unit) for arm in arms if not arm.least}
    large = {name: crew for name, crew in crews.items() if crew > (settings.moves or 0)}
    if settings.moves is None or not large:
        return []
    who, crew = ("its", "crew") if len(large) == 1 else ("their", "crews")
    limit, enough = count_of(settings.moves, "move"), count_of(max(large.values()), "move")
    return [
        f"With a limit of {limit}, {listed(large)} cannot get {who} {crew} after a plan with nothing there. "
        f"Allow {enough}, or lower the {crew}."
    ]


def fewest_units(least: IntArray, most: IntArray, crew: IntArray, floor: int, cap: int | None) -> int | None:
    """The fewest units, from floor to cap, that arms can get together; None if there is no such number."""
    free = (crew > 0) & (least == 0)
    base, room = int(least.sum()), int((most - least)[~free].sum())
    sums = 1  # bit n is set if the arms that may also get nothing can get n units together
    for need, top in zip(crew[free].tolist(), most[free].tolist(), strict=True):
        sums |= _spread(sums << need, top - need)
    short = max(floor - base - room, 0)
    enough = sums >> short
    if not enough:
        return None
    fewest = short + (enough & -enough).bit_length() - 1
    found = max(floor, base + fewest)
    return found if cap is None or found <= cap else None


def _spread(sums: int, further: int) -> int:
    """The sums, and every number at most `further` above one of them."""
    done = 0
    while done < further:
        step = min(done + 1, further - done)
        sums |= sums << step
        done += step
    return sums


@dataclass(frozen=True, eq=False)
class PlanBounds:
    """Floors and caps of the active arms and of their groups, and the budget, in whole units."""

    arms: tuple[int, ...]  # by their numbers
    least: IntArray
    most: IntArray
    groups: Mapping[str, tuple[IntArray, int, int | None]]  # positions among the arms, least, most
    budget: int
    rest: Decimal  # of the budget, that is no whole unit
    crew: IntArray | None = None  # what an arm gets at least if it gets anything; None if no arm has one
    before: IntArray | None = None  # what arms had, if the units that they gain are limited
    moves: int | None = None  # the units that they may gain together
    allowed: int | None = None  # the same, by the settings; the bounds of the day may need more

    def broken_by(self, units: IntArray) -> str:
        """What an allocation breaks, in words; nothing if it keeps everything."""
        if units.shape != self.least.shape or units.dtype.kind not in "iu":
            return "the places"
        if int(units.sum()) > self.budget:
            return "the budget"
        if (units < self.least).any() or (units > self.most).any():
            return "a floor or a cap"
        if self.crew is not None and ((units > 0) & (units < self.crew)).any():
            return "a crew"
        gains = 0 if self.before is None else int(np.maximum(units - self.before, 0).sum())
        if self.moves is not None and gains > self.moves:
            return "the limit of moves"
        for name, (members, least, most) in self.groups.items():
            together = int(units[members].sum())
            if together < least or (most is not None and together > most):
                return f"the bounds of {name}"
        return ""

    def for_allocate(self) -> dict[str, Any]:
        """The bounds as `allocate` takes them."""
        groups = {
            name: (members.tolist(), least, most) for name, (members, least, most) in self.groups.items()
        }
        found = {"least": self.least, "most": self.most, "groups": groups or None}
        further = {"crew": self.crew, "before": self.before, "moves": self.moves}
        return {**found, **{name: value for name, value in further.items() if value is not None}}

    def share_out(self, values: FloatArray) -> IntArray:
        """The most valuable units within the bounds; `values` is by arm and units."""
        from allotment.oracles.shares.allocate import (
            allocate,  # loads Numba, which those who only tell do not need
        )

        return allocate(values, self.budget, **self.for_allocate()).units

    @property
    def beyond_policy(self) -> bool:
        """Whether there are limits that the policy itself does not know: crews or moves."""
        return self.crew is not None or self.moves is not None

    @property
    def needed(self) -> int:
        """The fewest units that a plan must grant, whatever it prevents."""
        alone = np.ones(self.least.size, bool)
        total = 0
        for members, least, most in self.groups.values():
            alone[members] = False
            total += self.fewest(members, least, most) or 0
        return total + int(self.least[alone].sum())

    def fewest(self, members: IntArray, least: int = 0, most: int | None = None) -> int | None:
        """The fewest units that some arms can get together, from least to most; None if they cannot."""
        crew = np.zeros_like(self.least) if self.crew is None else self.crew
        return fewest_units(self.least[members], self.most[members], crew[members], least, most)


def bounds_of(settings: Settings, wishes: Wishes | None = None) -> PlanBounds:
    """The bounds that settings and wishes make together; raises an error if nothing keeps them all."""
    wishes = wishes or Wishes()
    unit, arms = settings.unit, settings.active
    if not arms:
        raise ConflictError("every place is retired", "at least one to plan for", what="arms")
    least = np.array([units_to_reach(settings.arms[arm].least, unit) for arm in arms], np.int64)
    most = np.array([units_within(settings.arms[arm].most, unit) for arm in arms], np.int64)
    crew = np.array([units_within(settings.arms[arm].crew, unit) for arm in arms], np.int64)
    for i, arm in enumerate(arms):
        if arm in wishes.exclude:
            least[i] = most[i] = 0
        elif wishes.fix and arm in wishes.fix:
            least[i] = most[i] = int(wishes.fix[arm] // unit)
        elif arm in wishes.require:
            if most[i] == 0:
                raise ConflictError(
                    f"{settings.arms[arm].name!r} is required, but its most is no whole unit", what="require"
                )
            least[i] = max(least[i], 1)
    least[least > 0] = np.maximum(least, crew)[least > 0]
    crew[(least > 0) | (most == 0)] = 0
    budget = settings.budget if wishes.budget is None else wishes.budget
    members: dict[str, list[int]] = {}
    for i, arm in enumerate(arms):
        group = settings.arms[arm].group
        if group is not None:
            members.setdefault(group, []).append(i)
    groups = {
        name: (
            np.array(members.get(name, []), np.int64),
            _countable(f"the least of group {name!r}", group.least, unit, units_to_reach),
            None
            if group.most is None
            else _countable(f"the most of group {name!r}", group.most, unit, units_within),
        )
        for name, group in sorted(settings.groups.items())  # in one order, wherever they come from
        if group.least or group.most is not None
    }
    whole = _countable("the budget", budget, unit, units_within)
    found = PlanBounds(arms, least, most, groups, whole, budget % unit, crew if crew.any() else None)
    _check(found, settings, budget)
    return found


def check_bounds(settings: Settings) -> None:
    """Raise an error if no plan could be made in some situation."""
    for number in settings.situations.numbers:
        try:
            bounds_of(settings.within(number))
        except InputError as error:
            called = settings.situations.name(number)
            raise error if called is None else error.within(called) from None


def widest(bounds: Sequence[PlanBounds]) -> PlanBounds:
    """Bounds that hold all of several plans for the same arms; the same object if there is only one."""
    if len(bounds) == 1:
        return bounds[0]
    return replace(
        bounds[0],
        least=np.min([each.least for each in bounds], axis=0),
        most=np.max([each.most for each in bounds], axis=0),
        budget=max(each.budget for each in bounds),
    )


def _countable(what: str, amount: Decimal, unit: Decimal, count: Callable[[Decimal, Decimal], int]) -> int:
    """An amount in units, of which there are not more than can be counted."""
    units = count(amount, unit)
    if units >= LARGEST_COUNT:  # so that one unit more can still be thought of
        raise InputError(
            f"{what}, {written(amount)}, is {units} units of {written(unit)}",
            f"fewer than {LARGEST_COUNT} units; a larger unit, or a smaller amount",
            what=what,
            value=amount,
        )
    return units


def _check(bounds: PlanBounds, settings: Settings, budget: Decimal) -> None:
    """Whether anything keeps all bounds; if not, the sentence says which do not fit together."""
    unit = settings.unit

    def amount(units: int) -> str:
        return written(units * unit)

    def floors(positions: IntArray) -> str:
        named = [(settings.arms[bounds.arms[i]].name, int(bounds.least[i])) for i in positions.tolist()]
        return listed(f"{name} {amount(units)}" for name, units in named if units)

    alone = np.ones(bounds.least.size, bool)
    total, parts = 0, []
    for name, (members, least, most) in bounds.groups.items():
        alone[members] = False
        needed, possible = int(bounds.least[members].sum()), int(bounds.most[members].sum())
        if least > possible:
            raise ConflictError(
                f"the least of group {name!r} is {amount(least)}",
                f"at most {amount(possible)}, all that its places can get",
                what="groups",
                value=name,
            )
        if most is not None and needed > most:
            raise ConflictError(
                f"the places of group {name!r} must get {amount(needed)} ({floors(members)})",
                f"at most {amount(most)}, the most of the group",
                what="groups",
                value=name,
            )
        if most is not None and least > most:
            raise ConflictError(
                f"the least of group {name!r} is {amount(least)}",
                f"at most {amount(most)}, its most",
                what="groups",
                value=name,
            )
        fewest = bounds.fewest(members, least, most)
        if fewest is None:
            raise ConflictError(
                f"the places of group {name!r}, each with nothing or its crew, cannot get "
                f"{amount(least)} to {amount(most or 0)} together",
                "smaller crews, or another least or most of the group",
                what="groups",
                value=name,
            )
        total += fewest
        if fewest:
            parts.append(f"group {name} {amount(fewest)}")
    total += int(bounds.least[alone].sum())
    if total > bounds.budget:
        parts += [floors(np.flatnonzero(alone))] if bounds.least[alone].any() else []
        raise ConflictError(
            f"places must get {amount(total)} together ({'; '.join(parts)})",
            f"at most {written(budget)}, the budget",
            what="budget",
            value=budget,
        )


@dataclass(frozen=True)
class CheckedOrders:
    """Orders and bounds that can be met together. Amounts are in the user's units."""

    budget: int | float
    needed: int | float  # what must be granted, by orders and bounds
    usable: int | float  # all that places may get

    @classmethod
    def of(cls, bounds: PlanBounds, settings: Settings) -> "CheckedOrders":
        """What bounds leave free."""
        unit = settings.unit
        return cls(
            budget=plain(bounds.budget * unit + bounds.rest),
            needed=plain(bounds.needed * unit),
            usable=plain(int(bounds.most.sum()) * unit),
        )

    def __str__(self) -> str:
        if self.usable < self.budget:
            return f"These orders fit, but places can use only {self.usable} of {self.budget}."
        return f"These orders fit: they and the bounds of places bind {self.needed} of {self.budget}."
