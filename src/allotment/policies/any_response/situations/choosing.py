"""Which model the evidence chooses, and the factors of situations."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel, lanes
from allotment.kernels.lane_math import lane_exp, log_gamma, sum_of_products
from allotment.policies.any_response.beliefs import CountedCurves, Prior, YesNoCurves
from allotment.policies.any_response.bench import Candidates
from allotment.policies.any_response.choosing import (
    HALF_LOG_TWO_PI,
    NEVER,
    gather,
    log_prior,
    shape_given,
    weigh,
)
from allotment.policies.any_response.draws import add_multiple
from allotment.policies.any_response.settling import log_free
from allotment.policies.any_response.situations.beliefs import (
    POOLED,
    SEPARATE,
    SHARED,
    Cases,
    Situated,
    in_situation,
    situations_of,
)
from allotment.policies.any_response.stairs import has_stairs
from allotment.policies.any_response.tuning import (
    FACTOR_EVENTS,
    FACTOR_OFF,
    FACTOR_STEPS,
    KIND_STEPS,
    KNOWN_EVENTS,
    LATER_KIND_STEPS,
    SURE_LEAD,
)


@kernel
def learn_factors(curves: Situated) -> bool:
    """Estimate how loss rates differ between situations: γ_c, the same for all arms, the largest being 1.

    Compares rounds of the same arm at the same amount, so that nothing need be known about curves. Given the
    rates λ of arms at amounts, γ_c = Σ events / Σ λ·rounds; given these, λ = Σ events / Σ γ_c·rounds.

    Rows of POOLED hold for the factors that they were computed with, so these stay until they are off by a
    part of their standard deviation. Returns whether those that are not due are to be computed, too.
    """
    rows, sums, factors = curves.pooled.rows, curves.sums, curves.sums[2]
    situations = factors.size
    amounts = rows.rounds.shape[1] // situations
    for c in range(situations):
        factors[c] = 1.0
    for _ in range(FACTOR_STEPS):
        for c in range(situations):
            sums[0, c] = sums[1, c] = FACTOR_EVENTS
        for arm in range(rows.rounds.shape[0]):
            for u in range(amounts):
                events, exposure = 0.0, 0.0
                for c in range(situations):
                    events += rows.events[arm, c * amounts + u]
                    exposure += factors[c] * rows.rounds[arm, c * amounts + u]
                if events > 0.0:
                    for c in range(situations):
                        sums[0, c] += rows.events[arm, c * amounts + u]
                        sums[1, c] += events / exposure * rows.rounds[arm, c * amounts + u]
        for c in range(situations):
            factors[c] = sums[0, c] / sums[1, c]
    largest = 0.0
    for c in range(situations):
        largest = max(largest, factors[c])
    off, waits = False, False
    for c in range(situations):
        factors[c] /= largest
        moved = math.log(factors[c] / rows.factors[c])
        off = off or moved**2 * sums[0, c] > FACTOR_OFF**2
    for arm in range(curves.due.size):
        waits = waits or not curves.due[arm]
    waits = waits and curves.model[0] == POOLED
    if off or not waits:
        for c in range(situations):
            rows.factors[c] = factors[c]
    return off and waits


@generic
def _missing_area(curves: Any, first: float) -> float:
    """What the logarithm of a first weight lacks."""
    raise NotImplementedError


@_missing_area.register
def _missing_yes_no(curves: YesNoCurves, first: float) -> float:
    """What Stirling's formula lacks: for small rates, the integral is a Gamma function of `first`."""
    return log_gamma(first) - (first - 0.5) * math.log(first) + first - HALF_LOG_TWO_PI


@_missing_area.register
def _missing_counted(curves: CountedCurves, first: float) -> float:
    return 0.0


@lanes
def _raise_to_powers(logs: FloatArray, unit: float) -> None:
    for h in range(logs.size):
        logs[h] = lane_exp(logs[h] - unit)


@kernel
def _write_case(prior: Prior, cases: Cases, case: int, log_weight: FloatArray, free: float) -> None:
    """Add up the weights of curves by kind; their logarithms become weights."""
    by_kind, best = cases.by_kind[case], free
    for h in range(log_weight.size):
        best = max(best, log_weight[h])
    for k in range(by_kind.size):
        by_kind[k] = 0.0
    _raise_to_powers(log_weight, best)
    for h in range(log_weight.size):
        by_kind[prior.kinds[h]] += log_weight[h]
    by_kind[by_kind.size - 1] = math.exp(max(free - best, NEVER))
    cases.log_unit[case] = best


@kernel
def _write_nothing(cases: Cases, case: int) -> None:
    """Write a case without evidence."""
    for k in range(cases.by_kind.shape[1]):
        cases.by_kind[case, k] = 1.0
    cases.log_unit[case] = 0.0


