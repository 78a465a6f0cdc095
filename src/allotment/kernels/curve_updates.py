"""What comes in is multiplied into the rows of response curves; rows that are due are made anew."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling import generic, kernel, summing_lanes
from allotment.kernels.curve_settling import settle
from allotment.kernels.curves import CountedCurves, Prior, Rows, YesNoCurves

SMALL, LARGE = 1e-100, 1e100


@generic
def take_in(curves: Any, arm: int, amount: int, events: float) -> float:
    """Weigh the rows of an arm by what one round showed; the weight of all kinds but the free one."""
    raise NotImplementedError


@summing_lanes
def _weigh_by_event(weight: FloatArray, rate: FloatArray, seen: float) -> float:
    """Multiply by the chance of an event; the sum."""
    total = 0.0
    for m in range(weight.size):
        weight[m] *= seen * rate[m]
        total += weight[m]
    return total


@summing_lanes
def _weigh_by_quiet(weight: FloatArray, rate: FloatArray, seen: float) -> float:
    """Multiply by the chance of none; the sum."""
    total = 0.0
    for m in range(weight.size):
        weight[m] *= 1.0 - seen * rate[m]
        total += weight[m]
    return total


@take_in.register
def _take_in_yes_no(curves: YesNoCurves, arm: int, amount: int, events: float) -> float:
    prior, rows = curves.prior, curves.rows
    kinds, row, sum_of_kinds = rows.by_kind.shape[1] - 1, 0, 0.0
    for k in range(kinds):
        total = 0.0
        while row < rows.first[arm, k + 1]:
            seen = prior.seen[rows.curve[arm, row], amount]
            if events > 0.0:
                each = _weigh_by_event(curves.weight[arm, row], curves.rate[arm, row], seen)
            else:
                each = _weigh_by_quiet(curves.weight[arm, row], curves.rate[arm, row], seen)
            rows.total[arm, row] = each
            total += each
            row += 1
        rows.by_kind[arm, k] = total
        sum_of_kinds += total
    happened = rows.events[arm, amount] + 1.0
    if events == 0.0:
        happened = rows.rounds[arm, amount] - rows.events[arm, amount] + 1.0
    rows.by_kind[arm, kinds] *= happened / (rows.rounds[arm, amount] + 2.0)
    if max(sum_of_kinds, rows.by_kind[arm, kinds]) < SMALL:
        for j in range(rows.used[arm]):
            rows.total[arm, j] *= LARGE
            for m in range(curves.weight.shape[2]):
                curves.weight[arm, j, m] *= LARGE
    return sum_of_kinds


@take_in.register
def _take_in_counted(curves: CountedCurves, arm: int, amount: int, events: float) -> float:
    prior, rows = curves.prior, curves.rows
    kinds, row, sum_of_kinds = rows.by_kind.shape[1] - 1, 0, 0.0
    before = prior.shape[0]
    for u in range(rows.events.shape[1]):
        before += rows.events[arm, u]
    more = math.lgamma(before + events) - math.lgamma(before)
    for k in range(kinds):
        total = 0.0
        while row < rows.first[arm, k + 1]:
            seen = prior.seen[rows.curve[arm, row], amount]
            curves.exposure[arm, row] += seen
            curves.log_base[arm, row] += more
            if events > 0.0:
                curves.log_base[arm, row] += events * math.log(seen)
            log_weight = curves.log_base[arm, row] - (before + events) * math.log(curves.exposure[arm, row])
            rows.total[arm, row] = math.exp(log_weight)
            total += rows.total[arm, row]
            row += 1
        rows.by_kind[arm, k] = total
        sum_of_kinds += total
    rounds, so_far = rows.rounds[arm, amount], rows.events[arm, amount]
    log_free = math.lgamma(1.0 + so_far + events) - math.lgamma(1.0 + so_far)
    log_free += (1.0 + so_far) * math.log1p(rounds) - (1.0 + so_far + events) * math.log1p(rounds + 1.0)
    rows.by_kind[arm, kinds] *= math.exp(log_free)
    if max(sum_of_kinds, rows.by_kind[arm, kinds]) < SMALL:
        for j in range(rows.used[arm]):
            rows.total[arm, j] *= LARGE
            curves.log_base[arm, j] += math.log(LARGE)
    return sum_of_kinds


@kernel
def _age(rows: Rows, prior: Prior, arm: int) -> None:
    """Let a round's share of the evidence go; an arm ages with its own reports."""
    for u in range(rows.rounds.shape[1]):
        rows.events[arm, u] *= prior.keep
        rows.rounds[arm, u] *= prior.keep


@kernel
def learn_curves(curves: Any, allocation: FloatArray, losses: FloatArray, slack: float) -> None:
    """Take in a round: what was seen of every arm at the whole units that its grant contains."""
    prior, rows = curves.prior, curves.rows
    units, kinds = rows.rounds.shape[1] - 1, rows.by_kind.shape[1] - 1
    rows.clock[0] += 1
    for arm in range(losses.size):
        if losses[arm] == losses[arm]:
            if prior.keep < 1.0:
                _age(rows, prior, arm)
            amount = min(math.floor((allocation[arm] + slack) * units), units)
            rows.due[arm] -= 1.0
            if rows.due[arm] > 0.0:
                weight = take_in(curves, arm, amount, losses[arm])
                if max(weight, rows.by_kind[arm, kinds]) < SMALL:
                    for k in range(kinds + 1):
                        rows.by_kind[arm, k] *= LARGE
            rows.events[arm, amount] += losses[arm]
            rows.rounds[arm, amount] += 1.0
            if rows.due[arm] <= 0.0:
                settle(curves, arm)
