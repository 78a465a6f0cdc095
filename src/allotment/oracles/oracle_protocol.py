"""What every oracle offers to compiled code: take the weights once, then choose for any values."""

import math
from typing import Any

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
