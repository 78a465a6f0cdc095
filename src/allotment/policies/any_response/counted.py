"""Updates of beliefs about counts: sums in double precision, and weights computed from them in logarithms.

The weight of a row is a function of three sums: the exposure b + Σ q·n, the logarithm Σ S·log q, and the
number of incidents. A report adds to them. Where evidence ages, each round multiplies what was added by the
share that remains. So updates equal beliefs computed from the evidence, whatever the counts.
"""

import math

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import kernel, lanes
from allotment.kernels.lane_math import lane_exp, lane_log, sum_of_all, sum_of_range
from allotment.policies.any_response.beliefs import CountedCurves
from allotment.policies.any_response.choosing import (
    NEVER,
    is_capped,
    log_counted,
    log_found,
    log_tries,
    most_likely,
    shape_given,
)
from allotment.policies.any_response.curve_tables import look_up
from allotment.policies.any_response.stairs import log_seen
from allotment.policies.any_response.tuning import FORGOTTEN, LEARNT, LEAST, SUREST, SURPRISE


@lanes
def _add_multiples(number: float, shares: FloatArray, sums: FloatArray) -> None:
    for j in range(sums.size):
        sums[j] += number * shares[j]


@lanes
def _add_logs(events: float, seen: FloatArray, log_events: FloatArray) -> None:
    for j in range(log_events.size):
        log_events[j] += events * lane_log(seen[j])


@kernel
def _add(
    curves: CountedCurves, arm: int, amount: int, rounds: float, events: float, seen: FloatArray
) -> None:
    """Add rounds and incidents at one amount to the sums of rows, given their shares."""
    exposure, log_events = curves.exposure[arm, : seen.size], curves.log_events[arm, : seen.size]
    _add_multiples(rounds, seen, exposure)
    if events != 0.0:
        if _are_coarse(curves, arm):
            _add_multiples(events, curves.prior.log_seen_at[amount], log_events)
        else:
            _add_logs(events, seen, log_events)


@kernel
def _are_coarse(curves: CountedCurves, arm: int) -> bool:
    """Whether the rows of an arm are all coarse curves in their order, in one situation."""
    return curves.rows.used[arm] == curves.prior.weights.shape[1] and curves.rows.factors.size == 0


@lanes
def _add_found(
    units: int, finds: float, failures: float, expected: FloatArray, log_events: FloatArray
) -> None:
    """Add units that find an incident and others that find none to the sums of capped rows."""
    for j in range(expected.size):
        log_events[j] += log_found(expected[j], units, finds, failures)


@kernel
def _uncapped(curves: CountedCurves, arm: int) -> int:
    """The number of an arm's rows that are not capped; the capped ones follow them."""
    rows = curves.rows
    return rows.first[arm, rows.first.shape[1] - 2] if curves.prior.means.size > 0 else rows.used[arm]


@kernel
def _add_at(curves: CountedCurves, arm: int, amount: int, rounds: float, events: float) -> None:
    rows, used, plain = curves.rows, curves.rows.used[arm], _uncapped(curves, arm)
    seen, expected = curves.bench.densities.rate[:used], curves.bench.densities.product[:used]
    if _are_coarse(curves, arm):
        seen = curves.prior.seen_at[amount, :used]
    else:
        look_up(curves.prior, rows.factors, rows.curve[arm, :used], amount, seen)
    _add(curves, arm, amount, rounds, events, seen[:plain])
    if plain < used and amount > 0:
        for j in range(plain, used):
            expected[j] = seen[j] * curves.prior.means[rows.curve[arm, j]]
        log_events = curves.log_events[arm, plain:used]
        _add_found(amount, events, amount * rounds - events, expected[plain:], log_events)


@kernel
def weigh_tries(curves: CountedCurves, arm: int) -> None:
    """Compute the factors that all capped rows share from the evidence."""
    rows = curves.rows
    if curves.prior.means.size > 0:
        for u in range(rows.rounds.shape[1]):
            curves.log_tries[arm, u] = log_tries(u, rows.rounds[arm, u], rows.events[arm, u])


@kernel
def add_count(curves: CountedCurves, arm: int, amount: int, events: float) -> None:
    """Add a round's report to the sums of an arm's rows, and to the weight of its free curve."""
    rows, prior = curves.rows, curves.prior
    _add_at(curves, arm, amount, 1.0, events)
    seen, rounds = rows.events[arm, amount], rows.rounds[arm, amount]
    if prior.means.size > 0:
        curves.log_tries[arm, amount] = log_tries(amount, rounds + 1.0, seen + events)
    if prior.free[arm] == 0.0:
        return
    if prior.keep == 1.0:
        curves.log_free[arm] += log_seen(curves, seen + events, rounds + 1.0) - log_seen(curves, seen, rounds)
        return
    log_free = log_seen(curves, seen + events, rounds + 1.0)
    for u in range(rows.rounds.shape[1]):
        if u != amount and rows.rounds[arm, u] > 0.0:
            log_free += log_seen(curves, rows.events[arm, u], rows.rounds[arm, u])
    curves.log_free[arm] = log_free


@lanes
def _age(keep: float, start: float, exposure: FloatArray, log_events: FloatArray) -> None:
    for j in range(exposure.size):
        exposure[j] = start + keep * (exposure[j] - start)
        log_events[j] *= keep


@kernel
def age_counted(curves: CountedCurves, arm: int) -> None:
    """Age the evidence of an arm and the sums of its rows by one round."""
    rows, prior, used = curves.rows, curves.prior, curves.rows.used[arm]
    _age(prior.keep, prior.shape[1], curves.exposure[arm, :used], curves.log_events[arm, :used])
    for u in range(rows.rounds.shape[1]):
        rows.events[arm, u] *= prior.keep
        rows.rounds[arm, u] *= prior.keep
        rounds, events = rows.rounds[arm, u], rows.events[arm, u]
        if 0.0 < rounds < FORGOTTEN and events < FORGOTTEN:
            _add_at(curves, arm, u, -rounds, -events)
            rows.events[arm, u] = rows.rounds[arm, u] = 0.0
    weigh_tries(curves, arm)


