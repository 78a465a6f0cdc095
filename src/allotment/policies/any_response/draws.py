"""Draws of whole response curves, and the weights of kinds that all arms share."""

import math
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray, SingleArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.kernels.free_curve import prevented
from allotment.kernels.lane_math import sum_of_range
from allotment.policies.any_response.beliefs import CountedCurves, Prior, Rows, YesNoCurves
from allotment.policies.any_response.choosing import is_capped
from allotment.policies.any_response.curve_tables import compute_row
from allotment.policies.any_response.listed_rates import draw_listed
from allotment.policies.any_response.stairs import draw_seen, draw_stairs, has_stairs
from allotment.policies.any_response.tuning import KIND_STEPS, LATER_KIND_STEPS, UNSEEN
from allotment.randomness.bits import Bits, draw_uniform, unsown_bits
from allotment.randomness.laws import draw_gamma

TINY = 1e-300  # a divisor instead of 0
STRIDE = 16  # rows that a draw skips at once


class Sketch(NamedTuple):
    """The random generator, and buffers for one draw."""

    bits: Bits
    by_kind: FloatArray  # the weights of kinds, learnt from all arms
    steps: IntArray  # one number: the steps that have led to them, 0 before the first
    of_others: FloatArray  # the weights of kinds, learnt from all arms but one
    share: FloatArray  # scratch of the same size, for `share_kinds` and `of_kinds`
    of_arms: FloatArray  # scratch of `share_kinds`, kinds x arms: the weight of a kind at each arm
    scale: FloatArray  # scratch of `share_kinds`, by arm: the factor that normalises its weights
    curve: FloatArray  # by amount
    weights: FloatArray  # scratch of the same size
    sizes: FloatArray


def new_sketch(prior: Prior) -> Sketch:
    """Make buffers for draws."""
    arms, kinds, amounts = prior.weights.shape[0], prior.by_kind.size, prior.seen.shape[1]
    return Sketch(
        bits=unsown_bits(),
        by_kind=prior.by_kind.copy(),
        steps=np.zeros(1, np.int64),
        of_others=prior.by_kind.copy(),
        share=np.zeros(kinds),
        of_arms=np.zeros((kinds, arms)),
        scale=np.zeros(arms),
        curve=np.zeros(amounts),
        weights=np.zeros(amounts),
        sizes=np.zeros(amounts),
    )


@lanes
def add_multiple(factor: float, numbers: FloatArray, sums: FloatArray) -> None:
    """Add a multiple of numbers to sums."""
    for i in range(sums.size):
        sums[i] += factor * numbers[i]


@kernel
def share_kinds(prior: Prior, rows: Rows, likeness: float, sketch: Sketch) -> None:
    """Learn how common every kind is among the arms: π ∝ c·π₀ + Σ P(kind | arm).

    The first time takes many steps from π₀ towards this fixpoint. After that, a few are enough, since a round
    moves it little.

    If the prior counts as infinitely many arms, each arm learns on its own. The free curve never becomes less
    likely than in the prior. That the other arms fit the family is no reason to stop trying amounts that it
    excludes.
    """
    kinds, arms = prior.by_kind.size, rows.used.size
    by_kind, share, scale = sketch.by_kind, sketch.share, sketch.scale
    if not likeness < math.inf:
        return
    for arm in range(arms):  # arms side by side, so that one instruction adds many
        for k in range(kinds):
            sketch.of_arms[k, arm] = rows.by_kind[arm, k]
    for _ in range(LATER_KIND_STEPS if sketch.steps[0] > 0 else KIND_STEPS):
        sketch.steps[0] += 1
        for arm in range(arms):
            scale[arm] = 0.0
        for k in range(kinds):
            add_multiple(by_kind[k], sketch.of_arms[k], scale)
            share[k] = 0.0
        for arm in range(arms):
            scale[arm] = 1.0 / scale[arm] if scale[arm] > 0.0 else 0.0
            add_multiple(scale[arm], rows.by_kind[arm], share)
        total = 0.0
        for k in range(kinds):
            by_kind[k] = likeness * prior.by_kind[k] + by_kind[k] * share[k]
            total += by_kind[k]
        for k in range(kinds):
            by_kind[k] /= total
    _keep_free(prior, by_kind)


