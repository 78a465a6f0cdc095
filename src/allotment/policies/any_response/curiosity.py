"""The value of a grant in the opening: its expected effect, and its information about the curve."""

from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.policies.any_response.beliefs import CountedCurves, YesNoCurves
from allotment.policies.any_response.curve_tables import compute_row
from allotment.policies.any_response.draws import TINY, Sketch
from allotment.policies.any_response.summaries import expect_rates


@lanes
def _add_row(chance: float, rate: float, seen: FloatArray, mean: FloatArray, square: FloatArray) -> None:
    """Add a curve's part to the mean observation at every amount, and to the mean square."""
    for u in range(seen.size):
        at = rate * seen[u]
        mean[u] += chance * at
        square[u] += chance * at * at


@generic
def information(curves: Any, mean: float, unknown: float) -> float:
    """Half the share of a report's variance that comes from not knowing the curve.

    `mean` is the expected report, `unknown` the variance of its expectation over curves.
    """
    raise NotImplementedError


@information.register
@lanes
def _information_yes_no(curves: YesNoCurves, mean: float, unknown: float) -> float:
    return 0.5 * unknown / max(mean * (1.0 - mean), unknown, 1e-12) if mean < 1.0 else 0.0


@information.register
@lanes
def _information_counted(curves: CountedCurves, mean: float, unknown: float) -> float:
    return 0.5 * unknown / max(mean + unknown, 1e-12)


@kernel
def weigh_with_curiosity(
    curves: Any,
    sketch: Sketch,
    rates: FloatArray,
    arm: int,
    curiosity: float,
    finds: bool,
    reach: int,
    worth: FloatArray,
) -> None:
    """Write the value of each amount: the losses that it is expected to prevent, plus its information.

    Small information is in nats (`information`). A nat is worth `curiosity` times the expected effect of the
    arm's largest amount, `reach`, since a curve that no grant can use is not worth knowing. `rates` is
    scratch by row.
    """
    prior, rows, mean, square = curves.prior, curves.rows, sketch.curve, sketch.weights
    total, expected = 0.0, 0.0
    expect_rates(curves, arm, rates)
    for u in range(mean.size):
        mean[u], square[u] = 0.0, 0.0
    for row in range(rows.used[arm]):
        h = rows.curve[arm, row]
        chance = sketch.by_kind[prior.kinds[h]] * rows.total[arm, row]
        total += chance
        expected += chance * rates[row]
        seen = sketch.sizes
        if h < prior.seen.shape[0]:
            seen = prior.seen[h]
        else:
            compute_row(prior, h, prior.finds, seen)
        _add_row(chance, rates[row], seen, mean, square)
    total = max(total, TINY)
    expected /= total
    within_reach = mean[reach] / total if finds else expected - mean[reach] / total
    for u in range(mean.size):
        at = mean[u] / total
        told = information(curves, at, max(0.0, square[u] / total - at * at))
        prevented = at if finds else expected - at
        worth[u] = prevented + curiosity * within_reach * told
