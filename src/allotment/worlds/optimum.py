"""The best that could be done, exactly: whom to cover, or how many units to grant."""

import math
from dataclasses import dataclass, field

import numpy as np

from allotment.arrays import BoolArray, FloatArray
from allotment.errors import NotApplicableError
from allotment.oracles.few_items import MOST_ITEMS, best_of_few
from allotment.tolerance import RELATIVE


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best allocation of a round; where there are thresholds, of equally good ones the lightest.

    `covered`, `residual`, `gamma` and `hopeless` are of thresholds, and refuse in worlds without.
    """

    allocation: FloatArray
    loss: float  # expected, per round
    _covered: BoolArray | None = field(default=None, repr=False)
    _residual: float | None = field(default=None, repr=False)

    @property
    def covered(self) -> BoolArray:
        """Which arms get their thresholds."""
        if self._covered is None:
            raise _no_threshold("covered")
        return self._covered

    @property
    def residual(self) -> float:
        """r: what is left of the budget."""
        if self._residual is None:
            raise _no_threshold("residual")
        return self._residual

    @property
    def gamma(self) -> float:
        """γ = r / K: how far each threshold may be over-estimated without harm (Lemma 3)."""
        return self.residual / self.allocation.size

    @property
    def hopeless(self) -> bool:
        """Whether γ is 0: then no threshold may be over-estimated at all, however little (section 4)."""
        return self.gamma == 0.0


def _no_threshold(what: str) -> NotApplicableError:
    return NotApplicableError(
        f"there is no '{what}' here: the response is not a step, so nothing is covered at a threshold",
        what=what,
    )


def total_of(amounts: FloatArray) -> float:
    """The sum in the order of the arms, as the simulator adds, so that equal parts give equal sums."""
    total = 0.0
    for amount in amounts.tolist():
        total += amount
    return total


def best_cover(worth: FloatArray, weights: FloatArray, capacity: float) -> BoolArray:
    """Whom to cover, exactly: a 0-1 knapsack (Proposition 2); of equally good choices, the lightest."""
    if worth.size <= MOST_ITEMS:
        return best_of_few(worth, weights, capacity) & (worth > 0.0)
    from allotment.oracles.knapsack.solve import knapsack  # compiled code is loaded when first needed

    # What is worth little is enlarged, since the tolerances are absolute; by a power of two, which is exact.
    worth = np.ldexp(worth, -min(0, math.frexp(total_of(worth))[1]))
    uncovered = ~knapsack(worth, weights, capacity).chosen
    # What stays uncovered is to weigh as much as it can while what it is worth stays within the optimal loss,
    # which is a knapsack again, the other way round.
    lighter = knapsack(weights, worth, total_of(worth[uncovered])).chosen
    if total_of(worth[lighter]) <= total_of(worth[uncovered]) + RELATIVE:
        uncovered = lighter
    return ~uncovered


def best_units(stakes: FloatArray, remaining: FloatArray, budget: int) -> FloatArray:
    """How many units every arm gets; `remaining` has a row for each arm, with a column for each number."""
    from allotment.oracles.shares.allocate import allocate

    return allocate(stakes[:, np.newaxis] * (1.0 - remaining), budget).units.astype(np.float64)
