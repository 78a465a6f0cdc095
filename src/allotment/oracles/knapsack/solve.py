"""The exact knapsack as a Python function."""

import math
import time
from dataclasses import dataclass
from functools import partial

import numpy as np

from allotment.arrays import ArrayLike, BoolArray, FloatArray
from allotment.checks import nonnegative, positive, vector
from allotment.compiling.decorators import Entry, allocating, kernel
from allotment.errors import InputError
from allotment.oracles.knapsack.core import Core
from allotment.oracles.knapsack.exact import begin, conclude
from allotment.oracles.knapsack.states import CoreSearch, advance
from allotment.oracles.knapsack.workspace import ExactKnapsack, exact_oracle
from allotment.oracles.protocol import fit
from allotment.tolerance import RELATIVE

MANY = 1 << 20  # states
CHUNK = 1 << 21  # states looked at between two looks at the clock

FLOAT = np.dtype(np.float64)
_exact_oracle = allocating(exact_oracle)


@dataclass(slots=True, eq=False, repr=False)  # not frozen: making one would take a tenth of a small solve
class Selection:
    """The items that a knapsack takes.

    Attributes
    ----------
    chosen : BoolArray
        Which items it takes.
    value : float
        Their total value.
    weight : float
        Their total weight.
    bound : float
        No selection is worth more than this.
    proved : bool
        Whether the selection is proved optimal, to a relative 1e-12.
    """

    chosen: BoolArray
    value: float
    weight: float
    bound: float
    proved: bool

    def __repr__(self) -> str:
        taken = f"{self.chosen.sum()} of {self.chosen.size} items"
        proof = "proved" if self.proved else f"not proved, at most {self.bound:.6g}"
        return f"<Selection of {taken}: value {self.value:.6g}, weight {self.weight:.6g}, {proof}>"

    def _repr_html_(self) -> str:
        from allotment.oracles.selection_html import selection_html

        return selection_html(self)


@kernel
def _sum(numbers: FloatArray, chosen: BoolArray) -> float:
    """The sum of the chosen numbers, compensated; infinite if it is too large for a number."""
    total, lost = 0.0, 0.0
    for i in range(numbers.size):
        if chosen[i]:
            after = total + numbers[i]
            if total >= numbers[i]:
                lost += (total - after) + numbers[i]
            else:
                lost += (numbers[i] - after) + total
            total = after
    return total + lost if total < math.inf else total


@partial(Entry, creates_arrays=True)
def _solve(
    values: FloatArray, weights: FloatArray, capacity: float, chosen: BoolArray
) -> tuple[float, float, float]:
    """Solve with bounded effort, which most often is enough; returns excess, value and weight.

    The excess is negative if some number is not a finite one of at least 0.
    """
    for i in range(chosen.size):
        if not (0.0 <= values[i] < math.inf and 0.0 <= weights[i] < math.inf):
            return -1.0, 0.0, 0.0
    oracle = _exact_oracle(chosen.size, min(256 + 8 * chosen.size, MANY))
    fit(oracle, weights, capacity)
    core, search, scale = begin(oracle, values, chosen)
    if search.alive > 0:
        search = advance(oracle.states, oracle.core, oracle.log, core, search, MANY, CHUNK)
    excess = conclude(oracle, core, search, chosen) / scale
    return excess, _sum(values, chosen), _sum(weights, chosen)


@Entry
def _begin(
    oracle: ExactKnapsack, values: FloatArray, weights: FloatArray, capacity: float, chosen: BoolArray
) -> tuple[Core, CoreSearch, float]:
    for i in range(chosen.size):
        oracle.items[i].previous = chosen[i]
    fit(oracle, weights, capacity)
    return begin(oracle, values, chosen)


@Entry
def _advance(oracle: ExactKnapsack, core: Core, search: CoreSearch) -> CoreSearch:
    return advance(oracle.states, oracle.core, oracle.log, core, search, MANY, CHUNK)


@Entry
def _conclude(
    oracle: ExactKnapsack,
    core: Core,
    search: CoreSearch,
    values: FloatArray,
    weights: FloatArray,
    chosen: BoolArray,
) -> tuple[float, float, float]:
    excess = conclude(oracle, core, search, chosen)
    return excess, _sum(values, chosen), _sum(weights, chosen)


def _search(
    values: FloatArray, weights: FloatArray, capacity: float, chosen: BoolArray, end: float
) -> tuple[float, float, float]:
    """Search as far as memory and time allow, starting from a choice."""
    oracle = exact_oracle(chosen.size, MANY)
    core, search, scale = _begin(oracle, values, weights, capacity, chosen)
    while search.alive > 0 and time.monotonic() < end:
        search = _advance(oracle, core, search)
    excess, value, weight = _conclude(oracle, core, search, values, weights, chosen)
    return excess / scale, value, weight


def knapsack(
    values: ArrayLike, weights: ArrayLike, capacity: float, *, time_limit: float | None = None
) -> Selection:
    """Find the most valuable items whose weights fit into the capacity.

    The answer is exact for any nonnegative numbers: nothing is scaled to integers, and no sum is rounded on
    the way. A selection fits if its weight exceeds the capacity by at most 1e-12 · max(1, capacity).

    Parameters
    ----------
    values : array_like
        The value of each item, at least 0.
    weights : array_like
        The weight of each item, at least 0.
    capacity : float
        The largest total weight.
    time_limit : float, optional
        The time to stop at, in seconds. No limit by default.

    Returns
    -------
    Selection
        The best selection. If time or memory ran out, the best one found, with `proved` false.

    Raises
    ------
    InputError
        If a number is negative or not finite, or the lengths differ.

    Examples
    --------
    >>> best = knapsack([0.9, 0.89, 0.87, 0.58, 0.3], [0.7, 0.7, 0.7, 0.6, 0.35], 2.0)
    >>> best.chosen.tolist()
    [True, True, False, True, False]
    >>> best.proved
    True
    """
    if type(capacity) is not float or not 0.0 <= capacity < math.inf:
        capacity = nonnegative("capacity", capacity)
    end = math.inf if time_limit is None else time.monotonic() + positive("time_limit", time_limit)
    worth, sizes = _numbers("values", values), _numbers("weights", weights)
    if worth.size != sizes.size:
        raise InputError(
            f"there are {worth.size} values and {sizes.size} weights",
            "one of each for every item",
            what="weights",
            value=sizes.size,
        )
    chosen = np.empty(worth.size, np.bool_)
    excess, value, weight = _solve(worth, sizes, capacity, chosen)
    if excess < 0.0:  # say which number it is
        vector("values", values, "of at least 0", least=0.0)
        vector("weights", weights, "of at least 0", least=0.0)
    if excess > 0.0 and time.monotonic() < end:
        excess, value, weight = _search(worth, sizes, capacity, chosen, end)
    return Selection(chosen, value, weight, max(value + excess, value * (1.0 + RELATIVE)), excess == 0.0)


def _numbers(name: str, numbers: ArrayLike) -> FloatArray:
    """A vector in the one form that the solver is compiled for; the solver itself looks at each number."""
    if type(numbers) is np.ndarray and numbers.dtype is FLOAT and numbers.ndim == 1 and numbers.size > 0:
        return numbers if numbers.flags.carray else numbers.copy()
    return vector(name, numbers, "of at least 0", least=0.0).copy()