@kernel
def _keep_free(prior: Prior, by_kind: FloatArray) -> None:
    """Make the free curve at least as likely as in the prior."""
    last = by_kind.size - 1
    if by_kind[last] < prior.by_kind[last]:
        scale = (1.0 - prior.by_kind[last]) / (1.0 - by_kind[last])
        for k in range(last):
            by_kind[k] *= scale
        by_kind[last] = prior.by_kind[last]


@kernel
def leave_out(prior: Prior, rows: Rows, likeness: float, sketch: Sketch, arm: int) -> None:
    """Write the weights of kinds that the other arms have taught.

    An arm's own evidence would count twice in its posterior: in its weights, and in what all arms have in
    common.
    """
    learnt, of_others, arms = sketch.by_kind, sketch.of_others, rows.used.size
    whole, total = 0.0, 0.0
    for k in range(learnt.size):
        of_others[k] = learnt[k]
        whole += learnt[k] * rows.by_kind[arm, k]
    if not (likeness < math.inf and whole > 0.0):
        return
    for k in range(learnt.size):
        own = learnt[k] * rows.by_kind[arm, k] / whole
        of_others[k] = max(likeness * prior.by_kind[k], (arms + likeness) * learnt[k] - own)
        total += of_others[k]
    for k in range(learnt.size):
        of_others[k] /= total
    _keep_free(prior, of_others)


@generic
def draw_rate(curves: Any, bits: Bits, arm: int, row: int, left: float, side: float) -> float:
    """Draw the loss rate, given the row's curve; `left` is uniform up to the row's weight.

    If `side` is negative, the draw is at most the expected rate; if positive, at least.
    """
    raise NotImplementedError


@draw_rate.register
@lanes
def _draw_yes_no(curves: YesNoCurves, bits: Bits, arm: int, row: int, left: float, side: float) -> float:
    """Draw a node, then a point between its neighbours such that mean and spread stay the same.

    Listed rates have nothing between nodes.
    """
    if curves.prior.listed.size > 0:
        return draw_listed(curves, arm, row, left, side)
    chosen, total, mean, square = 0, 0.0, 0.0, 0.0
    for m in range(curves.nodes[arm]):
        weight = float(curves.weight[arm, m, row])
        if left >= total:
            chosen = m
        total += weight
        mean += weight * m
        square += weight * (m * m)
    total = max(total, TINY)
    mean /= total
    spread = max(square / total - mean * mean, 1e-12)
    place = chosen + draw_uniform(bits) + draw_uniform(bits) - 1.0
    place = mean + (place - mean) / math.sqrt(1.0 + 1.0 / (6.0 * spread))
    if side < 0.0:
        place = min(place, mean)
    if side > 0.0:
        place = max(place, mean)
    return -math.expm1(-math.exp(curves.start[arm, row] + curves.gap[arm, row] * place))


@draw_rate.register
def _draw_counted(curves: CountedCurves, bits: Bits, arm: int, row: int, left: float, side: float) -> float:
    rows, shape = curves.rows, curves.prior.shape[0]
    if is_capped(curves.prior, rows.curve[arm, row]):
        return curves.prior.means[rows.curve[arm, row]]
    for u in range(rows.events.shape[1]):
        shape += rows.events[arm, u]
    drawn = draw_gamma(bits, shape + 1.0) * math.exp(math.log(1.0 - draw_uniform(bits)) / shape)
    if side < 0.0:
        drawn = min(drawn, shape)
    if side > 0.0:
        drawn = max(drawn, shape)
    return drawn / curves.exposure[arm, row]


