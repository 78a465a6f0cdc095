"""Rows of response curves from the evidence alone: which curves are worth considering, and their rates."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling import generic, kernel, lanes
from allotment.kernels.curve_densities import HIGHEST, LOWEST, MANY, Bench, find_peaks, log_densities
from allotment.kernels.curves import CountedCurves, Prior, Rows, YesNoCurves
from allotment.kernels.lane_math import lane_exp, lane_log
from allotment.log_beta import log_beta as plain_log_beta

GROWTH, FIRST = 3.0, 8.0  # rows are made anew after 8 rounds, 32, 104, …
LONGEST = 20_000.0  # and before errors of single precision add up to a thousandth
ENOUGH = 5.0  # events, from which on densities are narrow and three quarters of the nodes will do
HALF_LOG_TWO_PI = 0.9189385332046727
NEVER = -1e300
SUREST = 600.0  # how much likelier than all of the family the free curve may become, as a logarithm

log_beta = kernel(plain_log_beta)


@generic
def settle(curves: Any, arm: int) -> None:
    """Make the rows of an arm from its evidence."""


@kernel
def _gather(prior: Prior, rows: Rows, bench: Bench, arm: int) -> int:
    """Write down the amounts with evidence, and what every curve says there; how many."""
    count = 0
    for u in range(rows.rounds.shape[1]):
        if rows.rounds[arm, u] > 0.0:
            bench.amounts[count] = u
            bench.events[count] = rows.events[arm, u]
            bench.quiet[count] = max(0.0, rows.rounds[arm, u] - rows.events[arm, u])
            for h in range(prior.seen_at.shape[1]):
                bench.seen[count, h] = prior.seen_at[u, h]
            count += 1
    return count


@lanes
def _add_events(events: float, seen: FloatArray, log_events: FloatArray) -> None:
    for h in range(seen.size):
        log_events[h] += events * lane_log(seen[h])


@kernel
def _weigh_events(prior: Prior, bench: Bench, arm: int, count: int, constant: float) -> None:
    """Write the logarithm of every curve's prior weight and of its part in the chance of the events."""
    for h in range(prior.weights.shape[1]):
        possible = prior.weights[arm, h] > 0.0
        bench.log_events[h] = constant + math.log(prior.weights[arm, h]) if possible else NEVER
    for k in range(count):
        if bench.events[k] > 0.0:
            _add_events(bench.events[k], bench.seen[k], bench.log_events)


@kernel
def _log_free(rows: Rows, prior: Prior, arm: int, count: int, bench: Bench) -> float:
    """The logarithm of the free curve's marginal likelihood for yes/no losses."""
    if prior.free[arm] == 0.0:
        return NEVER
    total = 0.0
    for k in range(count):
        total += log_beta(1.0 + bench.events[k], 1.0 + bench.quiet[k])
    return total


@kernel
def _log_free_of_counts(rows: Rows, prior: Prior, arm: int, count: int, bench: Bench) -> float:
    """The same where events are counted."""
    if prior.free[arm] == 0.0:
        return NEVER
    total = 0.0
    for k in range(count):
        rounds = rows.rounds[arm, bench.amounts[k]]
        total += math.lgamma(1.0 + bench.events[k]) - (1.0 + bench.events[k]) * math.log1p(rounds)
    return total


@kernel
def _add_up(rows: Rows, prior: Prior, arm: int, free: float) -> None:
    """Write down the weight of every kind."""
    kinds = rows.by_kind.shape[1] - 1
    for k in range(kinds):
        rows.by_kind[arm, k] = 0.0
    row = 0
    for k in range(kinds):
        rows.first[arm, k] = row
        while row < rows.used[arm] and prior.kinds[rows.curve[arm, row]] == k:
            rows.by_kind[arm, k] += rows.total[arm, row]
            row += 1
    rows.first[arm, kinds] = row
    rows.by_kind[arm, kinds] = free


@kernel
def _set_due(rows: Rows, prior: Prior, arm: int) -> None:
    """When the rows are to be made anew: where evidence ages, after a small part of its half-life."""
    if prior.keep < 1.0:
        rows.due[arm] = max(1.0, math.floor(0.02 / (1.0 - prior.keep)))
        return
    rounds = 0.0
    for u in range(rows.rounds.shape[1]):
        rounds += rows.rounds[arm, u]
    rows.due[arm] = min((GROWTH - 1.0) * rounds + FIRST, LONGEST)


@kernel
def _keep_likely(bench: Bench, curves: int, count: int, least: float) -> int:
    """Move the curves that weigh enough to the front; how many."""
    row = 0
    for h in range(curves):
        if bench.log_weight[h] >= least:
            bench.curve[row], bench.centre[row], bench.spread[row] = h, bench.theta[h], bench.spread[h]
            bench.log_peak[row], bench.log_events[row] = bench.log_density[h], bench.log_events[h]
            for k in range(count):
                bench.seen[k, row] = bench.seen[k, h]
            row += 1
    return row


