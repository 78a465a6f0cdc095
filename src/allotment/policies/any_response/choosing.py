"""Which curves are worth considering for an arm: those that are likely, and finer ones where few are left."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.log_beta import log_beta as plain_log_beta
from allotment.policies.any_response.beliefs import CountedCurves, Prior, Rows, YesNoCurves
from allotment.policies.any_response.curve_tables import computed
from allotment.policies.any_response.densities import Bench, find_peaks, log_densities
from allotment.policies.any_response.lane_math import lane_log
from allotment.policies.any_response.tuning import FEW, FINER_FROM, LIKELY

HALF_LOG_TWO_PI = 0.9189385332046727
NEVER = -1e300

log_beta = kernel(plain_log_beta)


@kernel
def gather(rows: Rows, bench: Bench, arm: int) -> int:
    """Write down the amounts with evidence, and what was seen there; how many."""
    count = 0
    for u in range(rows.rounds.shape[1]):
        if rows.rounds[arm, u] > 0.0:
            bench.amounts[count] = u
            bench.events[count] = rows.events[arm, u]
            bench.quiet[count] = max(0.0, rows.rounds[arm, u] - rows.events[arm, u])
            count += 1
    return count


@kernel
def rounds_of(rows: Rows, arm: int) -> float:
    """How many rounds an arm was seen for."""
    rounds = 0.0
    for u in range(rows.rounds.shape[1]):
        rounds += rows.rounds[arm, u]
    return rounds


@kernel
def was_seen_for(curves: Any, arm: int, rounds: float) -> bool:
    """Whether an arm was seen for so many rounds.

    Never where evidence ages: rows are made anew all the time there, and what is coarse has to do.
    """
    return curves.prior.keep == 1.0 and rounds_of(curves.rows, arm) >= rounds


@kernel
def most_likely(bench: Bench, number: int) -> float:
    """The logarithm of the largest weight of so many curves."""
    best = NEVER
    for j in range(number):
        best = max(best, bench.log_weight[j])
    return best


@kernel
def shape_given(prior: Prior, bench: Bench, count: int) -> float:
    """The prior's first number, and all events."""
    first = prior.shape[0]
    for k in range(count):
        first += bench.events[k]
    return first


@lanes
def _add_events(events: float, seen: FloatArray, log_events: FloatArray) -> None:
    for h in range(seen.size):
        log_events[h] += events * lane_log(seen[h])


@kernel
def _weigh_events(prior: Prior, bench: Bench, arm: int, number: int, count: int, constant: float) -> None:
    """Write what curves say at the amounts with evidence, their prior weight and their part in the events."""
    levels, tabled = prior.levels, prior.seen.shape[0]
    for k in range(count):
        u = bench.amounts[k]
        for j in range(number):
            h = bench.curve[j]
            bench.seen[k, j] = prior.seen_at[u, h] if h < tabled else computed(prior, h, u, prior.finds)
    for j in range(number):
        weight = prior.weights[arm, levels.coarse[bench.curve[j]]] * levels.part[bench.curve[j]]
        bench.log_events[j] = constant + math.log(weight) if weight > 0.0 else NEVER
    for k in range(count):
        if bench.events[k] > 0.0:
            _add_events(bench.events[k], bench.seen[k, :number], bench.log_events[:number])


@generic
def weigh(curves: Any, arm: int, number: int, count: int) -> None:
    """Write the logarithm of the weight of the first so many curves on the bench."""


@weigh.register
def _weigh_yes_no(curves: YesNoCurves, arm: int, number: int, count: int) -> None:
    prior, bench = curves.prior, curves.bench
    first, second = shape_given(prior, bench, count), prior.shape[1]
    _weigh_events(prior, bench, arm, number, count, -log_beta(prior.shape[0], second))
    find_peaks(bench, number, count, first, second)
    log_densities(bench, number, count, first, second)
    for j in range(number):
        area = math.log(bench.spread[j]) + HALF_LOG_TWO_PI
        bench.log_weight[j] = bench.log_events[j] + bench.log_density[j] + area
        bench.centre[j], bench.log_peak[j] = bench.theta[j], bench.log_density[j]


