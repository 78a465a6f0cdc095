"""Posterior means of response curves."""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import Entry, generic, kernel, lanes
from allotment.kernels.free_curve import prevented
from allotment.policies.any_response.beliefs import CountedCurves, YesNoCurves
from allotment.policies.any_response.choosing import is_capped
from allotment.policies.any_response.counted import expected_rate
from allotment.policies.any_response.curve_tables import compute_row
from allotment.policies.any_response.draws import Sketch, draw_prevented, fits_none, leave_out, share_kinds
from allotment.policies.any_response.family import Family
from allotment.policies.any_response.stairs import expect_stairs, has_stairs
from allotment.policies.any_response.tuning import UNSEEN
from allotment.policies.base.learner import unsound


@generic
def shape_of_rate(curves: Any, arm: int) -> float:
    """The shape of the Gamma that the rate of an arm has, for counts."""
    raise NotImplementedError


@shape_of_rate.register
def _shape_yes_no(curves: YesNoCurves, arm: int) -> float:
    return math.nan


@shape_of_rate.register
def _shape_counted(curves: CountedCurves, arm: int) -> float:
    shape = curves.prior.shape[0]
    for u in range(curves.rows.events.shape[1]):
        shape += curves.rows.events[arm, u]
    return shape


@generic
def expect_rates(curves: Any, arm: int, expected: FloatArray) -> None:
    """Write the expected loss rate of an arm under each row's curve."""


@expect_rates.register
@lanes
def _expect_yes_no(curves: YesNoCurves, arm: int, expected: FloatArray) -> None:
    used, total = curves.rows.used[arm], curves.rows.total[arm]
    for row in range(used):
        expected[row] = 0.0
    for m in range(curves.nodes[arm]):
        weight, rate = curves.weight[arm, m], curves.rate[arm, m]
        for row in range(used):
            expected[row] += weight[row] * rate[row]
    for row in range(used):
        expected[row] = expected[row] / total[row] if total[row] > 0.0 else 0.0


@expect_rates.register
def _expect_counted(curves: CountedCurves, arm: int, expected: FloatArray) -> None:
    shape = shape_of_rate(curves, arm)
    for row in range(curves.rows.used[arm]):
        expected[row] = expected_rate(curves, arm, row, shape)


@kernel
def _expect_free(
    curves: Any, sketch: Sketch, arm: int, finds: bool, counts: bool, variance: FloatArray
) -> float:
    """Write the expected prevented losses at every amount under the free curve; return the loss rate.

    For counts, `variance` becomes the variance of the rate at every amount, before rates are made to fall.
    """
    rows, curve, extra = curves.rows, sketch.curve, 1.0 if counts else 2.0
    if has_stairs(rows, arm):
        expect_stairs(curves, arm, counts, curve, variance, curves.bench.seen.events)
        for u in range(curve.size):
            variance[u] -= curve[u] * curve[u]
    else:
        for u in range(curve.size):
            curve[u] = (1.0 + rows.events[arm, u]) / (extra + rows.rounds[arm, u])
            variance[u] = curve[u] / (1.0 + rows.rounds[arm, u])
    for u in range(curve.size):
        curve[u] = -curve[u] if finds else curve[u]
        sketch.weights[u] = UNSEEN + rows.rounds[arm, u]
    return prevented(curve, sketch.weights, sketch.sizes, finds)


