"""Rows of response curves from the evidence alone: which curves are worth considering, and their rates."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling import generic, kernel
from allotment.kernels.curves import Bench, CountedCurves, Prior, Rows, YesNoCurves
from allotment.log_beta import log_beta as plain_log_beta

GROWTH, FIRST = 4.0, 8.0  # rows are made anew after 8 rounds, 40, 168, …
NEAR = 0.05  # a peak is found to within this share of its width
WIDEST = 3.0  # of a density in log-odds
HALF_LOG_TWO_PI = 0.9189385332046727
NEVER = -1e300
MANY = 60  # turns of a search that ends after five

log_beta = kernel(plain_log_beta)


@generic
def settle(curves: Any, arm: int) -> None:
    """Make the rows of an arm from its evidence."""


@kernel
def _gather(rows: Rows, bench: Bench, arm: int) -> int:
    """Write down the amounts with evidence; how many."""
    count = 0
    for u in range(rows.rounds.shape[1]):
        if rows.rounds[arm, u] > 0.0:
            bench.amounts[count] = u
            bench.events[count] = rows.events[arm, u]
            bench.quiet[count] = max(0.0, rows.rounds[arm, u] - rows.events[arm, u])
            count += 1
    return count


@kernel
def _group(bench: Bench, seen: FloatArray, count: int) -> int:
    """Write down the quiet rounds at every share that a curve takes, each share once."""
    groups = 0
    for k in range(count):
        share = seen[bench.amounts[k]]
        if groups > 0 and bench.share[groups - 1] == share:
            bench.at_share[groups - 1] += bench.quiet[k]
        else:
            bench.share[groups], bench.at_share[groups] = share, bench.quiet[k]
            groups += 1
    return groups


@kernel
def log_density(
    theta: float, first: float, second: float, share: FloatArray, quiet: FloatArray, groups: int
) -> float:
    """The logarithm of μ^first · (1 - μ)^second · Π (1 - μ·q)^quiet at the log-odds theta of μ."""
    rate, rest = 1.0 / (1.0 + math.exp(-theta)), 1.0 / (1.0 + math.exp(theta))
    total = first * math.log(rate) + second * math.log(rest)
    for g in range(groups):
        if quiet[g] > 0.0:
            total += quiet[g] * math.log(rest + rate * (1.0 - share[g]))
    return total


@kernel
def _find_peak(
    start: float, first: float, second: float, share: FloatArray, quiet: FloatArray, groups: int
) -> tuple[float, float]:
    """Where the density is highest, in log-odds, and its width there; Newton's way, kept within brackets.

    It has one peak: its logarithm is concave in μ.
    """
    low, high, theta, curvature = -40.0, 40.0, start, 1.0
    for _ in range(MANY):
        rate, rest = 1.0 / (1.0 + math.exp(-theta)), 1.0 / (1.0 + math.exp(theta))
        slope, bend = first * rest - second * rate, first + second
        for g in range(groups):
            q = share[g]
            part = q / (rest + rate * (1.0 - q))
            slope -= quiet[g] * part * rate * rest
            bend += quiet[g] * part * part * (1.0 - 2.0 * rate + q * rate * rate) / q
        curvature = max(bend * rate * rest, 1.0 / (WIDEST * WIDEST))
        if slope > 0.0:
            low = theta
        else:
            high = theta
        after = theta + slope / curvature
        if not low < after < high:
            after = 0.5 * (max(low, theta - 8.0) + min(high, theta + 8.0))
        close = abs(after - theta) * math.sqrt(curvature) < NEAR
        theta = after
        if close:
            break
    return theta, 1.0 / math.sqrt(curvature)


@kernel
def _reach(
    theta: float,
    fallen: float,
    step: float,
    first: float,
    second: float,
    share: FloatArray,
    quiet: FloatArray,
    groups: int,
) -> float:
    """How far from the peak, in steps that grow, the density has fallen to this."""
    far = step
    while log_density(theta + far, first, second, share, quiet, groups) > fallen and abs(far) < 60.0:
        far *= 1.3
    return far


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
    rows.due[arm] = (GROWTH - 1.0) * rounds + FIRST


@kernel
def _log_events(bench: Bench, seen: FloatArray, count: int) -> float:
    """Σ S·log q."""
    total = 0.0
    for k in range(count):
        if bench.events[k] > 0.0:
            total += bench.events[k] * math.log(seen[bench.amounts[k]])
    return total


@settle.register
def _settle_yes_no(curves: YesNoCurves, arm: int) -> None:
    prior, rows, bench = curves.prior, curves.rows, curves.bench
    count = _gather(rows, bench, arm)
    first, second = prior.shape
    constant = -log_beta(first, second)
    for k in range(count):
        first += bench.events[k]
    best, theta = NEVER, 0.0
    for h in range(prior.seen.shape[0]):
        bench.log_weight[h] = NEVER
        if prior.weights[arm, h] > 0.0:
            seen = prior.seen[h]
            groups = _group(bench, seen, count)
            theta, spread = _find_peak(theta, first, second, bench.share, bench.at_share, groups)
            bench.centre[h], bench.spread[h] = theta, spread
            bench.log_events[h] = constant + _log_events(bench, seen, count) + math.log(prior.weights[arm, h])
            density = log_density(theta, first, second, bench.share, bench.at_share, groups)
            bench.log_weight[h] = bench.log_events[h] + density + math.log(spread) + HALF_LOG_TWO_PI
            best = max(best, bench.log_weight[h])
    free = _log_free(rows, prior, arm, count, bench)
    top, row, nodes = max(best, free), 0, curves.rate.shape[2]
    for h in range(prior.seen.shape[0]):
        if bench.log_weight[h] >= best - prior.cut:
            theta, reach = bench.centre[h], math.sqrt(2.0 * prior.drop) * bench.spread[h]
            groups = _group(bench, prior.seen[h], count)
            share, quiet = bench.share, bench.at_share
            fallen = log_density(theta, first, second, share, quiet, groups) - prior.drop
            low = theta + _reach(theta, fallen, -reach, first, second, share, quiet, groups)
            high = theta + _reach(theta, fallen, reach, first, second, share, quiet, groups)
            gap = (high - low) / (nodes - 1)
            base, total = bench.log_events[h] + math.log(gap) - top, 0.0
            for m in range(nodes):
                at = low + m * gap
                curves.rate[arm, row, m] = 1.0 / (1.0 + math.exp(-at))
                weight = math.exp(base + log_density(at, first, second, share, quiet, groups))
                curves.weight[arm, row, m] = weight
                total += weight
            rows.curve[arm, row], rows.total[arm, row] = h, total
            row += 1
    rows.used[arm] = row
    _add_up(rows, prior, arm, math.exp(free - top))
    _set_due(rows, prior, arm)


@settle.register
def _settle_counted(curves: CountedCurves, arm: int) -> None:
    prior, rows, bench = curves.prior, curves.rows, curves.bench
    count = _gather(rows, bench, arm)
    first, second = prior.shape
    constant, events = first * math.log(second) - math.lgamma(first), first
    for k in range(count):
        events += bench.events[k]
    constant += math.lgamma(events)
    best = NEVER
    for h in range(prior.seen.shape[0]):
        bench.log_weight[h] = NEVER
        if prior.weights[arm, h] > 0.0:
            exposure = second
            for k in range(count):
                exposure += prior.seen[h, bench.amounts[k]] * rows.rounds[arm, bench.amounts[k]]
            bench.centre[h] = exposure
            bench.log_events[h] = constant + _log_events(bench, prior.seen[h], count)
            bench.log_events[h] += math.log(prior.weights[arm, h])
            bench.log_weight[h] = bench.log_events[h] - events * math.log(exposure)
            best = max(best, bench.log_weight[h])
    free = _log_free_of_counts(rows, prior, arm, count, bench)
    top, row = max(best, free), 0
    for h in range(prior.seen.shape[0]):
        if bench.log_weight[h] >= best - prior.cut:
            rows.curve[arm, row] = h
            curves.exposure[arm, row], curves.log_base[arm, row] = bench.centre[h], bench.log_events[h] - top
            rows.total[arm, row] = math.exp(bench.log_weight[h] - top)
            row += 1
    rows.used[arm] = row
    _add_up(rows, prior, arm, math.exp(free - top))
    _set_due(rows, prior, arm)


@kernel
def settle_all(curves: Any) -> None:
    """Make the rows of all arms from their evidence."""
    for arm in range(curves.rows.used.size):
        settle(curves, arm)
