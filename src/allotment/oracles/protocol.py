"""What every oracle offers to compiled code: take the weights once, then choose for any values.

The memory of an oracle is arrays of records: few arrays of records, not many of numbers, because a compiled
function pays for each array that it is handed."""

import math
from typing import Any

import numpy as np
from numba.extending import overload

from allotment.arrays import BoolArray, FloatArray
from allotment.compiling.decorators import generic, generic_with_default


@generic
def fit(oracle: Any, weights: FloatArray, capacity: float) -> None:
    """Take the weights of the items and the capacity; an item with weight inf is never chosen."""


@generic
def choose(oracle: Any, values: FloatArray, chosen: BoolArray) -> bool:
    """Mark the best items that fit together; says whether the choice is proved to be optimal."""
    raise NotImplementedError


@generic_with_default
def unproved(oracle: Any) -> float:
    """How many choices were left without a proof that they are best; NaN for oracles that never need one."""
    return math.nan


Records = np.recarray[Any, Any]


def records(count: int, kind: np.dtype[Any]) -> Records:
    """An array of records whose fields are attributes, as they are in compiled code."""
    return np.empty(count, kind).view(np.recarray)


@overload(records)
def _compiled_records(count: Any, kind: Any) -> Any:
    def make(count: Any, kind: Any) -> Any:
        return np.empty(count, kind)

    return make