@lanes
def _weigh(
    first: float,
    log_prior: FloatArray,
    log_events: FloatArray,
    exposure: FloatArray,
    log_weight: FloatArray,
) -> None:
    for j in range(log_weight.size):
        log_weight[j] = log_prior[j] + log_events[j] - first * lane_log(exposure[j])


@lanes
def write_weights(log_weight: FloatArray, best: float, total: SingleArray) -> None:
    """Write weights, relative to the largest."""
    for j in range(log_weight.size):
        total[j] = lane_exp(log_weight[j] - best)


@kernel
def weigh_counted(curves: CountedCurves, arm: int, first: float) -> float:
    """Compute the weights of an arm's rows and kinds from its sums, where its incidents are `first` - a.

    Returns the weight of all kinds but the free one.
    """
    rows, prior, used = curves.rows, curves.prior, curves.rows.used[arm]
    log_weight, total = curves.log_weight[arm, :used], rows.total[arm, :used]
    kinds, whole, plain = rows.by_kind.shape[1] - 1, 0.0, _uncapped(curves, arm)
    _weigh(
        first,
        curves.log_prior[arm, :plain],
        curves.log_events[arm, :plain],
        curves.exposure[arm, :plain],
        log_weight[:plain],
    )
    curves.log_unit[arm] = log_counted(prior, first)
    if plain < used:
        tries = sum_of_all(curves.log_tries[arm]) - curves.log_unit[arm]
        for j in range(plain, used):
            log_weight[j] = curves.log_prior[arm, j] + (curves.log_events[arm, j] + tries)
    best = most_likely(log_weight)
    write_weights(log_weight, best, total)
    for k in range(kinds):
        rows.by_kind[arm, k] = sum_of_range(total, rows.first[arm, k], rows.first[arm, k + 1])
        whole += rows.by_kind[arm, k]
    free = curves.log_free[arm] if prior.free[arm] > 0.0 else NEVER
    rows.by_kind[arm, kinds] = math.exp(min(free - (best + curves.log_unit[arm]), SUREST))
    return whole


@kernel
def remember_weights(curves: CountedCurves, arm: int, log_weight: FloatArray, total: SingleArray) -> None:
    """Keep the probabilities of an arm's rows when its curves are chosen, given their weights."""
    used = curves.rows.used[arm]
    unit = most_likely(log_weight[:used]) + math.log(sum_of_range(total, 0, used))
    for j in range(used):
        curves.log_before[arm, j] = log_weight[j] - unit


@lanes
def _sum_of_changes(after: FloatArray, before: FloatArray, total: SingleArray) -> float:
    """The sum of total·(after - before), in four parts."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = total.size // 4 * 4
    for j in range(0, whole, 4):
        a += total[j] * (after[j] - before[j])
        b += total[j + 1] * (after[j + 1] - before[j + 1])
        c += total[j + 2] * (after[j + 2] - before[j + 2])
        d += total[j + 3] * (after[j + 3] - before[j + 3])
    for j in range(whole, total.size):
        a += total[j] * (after[j] - before[j])
    return (a + b) + (c + d)


@kernel
def have_learnt(curves: CountedCurves, arm: int, log_weight: FloatArray, total: SingleArray) -> bool:
    """Whether reports have told much about the curve of an arm since its curves were chosen.

    What they have told is the relative entropy of the probabilities of its rows.
    """
    used = curves.rows.used[arm]
    whole = sum_of_range(total, 0, used)
    learnt = _sum_of_changes(log_weight, curves.log_before[arm], total[:used])
    return learnt / whole - most_likely(log_weight[:used]) - math.log(whole) > LEARNT


@lanes
def expected_rate(curves: CountedCurves, arm: int, row: int, shape: float) -> float:
    """The expected loss rate under a row's curve, where incidents and prior have this shape together."""
    h = curves.rows.curve[arm, row]
    return curves.prior.means[h] if is_capped(curves.prior, h) else shape / curves.exposure[arm, row]


@kernel
def is_surprising(curves: CountedCurves, arm: int, amount: int, events: float) -> bool:
    """Whether a report lies far from what the likeliest row expects of it."""
    prior, rows, best = curves.prior, curves.rows, 0
    while best < rows.used[arm] - 1 and rows.total[arm, best] < 1.0:  # weights are relative to the largest
        best += 1
    seen = curves.bench.densities.rate[:1]
    look_up(prior, rows.factors, rows.curve[arm, best : best + 1], amount, seen)
    shape = shape_given(prior, rows.events[arm])
    mean = expected_rate(curves, arm, best, shape) * seen[0]
    variance = mean * (1.0 + mean / shape)
    if is_capped(prior, rows.curve[arm, best]):  # of tries that each succeed or fail
        variance = max(mean * (1.0 - mean / max(amount, 1)), LEAST)
    return (events - mean) ** 2 > SURPRISE**2 * variance


@kernel
def weigh_evidence(curves: CountedCurves, arm: int) -> None:
    """Compute the weights of an arm after its evidence has aged without a report."""
    rows, log_free = curves.rows, 0.0
    for u in range(rows.rounds.shape[1]):
        if rows.rounds[arm, u] > 0.0:
            log_free += log_seen(curves, rows.events[arm, u], rows.rounds[arm, u])
    curves.log_free[arm] = log_free
    weigh_counted(curves, arm, shape_given(curves.prior, rows.events[arm]))
