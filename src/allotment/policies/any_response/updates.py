"""Updates of beliefs: a report multiplies the rows of curves, and rows that are due are computed again."""

import math
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import generic, generic_with_default, lanes, shared
from allotment.compiling.vector_width import prefer_short_vectors
from allotment.kernels.lane_math import sum_of_range
from allotment.policies.any_response.beliefs import CountedCurves, YesNoCurves
from allotment.policies.any_response.choosing import evidence_in, has_evidence, shape_given
from allotment.policies.any_response.counted import (
    add_count,
    age_counted,
    have_learnt,
    is_surprising,
    weigh_counted,
    weigh_evidence,
)
from allotment.policies.any_response.curve_tables import look_up_single
from allotment.policies.any_response.settling import settle
from allotment.policies.any_response.stairs import has_stairs, learn_stairs
from allotment.policies.any_response.tuning import FINER_FROM, FORGOTTEN

SMALL, LARGE = 1e-15, 1e15
ONE = np.float32(1.0)


@generic
def take_in(curves: Any, arm: int, amount: int, events: float, by_kind: bool) -> float:
    """Update the rows of an arm by one round's report; return the weight of all kinds but the free one.

    `by_kind` says whether the weight of each kind is wanted, too.
    """
    raise NotImplementedError


@lanes
def _weigh_by_event(weight: SingleArray, rate: SingleArray, seen: SingleArray, sums: SingleArray) -> None:
    """Multiply four nodes of all rows by the probability of an event, and add them to the sums."""
    for j in range(seen.size):
        a, b = weight[0, j] * (seen[j] * rate[0, j]), weight[1, j] * (seen[j] * rate[1, j])
        c, d = weight[2, j] * (seen[j] * rate[2, j]), weight[3, j] * (seen[j] * rate[3, j])
        weight[0, j], weight[1, j], weight[2, j], weight[3, j] = a, b, c, d
        sums[j] += (a + b) + (c + d)


@lanes
def _weigh_by_quiet(weight: SingleArray, rate: SingleArray, seen: SingleArray, sums: SingleArray) -> None:
    """The same for a quiet round."""
    for j in range(seen.size):
        a, b = weight[0, j] * (ONE - seen[j] * rate[0, j]), weight[1, j] * (ONE - seen[j] * rate[1, j])
        c, d = weight[2, j] * (ONE - seen[j] * rate[2, j]), weight[3, j] * (ONE - seen[j] * rate[3, j])
        weight[0, j], weight[1, j], weight[2, j], weight[3, j] = a, b, c, d
        sums[j] += (a + b) + (c + d)


@take_in.register
@lanes
def _take_in_yes_no(curves: YesNoCurves, arm: int, amount: int, events: float, by_kind: bool) -> float:
    rows, used = curves.rows, curves.rows.used[arm]
    sums = rows.total[arm, :used]
    seen = curves.seen[:used]
    if used < curves.prior.weights.shape[1] or rows.factors.size > 0:
        look_up_single(curves.prior, rows.factors, rows.curve[arm, :used], amount, seen)
    else:
        seen = curves.prior.single_at[amount, :used]
    for j in range(used):
        sums[j] = 0.0
    for m in range(0, curves.nodes[arm], 4):
        weight, rate = curves.weight[arm, m : m + 4], curves.rate[arm, m : m + 4]
        if events > 0.0:
            _weigh_by_event(weight, rate, seen, sums)
        else:
            _weigh_by_quiet(weight, rate, seen, sums)
    kinds, sum_of_kinds = rows.by_kind.shape[1] - 1, 0.0
    if by_kind:
        for k in range(kinds):
            rows.by_kind[arm, k] = sum_of_range(sums, rows.first[arm, k], rows.first[arm, k + 1])
            sum_of_kinds += rows.by_kind[arm, k]
    else:
        sum_of_kinds = sum_of_range(sums, 0, used)
    happened = rows.events[arm, amount] + 1.0
    if events == 0.0:
        happened = rows.rounds[arm, amount] - rows.events[arm, amount] + 1.0
    rows.by_kind[arm, kinds] *= happened / (rows.rounds[arm, amount] + 2.0)
    curves.room[arm] -= events
    if curves.room[arm] <= 0.0:
        rows.due[arm] = 0.0
    if max(sum_of_kinds, rows.by_kind[arm, kinds]) < SMALL:
        for j in range(rows.used[arm]):
            rows.total[arm, j] *= LARGE
            for m in range(curves.nodes[arm]):
                curves.weight[arm, m, j] *= LARGE
    return sum_of_kinds


