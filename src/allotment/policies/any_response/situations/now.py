"""Beliefs about arms in the situation at hand, in the form that the rule and readers of beliefs want."""

from typing import Any, NamedTuple

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import kernel, lanes
from allotment.compiling.switches import interpreting
from allotment.policies.any_response.beliefs import Prior, Rows
from allotment.policies.any_response.bench import Bench
from allotment.policies.any_response.curiosity import information
from allotment.policies.any_response.draws import draw_rate
from allotment.policies.any_response.situations.beliefs import POOLED, SHARED, Situated, in_situation
from allotment.policies.any_response.stairs import draw_seen
from allotment.policies.any_response.summaries import expect_rates, shape_of_rate
from allotment.randomness.bits import Bits


class CurvesNow(NamedTuple):
    """Beliefs about arms in one situation, as the rule wants them."""

    prior: Prior
    rows: Rows
    source: Any  # the Curves whose rows hold the rates
    factor: float  # of these rates
    all_events: FloatArray  # arms x amounts: what was seen of the curve
    all_rounds: FloatArray
    bench: Bench


@kernel
def _with_weights(rows: Rows, of: Rows, total: SingleArray, by_kind: FloatArray, granted: FloatArray) -> Rows:
    """The evidence of some rows, and the curves of others with these weights."""
    return Rows(
        rows.events,
        rows.rounds,
        rows.due,
        granted,
        of.used,
        of.curve,
        total,
        of.first,
        by_kind,
        rows.stairs,
        rows.ways,
        rows.factors,
    )


@kernel
def curves_now(curves: Situated) -> CurvesNow:
    """Beliefs about the arms in the situation at hand."""
    here, whole, joint, model = (
        in_situation(curves, curves.now[0]),
        curves.pooled,
        curves.joint,
        curves.model[0],
    )
    granted = whole.rows.granted
    if model == POOLED:
        rows = _with_weights(here.rows, whole.rows, whole.rows.total, whole.rows.by_kind, granted)
        factor = whole.rows.factors[curves.now[0]]
        return CurvesNow(here.prior, rows, whole, factor, whole.rows.events, whole.rows.rounds, here.bench)
    if model == SHARED:
        rows = _with_weights(here.rows, here.rows, joint.total, joint.by_kind, granted)
        return CurvesNow(here.prior, rows, here, 1.0, whole.rows.events, whole.rows.rounds, here.bench)
    rows = _with_weights(here.rows, here.rows, here.rows.total, here.rows.by_kind, granted)
    return CurvesNow(here.prior, rows, here, 1.0, here.rows.events, here.rows.rounds, here.bench)


def readable(curves: Any) -> Any:
    """Beliefs about the arms in the situation at hand, to compute expectations from."""
    if not isinstance(curves, Situated):
        return curves
    with interpreting():
        return curves_now(curves)


@draw_rate.register
@lanes
def _draw_now(curves: CurvesNow, bits: Bits, arm: int, row: int, left: float, side: float) -> float:
    source, total = curves.source, curves.rows.total[arm, row]
    left *= source.rows.total[arm, row] / total if total > 0.0 else 0.0
    return curves.factor * draw_rate(source, bits, arm, row, left, side)


@draw_seen.register
def _draw_seen_now(curves: CurvesNow, bits: Bits, events: float, rounds: float) -> float:
    return draw_seen(curves.source, bits, events, rounds)


@information.register
def _information_now(curves: CurvesNow, mean: float, unknown: float) -> float:
    return information(curves.source, mean, unknown)


@expect_rates.register
def _expect_now(curves: CurvesNow, arm: int, expected: FloatArray) -> None:
    expect_rates(curves.source, arm, expected)
    for row in range(curves.rows.used[arm]):
        expected[row] *= curves.factor


@shape_of_rate.register
def _shape_now(curves: CurvesNow, arm: int) -> float:
    return shape_of_rate(curves.source, arm)
