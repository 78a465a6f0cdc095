"""The one check of an allocation against a budget."""

import math

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import vector
from allotment.errors import InputError
from allotment.tolerance import fits, slack_of

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
