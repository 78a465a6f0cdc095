"""Computes the rows of an arm from its evidence alone: the curves worth considering, and their rates."""

import math
from typing import Any

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import generic, generic_with_default, kernel, lanes, shared
from allotment.compiling.vector_width import prefer_short_vectors
from allotment.kernels.lane_math import lane_exp
from allotment.policies.any_response.beliefs import CountedCurves, YesNoCurves
from allotment.policies.any_response.bench import Candidates, RateDensities
from allotment.policies.any_response.choosing import (
    NEVER,
    choose,
    evidence_of,
    gather,
    has_evidence,
    is_capped,
    log_counted,
    log_prior,
    most_likely,
    shape_given,
)
from allotment.policies.any_response.counted import remember_weights, weigh_tries
from allotment.policies.any_response.densities import log_densities
from allotment.policies.any_response.listed_rates import weigh_listed
from allotment.policies.any_response.stairs import lay_stairs, log_seen
from allotment.policies.any_response.tuning import (
    AGED_LATEST,
    AGED_ROUNDS,
    AGED_SHARE,
    EVENTS_GROWTH,
    FINER_FROM,
    FIRST,
    FIRST_EVENTS,
    FIRST_ROUNDS,
    GROWTH,
    HIGHEST,
    LISTED_LONGEST,
    LONGEST,
    LOWEST,
    MANY,
    ROUNDS_GROWTH,
    SHORTLY,
    STAIRS_FROM,
    STEP_GROWTH,
    SUREST,
)


@generic
def settle(curves: Any, arm: int) -> None:
    """Compute the rows of an arm from its evidence."""


@kernel
def log_free(curves: Any, arm: int) -> float:
    """The log of the free curve's marginal likelihood, with stairs after many rounds."""
    prior, rows, total = curves.prior, curves.rows, 0.0
    rows.ways[arm, 0] = 0.0
    if prior.free[arm] == 0.0:
        return NEVER
    for u in range(rows.rounds.shape[1]):
        if rows.rounds[arm, u] > 0.0:
            total += log_seen(curves, rows.events[arm, u], rows.rounds[arm, u])
    return total + (lay_stairs(curves, arm) if has_evidence(curves, arm, STAIRS_FROM) else 0.0)


@generic_with_default
def keep_free(curves: Any, arm: int, log_weight: float) -> None:
    """Keep the log of the free curve's weight, if updates go on from it."""


@keep_free.register
def _keep_free_counted(curves: CountedCurves, arm: int, log_weight: float) -> None:
    curves.log_free[arm] = log_weight


@kernel
def add_up(curves: Any, arm: int, best: float, log_weight: float) -> None:
    """Write the weight of every kind; `log_weight` is that of the free curve, `best` the log of the unit."""
    keep_free(curves, arm, log_weight)
    prior, rows, kinds = curves.prior, curves.rows, curves.rows.by_kind.shape[1] - 1
    for k in range(kinds):
        rows.by_kind[arm, k] = 0.0
    row = 0
    for k in range(kinds):
        rows.first[arm, k] = row
        while row < rows.used[arm] and prior.kinds[rows.curve[arm, row]] == k:
            rows.by_kind[arm, k] += rows.total[arm, row]
            row += 1
    rows.first[arm, kinds] = row
    rows.by_kind[arm, kinds] = math.exp(min(max(log_weight, NEVER) - best, SUREST))


@generic
def until_due(curves: Any, evidence: float) -> float:
    """How much more evidence rows may take in before they are computed again."""
    raise NotImplementedError


@until_due.register
def _until_due_single(curves: YesNoCurves, evidence: float) -> float:
    longest = LISTED_LONGEST if curves.prior.listed.size > 0 else LONGEST
    return min((ROUNDS_GROWTH - 1.0) * evidence + FIRST_ROUNDS, longest)


@until_due.register
def _until_due_double(curves: CountedCurves, evidence: float) -> float:
    return (GROWTH - 1.0) * evidence + FIRST


@kernel
def set_due(curves: Any, arm: int) -> None:
    """Set when to compute the rows again; where evidence ages, after a small part of its half-life."""
    prior, rows = curves.prior, curves.rows
    if prior.keep < 1.0:
        whole = 1.0 / (1.0 - prior.keep)  # the rounds of evidence that an arm can have at most
        early = min(AGED_ROUNDS, math.floor(AGED_LATEST * whole))
        rows.due[arm] = max(1.0, early, math.floor(AGED_SHARE * whole))
        return
    evidence = evidence_of(rows, arm)
    rows.due[arm] = until_due(curves, evidence)
    for then in (FINER_FROM, STAIRS_FROM):
        if evidence < then < SHORTLY * (evidence + rows.due[arm]):
            rows.due[arm] = math.ceil(then - evidence)


