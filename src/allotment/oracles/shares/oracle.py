"""The best allocation in whole units as an oracle for compiled code: made once, asked in every round."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from allotment.arrays import ArrayLike, FloatArray, IntArray
from allotment.compiling.decorators import generic
from allotment.oracles.protocol import unproved
from allotment.oracles.shares.calm_arrays import Calm, calm_allocator
from allotment.oracles.shares.calm_solver import share_out_calmly
from allotment.oracles.shares.limits import check_rules, moves_from, per_arm_limits, refuse_moves
from allotment.oracles.shares.share_arrays import Allocator, crew_allocator
from allotment.oracles.shares.size import CELLS, label_count
from allotment.oracles.shares.solver import share_out, share_out_in_groups


class Free(NamedTuple):
    """An oracle for arms in no groups."""

    allocator: Allocator


class Grouped(NamedTuple):
    """An oracle for arms in groups."""

    allocator: Allocator


@generic
def share(oracle: Any, values: FloatArray, units: IntArray) -> bool:
    """Write the best units for every arm, given a row of values for each; whether they are proved best."""
    raise NotImplementedError


@share.register
def _share_free(oracle: Free, values: FloatArray, units: IntArray) -> bool:
    return share_out(oracle.allocator, values, units)[0]


@share.register
def _share_grouped(oracle: Grouped, values: FloatArray, units: IntArray) -> bool:
    return share_out_in_groups(oracle.allocator, values, units)[0]


@share.register
def _share_calm(oracle: Calm, values: FloatArray, units: IntArray) -> bool:
    return share_out_calmly(oracle, values, units)[0]


@unproved.register
def _unproved_free(oracle: Free) -> float:
    return float(oracle.allocator.unproved[0])


@unproved.register
def _unproved_grouped(oracle: Grouped) -> float:
    return float(oracle.allocator.unproved[0])


@unproved.register
def _unproved_calm(oracle: Calm) -> float:
    return float(oracle.allocator.unproved[0])


def sharing_oracle(
    arms: int,
    units: int,
    budget: int,
    *,
    least: ArrayLike | None = None,
    most: ArrayLike | None = None,
    groups: Mapping[Any, Any] | None = None,
    crew: ArrayLike | None = None,
    before: ArrayLike | None = None,
    moves: int | None = None,
) -> Free | Grouped | Calm:
    """Make an oracle for arms with up to `units` units each, with bounds and moves as in `allocate`."""
    floors, caps = per_arm_limits(least, most, arms, units + 1)
    crews, named = check_rules(budget, (floors, caps), groups, crew, before)
    group = named.members(arms)
    memory = crew_allocator(units + 1, budget, (floors, caps, crews), group, named.limits, CELLS)
    if moves is None:
        return Grouped(memory) if groups else Free(memory)
    had, gains = moves_from(before, moves, arms)
    calm, needed = calm_allocator(memory, units + 1, had, gains, label_count(units, arms))
    if needed > gains:
        refuse_moves(moves, needed)
    return calm