@kernel
def begin_sums(prior: Prior, among: Candidates, arm: int, own: FloatArray, sums: FloatArray) -> None:
    """Write the log of the prior of the first candidates, and begin the sums of their logs with it."""
    for j in range(sums.size):
        own[j] = sums[j] = log_prior(prior, arm, among.curve[j])


@lanes
def add_likelihoods(log_weight: FloatArray, own: FloatArray, sums: FloatArray) -> None:
    """Add the log-likelihoods of the first candidates, which are their weights without the prior."""
    for j in range(sums.size):
        sums[j] += log_weight[j] - own[j] if own[j] > NEVER else 0.0


@kernel
def weigh_models(curves: Situated, arm: int) -> None:
    """Write the evidence of an arm for each model, by coarse curves, and the weights of these."""
    prior, pooled, sums, cases = curves.lines.prior, curves.pooled, curves.joint.products, curves.cases
    bench, number, arms, free = curves.lines.bench, curves.lines.prior.weights.shape[1], curves.due.size, 0.0
    own, log_coarse, all_missing = curves.joint.log_prior, curves.joint.log_coarse[arm], 0.0
    for h in range(number):
        bench.candidates.curve[h] = pooled.bench.candidates.curve[h] = h
    begin_sums(prior, bench.candidates, arm, own, log_coarse)
    for c in range(situations_of(curves)):
        here, case = in_situation(curves, c), (SEPARATE + c) * arms + arm
        had_stairs = has_stairs(here.rows, arm)
        free_here, count = log_free(here, arm), gather(here.rows, arm, bench.seen)
        if has_stairs(here.rows, arm) != had_stairs:
            curves.due[arm] = True  # its rows weigh the free curve without stairs
        free += free_here
        if count > 0:
            weigh(here, bench.seen, bench.candidates, arm, number, count)
            add_likelihoods(bench.candidates.log_weight, own, log_coarse)
            missing = _missing_area(here, shape_given(prior, bench.seen.events[:count]))
            all_missing += missing
            for h in range(number):
                bench.candidates.log_weight[h] += missing
            _write_case(prior, cases, case, bench.candidates.log_weight[:number], free_here)
        else:
            _write_nothing(cases, case)
    seen, among = pooled.bench.seen, pooled.bench.candidates
    count = gather(pooled.rows, arm, seen)
    if count > 0:
        weigh(pooled, seen, among, arm, number, count)
        missing = _missing_area(pooled, shape_given(prior, seen.events[:count]))
        for h in range(number):
            among.log_weight[h] += missing
            sums[h] = log_coarse[h] + all_missing
        free = max(free, NEVER)
        _write_case(prior, cases, POOLED * arms + arm, among.log_weight[:number], free)
        _write_case(prior, cases, SHARED * arms + arm, sums[:number], free)
    else:
        _write_nothing(cases, POOLED * arms + arm)
        _write_nothing(cases, SHARED * arms + arm)


@kernel
def _log_evidence(curves: Situated, model: int, first: int, end: int) -> float:
    """The evidence of a model's cases, given the shares of kinds that they teach.

    The first time takes many steps towards these shares, every later time a few (as `share_kinds`).
    """
    prior, cases, likeness = curves.lines.prior, curves.cases, curves.likeness
    shares, sums, log_evidence = cases.shares[model], cases.sums, 0.0
    steps = LATER_KIND_STEPS if cases.steps[model] > 0 else KIND_STEPS
    cases.steps[model] += steps
    for step in range(steps + 1):
        log_evidence = 0.0
        for k in range(shares.size):
            sums[k] = 0.0
        for case in range(first, end):
            by_kind = cases.by_kind[case]
            total = sum_of_products(shares, by_kind)
            if step == steps:
                log_evidence += cases.log_unit[case] + math.log(total)
            else:
                add_multiple(1.0 / total, by_kind, sums)
        if step == steps or not likeness < math.inf:
            continue
        for k in range(shares.size):
            shares[k] = (likeness * prior.by_kind[k] + shares[k] * sums[k]) / (likeness + (end - first))
    return log_evidence


@kernel
def _are_known(curves: Situated) -> bool:
    """Whether every situation has shown events enough to know its factor."""
    fewest = math.inf
    for c in range(situations_of(curves)):
        fewest = min(fewest, curves.sums[1, c])
    return fewest >= KNOWN_EVENTS


@kernel
def choose_model(curves: Situated) -> float:
    """Choose the model with the most evidence of all arms together; return its lead over the second.

    POOLED must be sure to be right: to learn rates apart for some time costs little, to take different ones
    for the same costs much.
    """
    arms, best, most, second = curves.due.size, SHARED, -math.inf, -math.inf
    for model in range(SEPARATE + 1):
        many = situations_of(curves) if model == SEPARATE else 1
        found = _log_evidence(curves, model, model * arms, (model + many) * arms)
        if model == POOLED:
            found = found - SURE_LEAD if _are_known(curves) else -math.inf
        if found > most:
            best, most, second = model, found, most
        else:
            second = max(second, found)
    curves.model[0] = best
    return most - second
