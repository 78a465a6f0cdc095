"""The best allocation of a round, exactly: which arms to cover, or how many units to grant."""

import math
from dataclasses import dataclass, field

import numpy as np

from allotment.arrays import BoolArray, FloatArray
from allotment.errors import NotApplicableError
from allotment.oracles.few_items import MOST_ITEMS, best_of_few
from allotment.tolerance import RELATIVE


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best allocation of a round. With thresholds, it is the cheapest of equally good allocations.

    Attributes
    ----------
    allocation : FloatArray
        The grant of each arm.
    loss : float
        The expected cost of a round.
    covered : BoolArray
        The arms whose grants reach their thresholds. Step responses only, like the next three.
    residual : float
        r, the part of the budget that is left over.
    gamma : float
        γ = r / K.
    hopeless : bool
        Whether γ is 0.
    """

    allocation: FloatArray
    loss: float
    _covered: BoolArray | None = field(default=None, repr=False)
    _residual: float | None = field(default=None, repr=False)

    @property
    def covered(self) -> BoolArray:
        """The arms whose grants reach their thresholds."""
        if self._covered is None:
            raise _no_threshold("covered")
        return self._covered

    @property
    def residual(self) -> float:
        """r: the part of the budget that is left over."""
        if self._residual is None:
            raise _no_threshold("residual")
        return self._residual

    @property
    def gamma(self) -> float:
        """γ = r / K: by how much each threshold may be overestimated without harm (Lemma 3)."""
        return self.residual / self.allocation.size

    @property
    def hopeless(self) -> bool:
        """Whether γ is 0. Overestimating any threshold, however little, then costs something (section 4)."""
        return self.gamma == 0.0


def _no_threshold(what: str) -> NotApplicableError:
    return NotApplicableError(
        f"there is no '{what}' here: the response is not a step, so nothing is covered at a threshold",
        what=what,
    )


def total_of(amounts: FloatArray) -> float:
    """Add amounts in the order of the arms, as the simulator does, so that equal parts give equal sums."""
    total = 0.0
    for amount in amounts.tolist():
        total += amount
    return total


def best_cover(worth: FloatArray, weights: FloatArray, capacity: float) -> BoolArray:
    """Solve the exact 0-1 knapsack of Proposition 2; of equally good choices, take the lightest."""
    if worth.size <= MOST_ITEMS:
        return best_of_few(worth, weights, capacity) & (worth > 0.0)
    from allotment.oracles.knapsack.solve import knapsack  # compiled code is loaded when first needed

    # The tolerances are absolute, so small values are scaled up. A power of two scales exactly.
    worth = np.ldexp(worth, -min(0, math.frexp(total_of(worth))[1]))
    uncovered = ~knapsack(worth, weights, capacity).chosen
    # The lightest optimal cover leaves the heaviest set uncovered whose worth stays within the optimal loss.
    # That is a second knapsack, with values and weights exchanged.
    lighter = knapsack(weights, worth, total_of(worth[uncovered])).chosen
    if total_of(worth[lighter]) <= total_of(worth[uncovered]) + RELATIVE:
        uncovered = lighter
    return ~uncovered


def best_units(stakes: FloatArray, remaining: FloatArray, budget: int) -> FloatArray:
    """Choose the units of every arm; `remaining` has a row for each arm, a column for each amount."""
    from allotment.oracles.shares.allocate import allocate

    return allocate(stakes[:, np.newaxis] * (1.0 - remaining), budget).units.astype(np.float64)
