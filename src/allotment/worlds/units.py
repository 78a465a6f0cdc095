"""Whole units, for worlds in which a fraction of a unit has no effect."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import number
from allotment.errors import InputError
from allotment.tolerance import RELATIVE
from allotment.worlds.feasibility import ROUNDING

DIVIDES_ONE = "a number above 0 and at most 1 that divides 1, such as 0.05"


def full_units(unit: Any) -> int:
    """The number of units in a full grant of 1; an error unless the unit divides 1.

    >>> full_units(0.05), full_units(1 / 3)
    (20, 3)
    """
    size = number("unit", unit, DIVIDES_ONE, above=0.0, most=1.0)
    full = round(1.0 / size)
    if abs(full * size - 1.0) > RELATIVE:
        raise InputError.of("unit", unit, DIVIDES_ONE)
    return full


@dataclass(frozen=True)
class Units:
    """The units of a full grant and of the budget; the tolerance applies once per allocation."""

    full: int
    budget: int
    slack: float

    @classmethod
    def of(cls, unit: float, spendable: float, slack: float) -> "Units":
        """The units of this size in a budget."""
        full = round(1.0 / unit)
        return cls(full, math.floor((spendable + ROUNDING * slack) * full), slack)

    def within(self, grants: FloatArray) -> IntArray:
        """The whole units that each grant contains.

        Each grant may fall short of a unit by the tolerance, unless the units would then exceed the budget.
        """
        counted = self._counted(grants, self.slack)
        return counted if counted.sum() <= self.budget else self._counted(grants, 0.0)

    def _counted(self, grants: FloatArray, slack: float) -> IntArray:
        return np.minimum(np.floor((grants + slack) * self.full).astype(np.int64), self.full)
