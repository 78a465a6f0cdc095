"""The best allocation in whole units, as a Python function."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike, FloatArray, IntArray
from allotment.checks import positive, whole
from allotment.compiling.decorators import Entry, kernel
from allotment.errors import InputError, shown
from allotment.oracles.shares.calm_arrays import calm_allocator, fits
from allotment.oracles.shares.calm_solver import share_out_calmly
from allotment.oracles.shares.crews import apply_crews
from allotment.oracles.shares.labels import SHORTAGES
from allotment.oracles.shares.limits import (
    Groups,
    check_budget,
    check_rules,
    counted,
    groups_of,
    moves_from,
    per_arm_limits,
    refuse_moves,
)
from allotment.oracles.shares.share_arrays import NO_LIMIT, allocator, crew_allocator
from allotment.oracles.shares.size import CELLS, FEW_LABELS, LABELS
from allotment.oracles.shares.solver import share_out, share_out_in_groups
from allotment.tolerance import RELATIVE

LARGEST, SMALLEST = 1e150, 1e-150  # values outside this are scaled
PACE = 3e8  # cells looked at in a second, about

Limits = tuple[IntArray, IntArray, IntArray, IntArray]  # least, most and group of arms; limits of groups
Rules = tuple[IntArray, IntArray, int]  # crew and before of arms, moves
FLOAT = np.dtype(np.float64)
NO_GROUPS = Groups((), np.empty((0, 2), np.int64))


@dataclass(slots=True, eq=False)  # not frozen: making one would take a while beside a small solve
class Shares:
    """An allocation in whole units.

    Attributes
    ----------
    units : IntArray
        The units of each arm.
    value : float
        The total value.
    bound : float
        No allocation is worth more than this.
    proved : bool
        Whether the allocation is proved optimal, to a relative 1e-12.
    """

    units: IntArray
    value: float
    bound: float
    proved: bool


@kernel
def _fit_for_use(values: FloatArray) -> bool:
    """Whether all values are finite, and such that sums of them neither overflow nor lose digits."""
    highest = 0.0
    for i in range(values.shape[0]):
        for u in range(values.shape[1]):
            size = abs(values[i, u])
            if not size < LARGEST:
                return False
            highest = max(highest, size)
    return highest == 0.0 or highest > SMALLEST


@kernel
def _worth(values: FloatArray, units: IntArray) -> tuple[float, float]:
    """What an allocation is worth, its sum compensated; and the same with all signs removed."""
    total, lost, size = 0.0, 0.0, 0.0
    for i in range(units.size):
        value = values[i, units[i]]
        after = total + value
        lost += (total - after) + value if abs(total) >= abs(value) else (value - after) + total
        total = after
        size += abs(value)
    return total + lost if abs(total) < math.inf else total, size


def _python_seconds(values: FloatArray, *_: Any) -> float:
    return 5e-6 * values.size


@partial(Entry, creates_arrays=True, python_seconds=_python_seconds)
def _solve(
    values: FloatArray, budget: int, limits: Limits, units: IntArray, effort: int
) -> tuple[bool, float, float, float]:
    """Solve once: whether it is proved, the bound (nan for bad values), the worth, and that without signs."""
    if not _fit_for_use(values):
        return False, math.nan, 0.0, 0.0
    least, most, group, of_groups = limits
    memory = allocator(values.shape[1], budget, least, most, group, of_groups, CELLS)
    memory.outer.effort[0] = effort
    proved, bound = share_out(memory, values, units)
    worth, size = _worth(values, units)
    return proved, bound, worth, size


@partial(Entry, creates_arrays=True, python_seconds=_python_seconds)
def _solve_in_groups(
    values: FloatArray, budget: int, limits: Limits, units: IntArray, effort: int
) -> tuple[bool, float, float, float]:
    """The same with groups."""
    if not _fit_for_use(values):
        return False, math.nan, 0.0, 0.0
    least, most, group, of_groups = limits
    memory = allocator(values.shape[1], budget, least, most, group, of_groups, CELLS)
    memory.outer.effort[0] = effort
    memory.inner.effort[0] = effort
    proved, bound = share_out_in_groups(memory, values, units)
    worth, size = _worth(values, units)
    return proved, bound, worth, size


@partial(Entry, creates_arrays=True, python_seconds=_python_seconds)
def _solve_with_crews(
    values: FloatArray, budget: int, limits: Limits, crew: IntArray, units: IntArray, effort: int
) -> tuple[bool, float, float, float]:
    """The same with crews; the bound is -inf if the limits do not fit together."""
    if not _fit_for_use(values):
        return False, math.nan, 0.0, 0.0
    least, most, group, of_groups = limits
    possible = apply_crews(least, most, crew)
    memory = crew_allocator(values.shape[1], budget, (least, most, crew), group, of_groups, CELLS)
    if not (possible and fits(memory)):
        return False, -math.inf, 0.0, 0.0
    memory.outer.effort[0] = effort
    memory.inner.effort[0] = effort
    if of_groups.shape[0] > 0:
        proved, bound = share_out_in_groups(memory, values, units)
    else:
        proved, bound = share_out(memory, values, units)
    worth, size = _worth(values, units)
    return proved, bound, worth, size


@partial(Entry, creates_arrays=True, python_seconds=_python_seconds)
def _solve_calmly(
    values: FloatArray, budget: int, limits: Limits, rules: Rules, units: IntArray, effort: int
) -> tuple[bool, float, float, float]:
    """The same with crews and moves; if it takes more moves, the bound is inf, and the worth is how many."""
    if not _fit_for_use(values):
        return False, math.nan, 0.0, 0.0
    least, most, group, of_groups = limits
    crew, before, moves = rules
    possible = apply_crews(least, most, crew) and before.min() >= 0
    memory = crew_allocator(values.shape[1], budget, (least, most, crew), group, of_groups, CELLS)
    if not (possible and fits(memory)):
        return False, -math.inf, 0.0, 0.0
    proved, bound, labels = False, 0.0, FEW_LABELS
    while True:
        calm, needed = calm_allocator(memory, values.shape[1], before, moves, labels)
        if needed > moves:
            return False, math.inf, float(needed), 0.0
        memory.outer.effort[0] = effort
        memory.inner.effort[0] = effort
        calm.effort[0] = effort
        proved, bound = share_out_calmly(calm, values, units)
        if calm.counts[SHORTAGES] == 0 or calm.effort[0] < 0 or labels == LABELS:
            break
        labels = LABELS
    worth, size = _worth(values, units)
    return proved, bound, worth, size


def allocate(
    values: ArrayLike,
    budget: int,
    *,
    least: ArrayLike | None = None,
    most: ArrayLike | None = None,
    groups: Mapping[Any, tuple[Any, Any, Any]] | None = None,
    crew: ArrayLike | None = None,
    before: ArrayLike | None = None,
    moves: int | None = None,
    time_limit: float | None = None,
) -> Shares:
    """Find the most valuable way to grant whole units to arms.

    The answer is exact. The same input always gives the same one of equally good allocations.

    Parameters
    ----------
    values : array_like
        `values[i, u]` is the value of granting u units to arm i, for u = 0, 1, 2, …: any finite numbers.
    budget : int
        The largest number of units in all.
    least, most : int or array_like, optional
        The smallest and largest number of units of each arm.
    groups : mapping, optional
        Bounds on the total of several arms, by name. `{"north": ([0, 3, 4], 2, 6)}` grants arms 0, 3 and 4
        from 2 to 6 units in all; None means no bound. An arm is in one group at most.
    crew : int or array_like, optional
        The least number of units that an arm gets if it gets any.
    before : array_like, optional
        The previous units of each arm, which `moves` refers to.
    moves : int, optional
        The largest total of the units that arms gain over `before`. Losing units is free.
    time_limit : float, optional
        The time to stop at, in seconds, approximately. No limit by default.

    Returns
    -------
    Shares
        The best allocation. If time or memory ran out, the best one found, with `proved` false.

    Raises
    ------
    InputError
        If a value is out of range, or the bounds cannot be met together.

    Examples
    --------
    >>> worth = [[0, 3, 4, 4], [0, 0, 0, 9], [0, 2, 4, 6]]
    >>> shares = allocate(worth, 4)
    >>> shares.units.tolist(), shares.value, shares.proved
    ([1, 3, 0], 12.0, True)
    >>> allocate(worth, 4, groups={"south": ([1, 2], 0, 2)}).units.tolist()
    [2, 0, 2]
    >>> allocate(worth, 4, before=[2, 0, 2], moves=1).units.tolist()
    [1, 0, 3]
    """
    table, budget = _table(values), whole("budget", budget, least=0)
    arms, columns = table.shape
    effort = NO_LIMIT if time_limit is None else int(min(PACE * positive("time_limit", time_limit), NO_LIMIT))
    floors, caps = per_arm_limits(least, most, arms, columns)
    named = NO_GROUPS if groups is None else groups_of(groups, floors, caps)
    group = named.members(arms)
    if least is not None or groups is not None:
        check_budget(budget, floors, group, named)
    units, scale = np.empty(arms, np.int64), 0
    limits = floors, caps, group, named.limits
    solve: Any = _solve if named is NO_GROUPS else _solve_in_groups
    rules: tuple[Any, ...] = ()
    if moves is not None:
        solve, rules = _solve_calmly, ((counted("crew", crew, arms), *moves_from(before, moves, arms)),)
    elif crew is not None:
        solve, rules = _solve_with_crews, (counted("crew", crew, arms),)
    proved, bound, value, size = solve(table, budget, limits, *rules, units, effort)
    if bound != bound:
        scale = _scale_of(table)
        proved, bound, value, size = solve(np.ldexp(table, -scale), budget, limits, *rules, units, effort)
    if bound == -math.inf:
        check_rules(budget, per_arm_limits(least, most, arms, columns), groups, crew, before)
    if bound == math.inf:
        refuse_moves(moves, int(value))
    highest = value + RELATIVE * size
    bound = float(highest if proved else max(bound, highest))
    if scale:
        value, bound = _enlarged(value, scale), _enlarged(bound, scale)
    return Shares(units, float(value), bound, proved)


def _scale_of(table: FloatArray) -> int:
    """The power of 2 to divide very large or very small values by; numbers that are not finite end here."""
    bad = np.argwhere(~np.isfinite(table))
    if bad.size:
        i, u = bad[0].tolist()
        raise InputError(f"values[{i}, {u}] is {table[i, u]}; expected finite numbers")
    return math.frexp(np.abs(table).max())[1]


def _enlarged(number: float, scale: int) -> float:
    """A number times a power of 2; infinite if that is too large for a number."""
    return float(number) * 2.0 ** (scale // 2) * 2.0 ** (scale - scale // 2)


def _table(values: ArrayLike) -> FloatArray:
    """A table in the one form that the solver is compiled for; the solver itself looks at each number."""
    if type(values) is np.ndarray and values.dtype is FLOAT and values.ndim == 2 and values.size > 0:
        return values if values.flags.carray else values.copy()
    try:
        array = np.array(values)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind not in "iuf" or array.ndim != 2 or array.size == 0:
        raise InputError(f"values is {shown(values)}; expected a table of numbers, with a row for each arm")
    return array.astype(np.float64)