@kernel
def _sketch_free(curves: Any, sketch: Sketch, arm: int, finds: bool) -> float:
    """Draw the free curve, and write the prevented losses at every amount; return the loss rate."""
    rows, curve = curves.rows, sketch.curve
    if has_stairs(rows, arm):
        draw_stairs(curves, sketch.bits, arm, curve)
    else:
        for u in range(curve.size):
            curve[u] = draw_seen(curves, sketch.bits, rows.events[arm, u], rows.rounds[arm, u])
    for u in range(curve.size):
        curve[u] = -curve[u] if finds else curve[u]
        sketch.weights[u] = UNSEEN + rows.rounds[arm, u]
    return prevented(curve, sketch.weights, sketch.sizes, finds)


@lanes
def fits_none(
    prior: Prior, rows: Rows, by_kind: FloatArray, bits: Bits, arm: int, of_kinds: FloatArray
) -> bool:
    """Draw whether the free curve is true of an arm.

    Writes the weight of every kind to `of_kinds`, with their sum last, for `draw_prevented`.
    """
    kinds = by_kind.size - 1
    of_kinds[kinds] = 0.0
    for k in range(kinds):
        of_kinds[k] = by_kind[k] * rows.by_kind[arm, k]
        of_kinds[kinds] += of_kinds[k]
    if prior.free[arm] == 0.0:
        return False
    free = by_kind[kinds] * rows.by_kind[arm, kinds]
    return draw_uniform(bits) * (of_kinds[kinds] + free) < free


@lanes
def _find_row(total: SingleArray, first: int, end: int, left: float) -> tuple[int, float]:
    """The row in which `left` lies when rows are laid end to end, and the position within that row.

    It takes long strides first, since subtracting row after row would wait for every difference.
    """
    row = first
    while row + STRIDE < end:
        together = sum_of_range(total, row, row + STRIDE)
        if left < together:
            break
        left -= together
        row += STRIDE
    while row < end - 1 and left >= total[row]:
        left -= float(total[row])
        row += 1
    while row > first and total[row] == 0.0:
        row -= 1  # rounding may pass the last possible row
    return row, left


@lanes
def draw_prevented(
    curves: Any,
    sketch: Sketch,
    by_kind: FloatArray,
    of_kinds: FloatArray,
    arm: int,
    free: bool,
    side: float,
    finds: bool,
) -> float:
    """Draw an arm's curve, and write its prevented losses to `sketch.curve`; return its loss rate.

    The draw is from the posterior, given that the free curve is true or not. `fits_none` decides that by the
    same weights of kinds, and writes `of_kinds`.
    """
    prior, rows, curve = curves.prior, curves.rows, sketch.curve
    if free:
        return _sketch_free(curves, sketch, arm, finds)
    kinds, kind = of_kinds.size - 1, 0
    left = draw_uniform(sketch.bits) * of_kinds[kinds]
    while kind < kinds - 1 and left >= of_kinds[kind]:
        left -= of_kinds[kind]
        kind += 1
    while kind > 0 and of_kinds[kind] == 0.0:
        kind -= 1  # rounding may pass the last possible kind
    left = min(left / max(by_kind[kind], TINY), rows.by_kind[arm, kind])  # is uniform again
    row, left = _find_row(rows.total[arm], rows.first[arm, kind], rows.first[arm, kind + 1], left)
    rate = draw_rate(curves, sketch.bits, arm, row, left, side)
    h = rows.curve[arm, row]
    if h < prior.seen.shape[0]:
        seen = prior.seen[h]
        for u in range(curve.size):
            curve[u] = rate * seen[u] if finds else rate * (1.0 - seen[u])
    else:
        compute_row(prior, h, finds, curve)
        for u in range(curve.size):
            curve[u] = rate * curve[u] if finds else rate * (1.0 - curve[u])
    return rate