@kernel
def _find_end(
    at: RateDensities,
    among: Candidates,
    quiet: FloatArray,
    step: FloatArray,
    end: FloatArray,
    side: float,
    first: float,
    second: float,
    drop: float,
) -> None:
    """Write the θ at which the density has fallen by e^-drop, found in growing steps from the peak."""
    used = end.size
    for j in range(used):
        t = math.sqrt(2.0 * drop) * among.spread[j]  # the logarithm of a Gamma is skewed: Δ - e^Δ + 1 = -t²/2
        left = t + t * t / 6.0 if t < 2.0 else 0.5 * t * t + 1.0
        step[j] = t / (1.0 + t / 6.0) if side > 0.0 else -left
        end[j] = max(LOWEST, min(HIGHEST, among.centre[j] + step[j]))
    for _ in range(MANY):
        wanting = 0
        for j in range(used):
            at.theta[j] = end[j]
        log_densities(at, quiet, among.shares, used, first, second)
        for j in range(used):
            if at.log_density[j] > among.log_peak[j] - drop and LOWEST < end[j] < HIGHEST:
                wanting += 1
                step[j] *= STEP_GROWTH
                end[j] = max(LOWEST, min(HIGHEST, among.centre[j] + step[j]))
        if wanting == 0:
            break


@lanes
def _write_node(
    log_events: FloatArray, log_density: FloatArray, weight: SingleArray, total: SingleArray
) -> None:
    """Write the weights of rows at a node, and add them to their sums."""
    for j in range(log_events.size):
        here = lane_exp(log_events[j] + log_density[j])
        weight[j] = here
        total[j] += here


@generic
def write_rows(curves: Any, arm: int, used: int, count: int) -> float:
    """Write the rows of an arm, one for each of the first candidates; return the log of their unit."""
    raise NotImplementedError


@write_rows.register
def _write_nodes(curves: YesNoCurves, arm: int, used: int, count: int) -> float:
    """Write rows with nodes around each posterior."""
    prior, rows, bench = curves.prior, curves.rows, curves.bench
    seen, among, at = bench.seen, bench.candidates, bench.densities
    best, quiet = most_likely(among.log_weight[:used]), seen.quiet[:count]
    first, second = shape_given(prior, seen.events[:count]), prior.shape[1]
    nodes = curves.rate.shape[1]
    curves.nodes[arm] = nodes
    if prior.keep == 1.0:  # rows of evidence that ages are soon due anyway
        curves.room[arm] = (EVENTS_GROWTH - 1.0) * (first - prior.shape[0]) + FIRST_EVENTS
    search = bench.search  # its arrays are free again, since the peaks are found
    low, high, step = search.low[:used], search.high[:used], search.part
    _find_end(at, among, quiet, step, low, -1.0, first, second, prior.drop)
    _find_end(at, among, quiet, step, high, 1.0, first, second, prior.drop)
    rows.used[arm] = used
    for j in range(used):
        curves.start[arm, j], curves.gap[arm, j] = low[j], (high[j] - low[j]) / (nodes - 1)
        rows.curve[arm, j], rows.total[arm, j] = among.curve[j], 0.0
        among.log_events[j] += math.log(curves.gap[arm, j]) - best
    for m in range(nodes):
        for j in range(used):
            at.theta[j] = curves.start[arm, j] + m * curves.gap[arm, j]
        log_densities(at, quiet, among.shares, used, first, second)
        for j in range(used):
            curves.rate[arm, m, j] = at.rate[j]
        _write_node(
            among.log_events[:used],
            at.log_density[:used],
            curves.weight[arm, m, :used],
            rows.total[arm, :used],
        )
    return best


@write_rows.register
def _write_exposures(curves: CountedCurves, arm: int, used: int, count: int) -> float:
    prior, rows, among = curves.prior, curves.rows, curves.bench.candidates
    first = shape_given(prior, curves.bench.seen.events[:count])
    best, unit = most_likely(among.log_weight[:used]), log_counted(prior, first)
    rows.used[arm], curves.log_unit[arm] = used, unit
    for j in range(used):
        own = log_prior(prior, arm, among.curve[j])
        rows.curve[arm, j], rows.total[arm, j] = among.curve[j], math.exp(among.log_weight[j] - best)
        curves.exposure[arm, j], curves.log_prior[arm, j] = among.centre[j], own
        curves.log_events[arm, j] = among.log_events[j]
        if not is_capped(prior, among.curve[j]):
            curves.log_events[arm, j] -= unit + own
        curves.log_weight[arm, j] = among.log_weight[j] - unit
    weigh_tries(curves, arm)
    remember_weights(curves, arm, curves.log_weight[arm], rows.total[arm])
    return best


@kernel
def choose_and_write(curves: Any, arm: int) -> float:
    """Compute the rows of an arm; return the log of their unit."""
    bench = curves.bench
    count = gather(curves.rows, arm, bench.seen)
    used = choose(curves, bench.seen, bench.candidates, bench.division, arm, count)
    return write_rows(curves, arm, used, count)


@settle.register
@shared
def _settle_yes_no(curves: YesNoCurves, arm: int) -> None:
    prefer_short_vectors()
    best = weigh_listed(curves, arm) if curves.prior.listed.size > 0 else choose_and_write(curves, arm)
    add_up(curves, arm, best, log_free(curves, arm))
    set_due(curves, arm)


@settle.register
@shared
def _settle_counted(curves: CountedCurves, arm: int) -> None:
    prefer_short_vectors()
    best = choose_and_write(curves, arm)
    add_up(curves, arm, best, log_free(curves, arm))
    set_due(curves, arm)