@take_in.register
def _take_in_counted(curves: CountedCurves, arm: int, amount: int, events: float, by_kind: bool) -> float:
    rows, prior = curves.rows, curves.prior
    may_divide = has_evidence(curves, arm, FINER_FROM)
    surprising = may_divide and is_surprising(curves, arm, amount, events)
    add_count(curves, arm, amount, events)
    weight = weigh_counted(curves, arm, shape_given(prior, rows.events[arm]) + events)
    learnt = may_divide and by_kind and have_learnt(curves, arm, curves.log_weight[arm], rows.total[arm])
    if surprising or learnt:
        rows.due[arm] = 0.0
    return weight


@generic
def age(curves: Any, arm: int) -> None:
    """Age the evidence of an arm by one round. An arm ages with its own reports."""


@age.register
def _age_yes_no(curves: YesNoCurves, arm: int) -> None:
    """Rows do not age; they are computed again often."""
    rows, keep = curves.rows, curves.prior.keep
    for u in range(rows.rounds.shape[1]):
        rows.events[arm, u] *= keep
        rows.rounds[arm, u] *= keep
        if rows.rounds[arm, u] < FORGOTTEN:
            rows.events[arm, u] = rows.rounds[arm, u] = 0.0


@age.register
def _age_counted(curves: CountedCurves, arm: int) -> None:
    age_counted(curves, arm)


@generic_with_default
def weigh_aged(curves: Any, arm: int) -> None:
    """Compute the weights of an arm again after it has aged without a report, if its rows age."""


@weigh_aged.register
def _weigh_aged_counted(curves: CountedCurves, arm: int) -> None:
    weigh_evidence(curves, arm)


@generic
def favour_free(curves: Any, arm: int, log_factor: float) -> None:
    """Multiply the weight of the free curve by a factor."""


@favour_free.register
def _favour_free_yes_no(curves: YesNoCurves, arm: int, log_factor: float) -> None:
    curves.rows.by_kind[arm, curves.rows.by_kind.shape[1] - 1] *= math.exp(log_factor)


@favour_free.register
def _favour_free_counted(curves: CountedCurves, arm: int, log_factor: float) -> None:
    curves.log_free[arm] += log_factor


@lanes
def weigh_report(
    curves: Any, arm: int, amount: int, events: float, log_likelier: float, by_kind: bool
) -> None:
    """Multiply the weights of an arm by the probability of a report.

    `log_likelier` is the logarithm of a further factor of the free curve, if it is made of stairs. `by_kind`
    is as in `take_in`.
    """
    rows, kinds = curves.rows, curves.rows.by_kind.shape[1] - 1
    if log_likelier != 0.0:
        favour_free(curves, arm, log_likelier)
    weight = take_in(curves, arm, amount, events, by_kind)
    if max(weight, rows.by_kind[arm, kinds]) < SMALL:
        for k in range(kinds + 1):
            rows.by_kind[arm, k] *= LARGE
    if weight == 0.0:
        rows.due[arm] = 0.0  # no row explains the report any more


@shared
def learn_curves(curves: Any, allocation: FloatArray, losses: FloatArray, slack: float) -> None:
    """Update beliefs by a round: the reports of every arm at the whole units of its grant."""
    prefer_short_vectors()
    prior, rows = curves.prior, curves.rows
    units = rows.rounds.shape[1] - 1
    for arm in range(losses.size):
        if losses[arm] == losses[arm]:
            if prior.keep < 1.0:
                age(curves, arm)
            amount = min(math.floor((allocation[arm] + slack) * units), units)
            rows.granted[0] += amount
            rows.due[arm] -= evidence_in(prior, losses[arm])
            if rows.due[arm] > 0.0:
                log_likelier = 0.0
                if has_stairs(rows, arm):
                    log_likelier = learn_stairs(curves, arm, amount, losses[arm])
                weigh_report(curves, arm, amount, losses[arm], log_likelier, by_kind=True)
            rows.events[arm, amount] += losses[arm]
            rows.rounds[arm, amount] += 1.0
            if rows.due[arm] <= 0.0:
                settle(curves, arm)
