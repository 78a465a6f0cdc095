"""The exact knapsack as a function for people."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from allotment.checks import BoolArray, nonnegative, positive, vector
from allotment.compiling import Entry
from allotment.oracles.exact import exact_oracle
from allotment.oracles.oracle import choose, fit


@dataclass(frozen=True)
class Selection:
    """The items that a knapsack takes."""

    chosen: BoolArray
    value: float
    weight: float
    bound: float  # no selection is worth more than this
    proved: bool  # whether this one is proved to be the best


@Entry
def _solve(oracle, weights, capacity, values, chosen):  # type: ignore[no-untyped-def]
    fit(oracle, weights, capacity)
    return choose(oracle, values, chosen)


def knapsack(
    values: ArrayLike, weights: ArrayLike, capacity: float, *, time_limit: float | None = None
) -> Selection:
    """The most valuable items whose weights together stay within the capacity.

    >>> best = knapsack([0.9, 0.89, 0.87, 0.58, 0.3], [0.7, 0.7, 0.7, 0.6, 0.35], 2.0)
    >>> best.chosen.tolist()
    [True, True, False, True, False]
    """
    worth = vector("values", values, "of at least 0", least=0.0)
    sizes = vector("weights", weights, "of at least 0", least=0.0)
    if worth.size != sizes.size:
        worth = vector("values", values, "of at least 0", length=sizes.size)
    room = nonnegative("capacity", capacity)
    if time_limit is not None:
        positive("time_limit", time_limit)
    chosen = np.zeros(worth.size, np.bool_)
    proved = bool(_solve(exact_oracle(worth.size), sizes, room, worth, chosen))
    value, weight = float(worth[chosen].sum()), float(sizes[chosen].sum())
    return Selection(chosen, value, weight, bound=value, proved=proved)