@kernel
def _find_end(
    bench: Bench,
    end: FloatArray,
    side: float,
    used: int,
    count: int,
    first: float,
    second: float,
    drop: float,
) -> None:
    """Write the θ, away from the peak in steps that grow, where the density has fallen by e^-drop."""
    step, theta = bench.part, bench.theta
    for j in range(used):
        t = math.sqrt(2.0 * drop) * bench.spread[j]  # the logarithm of a Gamma is skewed: Δ - e^Δ + 1 = -t²/2
        left = t + t * t / 6.0 if t < 2.0 else 0.5 * t * t + 1.0
        step[j] = t / (1.0 + t / 6.0) if side > 0.0 else -left
        end[j] = max(LOWEST, min(HIGHEST, bench.centre[j] + step[j]))
    for _ in range(MANY):
        wanting = 0
        for j in range(used):
            theta[j] = end[j]
        log_densities(bench, used, count, first, second)
        for j in range(used):
            if bench.log_density[j] > bench.log_peak[j] - drop and LOWEST < end[j] < HIGHEST:
                wanting += 1
                step[j] *= 1.2
                end[j] = max(LOWEST, min(HIGHEST, bench.centre[j] + step[j]))
        if wanting == 0:
            break


@settle.register
def _settle_yes_no(curves: YesNoCurves, arm: int) -> None:
    prior, rows, bench = curves.prior, curves.rows, curves.bench
    family, count = prior.seen.shape[0], _gather(prior, rows, bench, arm)
    first, second = prior.shape
    _weigh_events(prior, bench, arm, count, -log_beta(first, second))
    for k in range(count):
        first += bench.events[k]
    nodes = curves.rate.shape[1] if first < ENOUGH else curves.rate.shape[1] // 4 * 3
    curves.nodes[arm] = nodes
    find_peaks(bench, family, count, first, second)
    log_densities(bench, family, count, first, second)
    best = NEVER
    for h in range(family):
        area = math.log(bench.spread[h]) + HALF_LOG_TWO_PI
        bench.log_weight[h] = bench.log_events[h] + bench.log_density[h] + area
        best = max(best, bench.log_weight[h])
    used = _keep_likely(bench, family, count, best - prior.cut)
    _find_end(bench, bench.low, -1.0, used, count, first, second, prior.drop)
    _find_end(bench, bench.high, 1.0, used, count, first, second, prior.drop)
    free = _log_free(rows, prior, arm, count, bench)
    rows.used[arm] = used
    for j in range(used):
        curves.start[arm, j], curves.gap[arm, j] = bench.low[j], (bench.high[j] - bench.low[j]) / (nodes - 1)
        rows.curve[arm, j], rows.total[arm, j] = bench.curve[j], 0.0
        bench.log_events[j] += math.log(curves.gap[arm, j]) - best
    for m in range(nodes):
        for j in range(used):
            bench.theta[j] = curves.start[arm, j] + m * curves.gap[arm, j]
        log_densities(bench, used, count, first, second)
        for j in range(used):
            weight = lane_exp(bench.log_events[j] + bench.log_density[j])
            curves.rate[arm, m, j], curves.weight[arm, m, j] = bench.rate[j], weight
            rows.total[arm, j] += weight
    _add_up(rows, prior, arm, math.exp(min(free - best, SUREST)))
    _set_due(rows, prior, arm)


@settle.register
def _settle_counted(curves: CountedCurves, arm: int) -> None:
    prior, rows, bench = curves.prior, curves.rows, curves.bench
    count = _gather(prior, rows, bench, arm)
    first, second = prior.shape
    constant, events = first * math.log(second) - math.lgamma(first), first
    for k in range(count):
        events += bench.events[k]
    _weigh_events(prior, bench, arm, count, constant + math.lgamma(events))
    best = NEVER
    for h in range(prior.seen.shape[0]):
        bench.log_weight[h] = NEVER
        if prior.weights[arm, h] > 0.0:
            exposure = second
            for k in range(count):
                exposure += prior.seen[h, bench.amounts[k]] * rows.rounds[arm, bench.amounts[k]]
            bench.centre[h] = exposure
            bench.log_weight[h] = bench.log_events[h] - events * math.log(exposure)
            best = max(best, bench.log_weight[h])
    free = _log_free_of_counts(rows, prior, arm, count, bench)
    row = 0
    for h in range(prior.seen.shape[0]):
        if bench.log_weight[h] >= best - prior.cut:
            rows.curve[arm, row] = h
            curves.exposure[arm, row], curves.log_base[arm, row] = bench.centre[h], bench.log_events[h] - best
            rows.total[arm, row] = math.exp(bench.log_weight[h] - best)
            row += 1
    rows.used[arm] = row
    _add_up(rows, prior, arm, math.exp(min(free - best, SUREST)))
    _set_due(rows, prior, arm)
