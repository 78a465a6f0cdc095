"""Which model the evidence chooses, and the factors of situations."""

import math
from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic, kernel
from allotment.policies.any_response.beliefs import CountedCurves, Prior, YesNoCurves
from allotment.policies.any_response.bench import Candidates
from allotment.policies.any_response.choosing import NEVER, gather, shape_given, weigh
from allotment.policies.any_response.settling import log_free
from allotment.policies.any_response.situations.beliefs import (
    POOLED,
    SEPARATE,
    SHARED,
    Situated,
    in_situation,
    situations_of,
)
from allotment.policies.any_response.tuning import FACTOR_EVENTS, FACTOR_STEPS


@kernel
def learn_factors(curves: Situated) -> None:
    """Estimate how loss rates differ between situations: γ_c, the same for all arms, the largest being 1.

    Compares rounds of the same arm at the same amount, so that nothing need be known about curves. Given the
    rates λ of arms at amounts, γ_c = Σ events / Σ λ·rounds; given these, λ = Σ events / Σ γ_c·rounds.
    """
    rows, factors, sums = curves.pooled.rows, curves.pooled.rows.factors, curves.sums
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
    for c in range(situations):
        factors[c] /= largest


@generic
def _missing_area(curves: Any, first: float) -> float:
    """What the logarithm of a first weight lacks."""
    raise NotImplementedError


@_missing_area.register
def _missing_yes_no(curves: YesNoCurves, first: float) -> float:
    """The first terms of Stirling's series: for small rates, the integral is a Gamma function of `first`."""
    return 1.0 / (12.0 * first) - 1.0 / (360.0 * first * first * first)


@_missing_area.register
def _missing_counted(curves: CountedCurves, first: float) -> float:
    return 0.0


@kernel
def _log_mixed(prior: Prior, log_weight: FloatArray, free: float) -> float:
    """The log of the marginal likelihood of an arm, over all kinds of curves."""
    best, total = free, 0.0
    for h in range(log_weight.size):
        best = max(best, log_weight[h])
    for h in range(log_weight.size):
        total += prior.by_kind[prior.kinds[h]] * math.exp(max(log_weight[h] - best, NEVER))
    total += prior.by_kind[prior.by_kind.size - 1] * math.exp(max(free - best, NEVER))
    return best + math.log(total)


@kernel
def log_prior(prior: Prior, arm: int, h: int) -> float:
    """The log of the prior of a curve within its kind."""
    weight = prior.weights[arm, prior.levels.coarse[h]] * prior.levels.part[h]
    return math.log(weight) if weight > 0.0 else NEVER


@kernel
def _add_weights(
    prior: Prior, among: Candidates, arm: int, number: int, missing: float, sums: FloatArray
) -> None:
    """Add the log-likelihoods of curves to their sums."""
    for h in range(number):
        among.log_weight[h] += missing
        sums[h] += among.log_weight[h] - log_prior(prior, arm, among.curve[h])


@kernel
def weigh_models(curves: Situated, arm: int) -> float:
    """Write the evidence of an arm for each model, by coarse curves; return the log of the free curve."""
    prior, pooled, sums = curves.lines.prior, curves.pooled, curves.joint.products
    bench, number, free, separate = curves.lines.bench, curves.lines.prior.weights.shape[1], 0.0, 0.0
    for h in range(number):
        bench.candidates.curve[h] = pooled.bench.candidates.curve[h] = h
        sums[h] = log_prior(prior, arm, h)
    for c in range(situations_of(curves)):
        here = in_situation(curves, c)
        free_here, count = log_free(here, arm), gather(here.rows, arm, bench.seen)
        free += free_here
        if count > 0:
            weigh(here, bench.seen, bench.candidates, arm, number, count)
            missing = _missing_area(here, shape_given(prior, bench.seen.events[:count]))
            _add_weights(prior, bench.candidates, arm, number, missing, sums)
            separate += _log_mixed(prior, bench.candidates.log_weight[:number], free_here)
    free = max(free, NEVER)
    curves.log_evidence[SEPARATE, arm] = separate
    curves.log_evidence[SHARED, arm] = _log_mixed(prior, sums[:number], free)
    seen, among = pooled.bench.seen, pooled.bench.candidates
    count = gather(pooled.rows, arm, seen)
    if count > 0:
        weigh(pooled, seen, among, arm, number, count)
        missing = _missing_area(pooled, shape_given(prior, seen.events[:count]))
        for h in range(number):
            among.log_weight[h] += missing
        curves.log_evidence[POOLED, arm] = _log_mixed(prior, among.log_weight[:number], free)
    else:
        curves.log_evidence[POOLED, arm] = curves.log_evidence[SHARED, arm] = 0.0
    return free


@kernel
def choose_model(curves: Situated) -> float:
    """Choose the model with the most evidence of all arms together; return its lead over the second."""
    best, most, second = POOLED, -math.inf, -math.inf
    for model in range(curves.log_evidence.shape[0]):
        total = 0.0
        for arm in range(curves.log_evidence.shape[1]):
            total += curves.log_evidence[model, arm]
        if total > most:
            best, most, second = model, total, most
        else:
            second = max(second, total)
    curves.model[0] = best
    return most - second
