"""Which grants a world allows: those that fit the budget, and whole units where a fraction has no effect."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike, FloatArray, IntArray
from allotment.checks import number, vector
from allotment.errors import InputError
from allotment.tolerance import RELATIVE, fits, slack_of

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


ROUNDING = 1.001  # summing in another order changes the last digits of a total


def feasible(allocation: ArrayLike, arms: int, budget: float) -> FloatArray:
    """Return the allocation if its grants are from 0 to 1 and fit the budget, up to the tolerance."""
    slack = slack_of(min(budget, float(arms)))
    grants = vector("allocation", allocation, "between 0 and 1", length=arms, least=0.0, most=1.0 + slack)
    total = math.fsum(grants)
    if not fits(total, budget, ROUNDING * slack):
        raise InputError(
            f"allocation adds up to {total:.15g}",
            f"at most the budget, {budget:.15g}",
            what="allocation",
            value=total,
        )
    return grants
