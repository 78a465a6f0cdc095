"""Updates of beliefs: a report multiplies the rows of curves, and rows that are due are computed again."""

import math
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.policies.any_response.beliefs import CountedCurves, Prior, Rows, YesNoCurves
from allotment.policies.any_response.curve_tables import look_up, look_up_single
from allotment.policies.any_response.lane_math import log_gamma, sum_of_range
from allotment.policies.any_response.settling import settle
from allotment.policies.any_response.stairs import has_stairs, learn_stairs
from allotment.policies.any_response.tuning import FORGOTTEN

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
    if max(sum_of_kinds, rows.by_kind[arm, kinds]) < SMALL:
        for j in range(rows.used[arm]):
            rows.total[arm, j] *= LARGE
            for m in range(curves.nodes[arm]):
                curves.weight[arm, m, j] *= LARGE
    return sum_of_kinds


@take_in.register
def _take_in_counted(curves: CountedCurves, arm: int, amount: int, events: float, by_kind: bool) -> float:
    prior, rows = curves.prior, curves.rows
    kinds, row, sum_of_kinds = rows.by_kind.shape[1] - 1, 0, 0.0
    shares, before = curves.bench.densities.rate, prior.shape[0]
    look_up(prior, rows.factors, rows.curve[arm, : rows.used[arm]], amount, shares[: rows.used[arm]])
    for u in range(rows.events.shape[1]):
        before += rows.events[arm, u]
    more = log_gamma(before + events) - log_gamma(before)
    for k in range(kinds):
        total = 0.0
        while row < rows.first[arm, k + 1]:
            seen = shares[row]
            curves.exposure[arm, row] += seen
            curves.log_base[arm, row] += more
            if events > 0.0:
                curves.log_base[arm, row] += events * math.log(seen)
            log_weight = curves.log_base[arm, row] - (before + events) * math.log(curves.exposure[arm, row])
            rows.total[arm, row] = math.exp(log_weight)
            total += float(rows.total[arm, row])
            row += 1
        rows.by_kind[arm, k] = total
        sum_of_kinds += total
    rounds, past = rows.rounds[arm, amount], rows.events[arm, amount]  # events at this amount before
    log_free = log_gamma(1.0 + past + events) - log_gamma(1.0 + past)
    log_free += (1.0 + past) * math.log1p(rounds) - (1.0 + past + events) * math.log1p(rounds + 1.0)
    rows.by_kind[arm, kinds] *= math.exp(log_free)
    if max(sum_of_kinds, rows.by_kind[arm, kinds]) < SMALL:
        for j in range(rows.used[arm]):
            rows.total[arm, j] *= LARGE
            curves.log_base[arm, j] += math.log(LARGE)
    return sum_of_kinds


@kernel
def age(rows: Rows, prior: Prior, arm: int) -> None:
    """Age the evidence of an arm by one round. An arm ages with its own reports."""
    for u in range(rows.rounds.shape[1]):
        rows.events[arm, u] *= prior.keep
        rows.rounds[arm, u] *= prior.keep
        if rows.rounds[arm, u] < FORGOTTEN:
            rows.events[arm, u] = rows.rounds[arm, u] = 0.0


@lanes
def weigh_report(curves: Any, arm: int, amount: int, events: float, likelier: float, by_kind: bool) -> None:
    """Multiply the weights of an arm by the probability of a report.

    `likelier` is a further factor of the free curve, if it is made of stairs. `by_kind` is as in `take_in`.
    """
    rows, kinds = curves.rows, curves.rows.by_kind.shape[1] - 1
    rows.by_kind[arm, kinds] *= likelier
    weight = take_in(curves, arm, amount, events, by_kind)
    if max(weight, rows.by_kind[arm, kinds]) < SMALL:
        for k in range(kinds + 1):
            rows.by_kind[arm, k] *= LARGE
    if weight == 0.0:
        rows.due[arm] = 0.0  # no row explains the report any more


@kernel
def learn_curves(curves: Any, allocation: FloatArray, losses: FloatArray, slack: float) -> None:
    """Update beliefs by a round: the reports of every arm at the whole units of its grant."""
    prior, rows, scratch = curves.prior, curves.rows, curves.bench.seen
    units = rows.rounds.shape[1] - 1
    for arm in range(losses.size):
        if losses[arm] == losses[arm]:
            if prior.keep < 1.0:
                age(rows, prior, arm)
            amount = min(math.floor((allocation[arm] + slack) * units), units)
            rows.granted[0] += amount
            rows.due[arm] -= 1.0
            if rows.due[arm] > 0.0:
                likelier = 1.0
                if has_stairs(rows, arm):
                    likelier = learn_stairs(curves, arm, amount, losses[arm], scratch.events, scratch.quiet)
                weigh_report(curves, arm, amount, losses[arm], likelier, by_kind=True)
            rows.events[arm, amount] += losses[arm]
            rows.rounds[arm, amount] += 1.0
            if rows.due[arm] <= 0.0:
                settle(curves, arm)
