"""The shares of curves: tabled, or computed for finer steps and lines with many units."""

from allotment.arrays import FloatArray
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
