"""The shares of curves: tabled, or computed for finer steps and lines with many units."""

import numpy as np

from allotment.arrays import FloatArray, IntArray, SingleArray
from allotment.compiling.decorators import lanes
from allotment.policies.any_response.beliefs import Prior
from allotment.policies.any_response.family import FULL, LEAK, NEEDED
from allotment.policies.any_response.tuning import LEAST


@lanes
def computed(prior: Prior, h: int, u: int, finds: bool) -> float:
    """The share of the loss rate that remains (or is found) at u units, for a curve without a row.

    It equals the values of `Step` and `Linear` exactly.
    """
    outline = prior.outlines[h - prior.seen.shape[0]]
    shape = 1.0 if u < outline[NEEDED] else 0.0
    if outline[NEEDED] == 0.0:
        shape = max(0.0, 1.0 - u / (prior.seen.shape[1] - 1) / outline[FULL])
    left = max(shape + outline[LEAK] * (1.0 - shape), LEAST)
    return max(1.0 - left, LEAST) if finds else left


@lanes
def compute_row(prior: Prior, h: int, finds: bool, row: FloatArray) -> None:
    """Write the same for every amount."""
    for u in range(row.size):
        row[u] = computed(prior, h, u, finds)


@lanes
def look_up(prior: Prior, factors: FloatArray, curve: IntArray, amount: int, out: FloatArray) -> None:
    """Write the shares of curves at an amount.

    With several situations, all amounts of one situation are followed by all amounts of the next. A share is
    then of the loss rate in the situation with the highest rates.
    """
    tabled, amounts = prior.seen.shape[0], prior.seen.shape[1]
    u = amount % amounts if factors.size > 0 else amount
    seen_at = prior.seen_at[u]
    for j in range(out.size):
        h = curve[j]
        out[j] = seen_at[h] if h < tabled else computed(prior, h, u, prior.finds)
    if factors.size > 0:
        factor = factors[amount // amounts]
        for j in range(out.size):
            out[j] *= factor


@lanes
def look_up_single(prior: Prior, factors: FloatArray, curve: IntArray, amount: int, out: SingleArray) -> None:
    """The same in single precision."""
    tabled, amounts = prior.seen.shape[0], prior.seen.shape[1]
    u = amount % amounts if factors.size > 0 else amount
    seen_at = prior.single_at[u]
    if prior.kinds.size == tabled:
        for j in range(out.size):
            out[j] = seen_at[curve[j]]
    else:
        for j in range(out.size):
            h = curve[j]
            out[j] = seen_at[h] if h < tabled else computed(prior, h, u, prior.finds)
    if factors.size > 0:
        factor = np.float32(factors[amount // amounts])
        for j in range(out.size):
            out[j] *= factor
