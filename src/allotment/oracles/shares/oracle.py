"""The best allocation in whole units as an oracle for compiled code: made once, asked in every round."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from allotment.arrays import ArrayLike, FloatArray, IntArray
from allotment.compiling.decorators import generic
from allotment.oracles.oracle_protocol import unproved
from allotment.oracles.shares.limits import check_budget, groups_of, per_arm_limits
from allotment.oracles.shares.share_arrays import Allocator, allocator
from allotment.oracles.shares.size import CELLS
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


@unproved.register
def _unproved_free(oracle: Free) -> int:
    return int(oracle.allocator.unproved[0])


@unproved.register
def _unproved_grouped(oracle: Grouped) -> int:
    return int(oracle.allocator.unproved[0])


def sharing_oracle(
    arms: int,
    units: int,
    budget: int,
    *,
    least: ArrayLike | None = None,
    most: ArrayLike | None = None,
    groups: Mapping[Any, Any] | None = None,
) -> Free | Grouped:
    """An oracle for so many arms with up to `units` each, under limits as in `allocate`."""
    floors, caps = per_arm_limits(least, most, arms, units + 1)
    named = groups_of(groups or {}, floors, caps)
    group = named.members(arms)
    check_budget(budget, floors, group, named)
    memory = allocator(units + 1, budget, floors, caps, group, named.limits, CELLS)
    return Grouped(memory) if groups else Free(memory)