@kernel
def _summarise(
    curves: Any,
    sketch: Sketch,
    likeness: float,
    remaining: FloatArray,
    finds: bool,
    counts: bool,
    chances: FloatArray,
    lost: FloatArray,
    squares: FloatArray,
    found_squares: FloatArray,
) -> None:
    """Write the probability of each coarse curve (the free one last) and the expected losses by amount.

    For counts, write the mean squares of the rates of losses and of finds at each amount as well.
    """
    prior, rows, kinds = curves.prior, curves.rows, curves.prior.by_kind.size - 1
    rates, variance = curves.bench.densities.rate, curves.bench.seen.quiet
    by_kind = sketch.of_others
    for arm in range(rows.used.size):
        leave_out(prior, rows, likeness, sketch, arm)
        total, shape = 0.0, shape_of_rate(curves, arm)
        expect_rates(curves, arm, rates)
        for k in range(kinds + 1):
            total += by_kind[k] * rows.by_kind[arm, k]
        for row in range(rows.used[arm]):
            h = rows.curve[arm, row]
            chance = by_kind[prior.kinds[h]] * rows.total[arm, row] / total
            chances[arm, prior.levels.coarse[h]] += chance
            left = sketch.sizes
            if h < remaining.shape[0]:
                left = remaining[h]
            else:
                compute_row(prior, h, False, left)
            for u in range(lost.shape[1]):
                lost[arm, u] += chance * rates[row] * left[u]
            if counts:  # the rate has a Gamma distribution, of this shape, unless the curve is capped
                spread = 0.0 if is_capped(prior, h) else 1.0 / shape
                for u in range(lost.shape[1]):
                    squares[arm, u] += chance * (1.0 + spread) * (rates[row] * left[u]) ** 2
                    found_squares[arm, u] += chance * (1.0 + spread) * (rates[row] * (1.0 - left[u])) ** 2
        chance = by_kind[kinds] * rows.by_kind[arm, kinds] / total
        chances[arm, chances.shape[1] - 1] = chance
        if chance > 0.0:
            rate, last = _expect_free(curves, sketch, arm, finds, counts, variance), lost.shape[1] - 1
            for u in range(lost.shape[1]):
                lost[arm, u] += chance * (rate - sketch.curve[u])
            if counts:  # for finds, the loss is the difference to the finds at the largest amount
                for u in range(lost.shape[1]):
                    spread = variance[u] if not finds else variance[u] + variance[last] if u < last else 0.0
                    squares[arm, u] += chance * ((rate - sketch.curve[u]) ** 2 + spread)
                    if finds and u > 0:  # nothing is found without a grant
                        found_squares[arm, u] += chance * (sketch.curve[u] ** 2 + variance[u])


def summing_seconds(curves: Any, *_: Any) -> float:
    """Estimate how long plain Python takes to look at every amount of every row."""
    amounts = curves.prior.seen.shape[1]
    return float((1.2e-5 + 3e-7 * amounts) * curves.rows.used.sum())


@partial(Entry, python_seconds=summing_seconds)
def _share_and_summarise(
    curves: Any,
    sketch: Sketch,
    likeness: float,
    remaining: FloatArray,
    counts: bool,
    chances: FloatArray,
    lost: FloatArray,
    squares: FloatArray,
    found_squares: FloatArray,
) -> None:
    share_kinds(curves.prior, curves.rows, likeness, sketch)
    finds = curves.prior.finds
    _summarise(curves, sketch, likeness, remaining, finds, counts, chances, lost, squares, found_squares)


class Summary(NamedTuple):
    """The expectations of a round, by arm."""

    chances: FloatArray  # the probability of each coarse curve, the free one last
    losses: FloatArray  # expected, by amount
    variances: FloatArray  # of the number of losses, by amount
    find_variances: FloatArray | None  # of the number of finds; None where losses are reported


def summary(curves: Any, sketch: Sketch, likeness: float, family: Family, *, counts: bool) -> Summary:
    """Compute the expectations of a round.

    A yes/no loss has the variance p·(1 - p), however uncertain p is. A count has the variance of a Poisson
    number, its mean, plus the variance of its uncertain rate. The free curve counts with the rates of its
    amounts one by one, so its variance is too large where there is little evidence.

    Raises
    ------
    BeliefError
        If an expectation is not finite.
    """
    arms = curves.rows.used.size
    chances = np.zeros((arms, family.weights.size + 1))
    lost = np.zeros((arms, family.remaining.shape[1]))
    squares, found_squares = np.zeros_like(lost), np.zeros_like(lost)
    _share_and_summarise(
        curves, sketch, likeness, family.remaining, counts, chances, lost, squares, found_squares
    )
    spread = _variances(lost, squares, counts)
    found = _variances(lost[:, :1] - lost, found_squares, counts) if curves.prior.finds else None
    # Variances are finite only if losses are.
    if not all(np.isfinite(each).all() for each in (chances, spread, lost if found is None else found)):
        raise unsound("The posterior of response curves", "given this evidence")
    return Summary(chances, lost, spread, found)


def _variances(means: FloatArray, squares: FloatArray, counts: bool) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):  # the error above says it better than a warning
        found: FloatArray = (
            means + np.maximum(squares - means * means, 0.0) if counts else means * (1.0 - means)
        )
    return found


@kernel
def draw_losses(curves: Any, sketch: Sketch, likeness: float, finds: bool, out: FloatArray) -> None:
    """Write draws of the expected losses: draws x arms x amounts."""
    by_kind, of_kinds = sketch.of_others, sketch.share
    for arm in range(out.shape[1]):
        leave_out(curves.prior, curves.rows, likeness, sketch, arm)
        for k in range(out.shape[0]):
            free = fits_none(curves.prior, curves.rows, by_kind, sketch.bits, arm, of_kinds)
            rate = draw_prevented(curves, sketch, by_kind, of_kinds, arm, free, 0.0, finds)
            for u in range(out.shape[2]):
                out[k, arm, u] = max(0.0, rate - sketch.curve[u])