@weigh.register
def _weigh_counted(curves: CountedCurves, arm: int, number: int, count: int) -> None:
    """The rate has a Gamma, of which `centre` is the exposure."""
    prior, rows, bench = curves.prior, curves.rows, curves.bench
    first, second = shape_given(prior, bench, count), prior.shape[1]
    constant = prior.shape[0] * math.log(second) - math.lgamma(prior.shape[0]) + math.lgamma(first)
    _weigh_events(prior, bench, arm, number, count, constant)
    for j in range(number):
        bench.centre[j] = second
        for k in range(count):
            bench.centre[j] += bench.seen[k, j] * rows.rounds[arm, bench.amounts[k]]
        bench.log_weight[j] = bench.log_events[j] - first * math.log(bench.centre[j])


@kernel
def _divide(prior: Prior, bench: Bench, number: int) -> int:
    """Put the parts of every curve in its place; how many there are then, 0 if no curve has parts."""
    levels, after, divided = prior.levels, 0, False
    for j in range(number):
        h = bench.before[j] = bench.curve[j]
        bench.height[j] = bench.reach[j] = bench.log_weight[j] - math.log(levels.part[h])
    for j in range(number):
        h = bench.before[j]
        first, end = levels.finer[h, 0], levels.finer[h, 1]
        if first == end:  # it has no parts, and goes on for itself
            first, end = h, h + 1
        divided = divided or first != h
        for part in range(first, end):
            bench.curve[after], bench.whole[after] = part, j
            after += 1
    return after if divided else 0


@kernel
def _keep_promising(prior: Prior, bench: Bench, number: int) -> int:
    """Move the parts of those curves to the front that may be likely somewhere in their range; how many.

    The logarithm of a weight is a hill, or nearly: from the middle of a range to its end it rises by at most
    twice as much as it does to the middle of that half.
    """
    height, reach, best, kept = bench.height, bench.reach, NEVER, 0
    for j in range(number):
        whole = bench.whole[j]
        here = bench.log_weight[j] - math.log(prior.levels.part[bench.curve[j]])
        reach[whole] = max(reach[whole], 2.0 * here - height[whole])
        best = max(best, here, height[whole])
    for j in range(number):
        if reach[bench.whole[j]] >= best - LIKELY:
            bench.curve[kept], bench.log_weight[kept] = bench.curve[j], bench.log_weight[j]
            kept += 1
    return kept


@kernel
def _are_few(bench: Bench, number: int) -> bool:
    """Whether few of so many curves are likely."""
    least, likely = most_likely(bench, number) - LIKELY, 0
    for j in range(number):
        if bench.log_weight[j] >= least:
            likely += 1
    return likely <= FEW


@kernel
def _look_closer(curves: Any, arm: int, number: int, count: int) -> int:
    """Divide curves and leave out what is unlikely, as long as few are left; how many."""
    prior, bench, coarse = curves.prior, curves.bench, number
    while True:
        parts = _divide(prior, bench, number)
        if parts == 0:
            break
        weigh(curves, arm, parts, count)
        parts = _keep_promising(prior, bench, parts)
        if parts >= coarse or not _are_few(bench, parts):
            break
        number = parts
    for j in range(number):
        bench.curve[j] = bench.before[j]
    weigh(curves, arm, number, count)
    return number


@kernel
def _keep_likely(bench: Bench, number: int, count: int, least: float) -> int:
    """Move the curves that weigh enough to the front; how many."""
    row = 0
    for j in range(number):
        if bench.log_weight[j] >= least:
            bench.curve[row], bench.log_weight[row] = bench.curve[j], bench.log_weight[j]
            bench.centre[row], bench.spread[row] = bench.centre[j], bench.spread[j]
            bench.log_peak[row], bench.log_events[row] = bench.log_peak[j], bench.log_events[j]
            for k in range(count):
                bench.seen[k, row] = bench.seen[k, j]
            row += 1
    return row


@kernel
def choose(curves: Any, arm: int, count: int) -> int:
    """Write the curves that are worth considering to the front of the bench; how many."""
    prior, bench, number = curves.prior, curves.bench, curves.prior.weights.shape[1]
    for h in range(number):
        bench.curve[h] = h
    weigh(curves, arm, number, count)
    if was_seen_for(curves, arm, FINER_FROM) and _are_few(bench, number):
        number = _look_closer(curves, arm, number, count)
    return _keep_likely(bench, number, count, most_likely(bench, number) - prior.cut)
