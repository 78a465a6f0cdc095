"""Computes the rows of an arm in all situations from its evidence, as the model of all arms wants them."""

import math
from typing import Any, NamedTuple

from allotment.arrays import FloatArray, SingleArray
from allotment.compiling.decorators import generic, generic_with_default, kernel, lanes, shared
from allotment.kernels.lane_math import sum_of_products, sum_of_range
from allotment.policies.any_response.beliefs import CountedCurves, Prior, Rows, YesNoCurves
from allotment.policies.any_response.bench import Bench, Candidates, SeenAmounts
from allotment.policies.any_response.choosing import (
    NEVER,
    choose,
    choose_among,
    evidence_of,
    gather,
    log_prior,
    most_likely,
    weigh,
)
from allotment.policies.any_response.counted import have_learnt, remember_weights, write_weights
from allotment.policies.any_response.draws import add_multiple
from allotment.policies.any_response.settling import (
    add_up,
    choose_and_write,
    log_free,
    set_due,
    settle,
    write_rows,
)
from allotment.policies.any_response.situations.beliefs import (
    POOLED,
    SHARED,
    Joint,
    Situated,
    in_situation,
    situations_of,
)
from allotment.policies.any_response.situations.choosing import (
    add_likelihoods,
    begin_sums,
    choose_model,
    learn_factors,
    weigh_models,
)
from allotment.policies.any_response.tuning import DOUBTED_ROUNDS, DOUBTED_SHARE, SURE_LEAD, SUREST

SMALL, LARGE = 1e-6, 1e6  # sums of weights within this range need no other unit


class Together(NamedTuple):
    """The lines of an arm, whose curves are chosen together."""

    prior: Prior
    rows: Rows  # of the arm in all situations
    curves: Any
    bench: Bench


@weigh.register
def _weigh_together(
    curves: Together, seen: SeenAmounts, among: Candidates, arm: int, number: int, count: int
) -> None:
    """Weigh candidates by the evidence of all situations."""
    own, sums = curves.curves.joint.log_prior, curves.curves.joint.products[:number]
    begin_sums(curves.prior, among, arm, own, sums)
    for c in range(situations_of(curves.curves)):
        here = in_situation(curves.curves, c)
        weigh(here, seen, among, arm, number, gather(here.rows, arm, seen))
        add_likelihoods(among.log_weight, own, sums)
    for j in range(number):
        among.log_weight[j] = max(sums[j], NEVER)


@lanes
def _multiply(numbers: FloatArray, total: SingleArray, products: FloatArray) -> None:
    for j in range(products.size):
        products[j] = numbers[j] * total[j]


@lanes
def _write_products(numbers: FloatArray, last: SingleArray, scale: float, total: SingleArray) -> None:
    for j in range(total.size):
        total[j] = numbers[j] * last[j] * scale


@generic
def join(lines: Any, joint: Joint, arm: int) -> None:
    """Multiply the weights of an arm's curves over situations, of which `lines` has all; SHARED."""
    raise NotImplementedError


@join.register
def _join_counted(lines: CountedCurves, joint: Joint, arm: int) -> None:
    """Add up logarithms: a curve that is likely in all situations together may be unlikely in each."""
    rows, arms, kinds = lines.rows, joint.total.shape[0], joint.by_kind.shape[1] - 1
    situations, used = rows.used.size // arms, rows.used[arm]
    log_weight, own = joint.products[:used], lines.log_prior[arm, :used]
    for j in range(used):
        log_weight[j] = (1 - situations) * own[j]
    log_free = 0.0
    for line in range(arm, rows.used.size, arms):
        add_multiple(1.0, lines.log_weight[line, :used], log_weight)
        log_free += lines.log_free[line] - lines.log_unit[line]
    best = most_likely(log_weight)
    write_weights(log_weight, best, joint.total[arm, :used])
    for k in range(kinds):
        joint.by_kind[arm, k] = sum_of_range(joint.total[arm], rows.first[arm, k], rows.first[arm, k + 1])
    joint.by_kind[arm, kinds] = math.exp(min(max(log_free, NEVER) - best, SUREST))
    may_divide = lines.prior.keep == 1.0  # where evidence ages, coarse curves must do
    if may_divide and have_learnt(lines, arm, log_weight, joint.total[arm]):
        for line in range(arm, rows.used.size, arms):
            rows.due[line] = 0.0


@generic_with_default
def remember_joint(lines: Any, joint: Joint, arm: int) -> None:
    """Keep the probabilities of curves in all situations together, for counts."""


@remember_joint.register
def _remember_counted(lines: CountedCurves, joint: Joint, arm: int) -> None:
    remember_weights(lines, arm, joint.products, joint.total[arm])


@join.register
@lanes
def _join_yes_no(lines: YesNoCurves, joint: Joint, arm: int) -> None:
    """Multiply in the unit of the last time, so that no sum need be known beforehand."""
    rows = lines.rows
    arms, kinds, used = joint.total.shape[0], joint.by_kind.shape[1] - 1, rows.used[arm]
    products, total, situations = joint.products[:used], joint.total[arm, :used], rows.used.size // arms
    last = rows.total[(situations - 1) * arms + arm, :used]
    free, scale, whole = 1.0, joint.scale[arm], 0.0
    for c in range(situations):
        free *= min(rows.by_kind[c * arms + arm, kinds], joint.surest)
        if c < situations - 1:
            so_far = products if c > 0 else joint.spare[arm, :used]
            _multiply(so_far, rows.total[c * arms + arm, :used], products)
    for _ in range(2):
        _write_products(products, last, scale, total)
        joint.by_kind[arm, kinds] = whole = free * scale
        for k in range(kinds):
            joint.by_kind[arm, k] = sum_of_range(total, rows.first[arm, k], rows.first[arm, k + 1])
            whole += joint.by_kind[arm, k]
        if SMALL < whole < LARGE:
            break
        everything = sum_of_products(products, last) + free
        scale = joint.scale[arm] = 1.0 / everything if everything > 0.0 else 1.0


@kernel
def _choose_together(curves: Situated, arm: int, weighed: bool) -> int:
    """Choose the curves that an arm has in all situations; `weighed`: its coarse curves were just weighed."""
    prior, bench = curves.lines.prior, curves.lines.bench
    among, together = bench.candidates, Together(prior, curves.pooled.rows, curves, bench)
    if not weighed:
        return choose(together, bench.seen, among, bench.division, arm, 0)
    log_coarse = curves.joint.log_coarse[arm]
    for h in range(log_coarse.size):
        among.curve[h], among.log_weight[h] = h, max(log_coarse[h], NEVER)
    return choose_among(together, bench.seen, among, bench.division, arm, 0)


@kernel
def _settle_together(curves: Situated, arm: int, weighed: bool) -> None:
    """Compute the rows of an arm's lines, with the same curves in all situations."""
    prior, bench, kept = curves.lines.prior, curves.lines.bench, curves.joint.kept
    among, used = bench.candidates, _choose_together(curves, arm, weighed)
    for j in range(used):
        kept[j] = among.curve[j]
        own = log_prior(prior, arm, kept[j])
        curves.joint.spare[arm, j] = math.exp((1 - situations_of(curves)) * own) if own > NEVER else 0.0
    for c in range(situations_of(curves)):
        here = in_situation(curves, c)
        for j in range(used):
            among.curve[j] = kept[j]
        count = gather(here.rows, arm, bench.seen)
        weigh(here, bench.seen, among, arm, used, count)
        best = write_rows(here, arm, used, count)
        add_up(here, arm, best, log_free(here, arm))
        set_due(here, arm)
    join(curves.lines, curves.joint, arm)
    remember_joint(curves.lines, curves.joint, arm)


@kernel
def settle_arm(curves: Situated, arm: int, weighed: bool) -> None:
    """Compute the rows of an arm, in all situations; `weighed` if its coarse curves were just weighed."""
    if curves.model[0] == POOLED:
        whole, free = curves.pooled, 0.0
        best = choose_and_write(whole, arm)
        for c in range(situations_of(curves)):
            free += log_free(in_situation(curves, c), arm)
        add_up(whole, arm, best, free)
        set_due(whole, arm)
    elif curves.model[0] == SHARED:
        _settle_together(curves, arm, weighed)
    else:
        for c in range(situations_of(curves)):
            settle(in_situation(curves, c), arm)


@shared
def consider(curves: Situated) -> None:
    """Choose the model of all arms by their evidence, and compute the rows of those that are due.

    If another model is chosen, or other factors, all are due. While models are in doubt, arms are looked at
    more often.
    """
    before, due, look = curves.model[0], curves.due, curves.look
    anew = learn_factors(curves)
    for arm in range(due.size):
        if due[arm] or look[arm] <= 0.0:
            weigh_models(curves, arm)
    lead = choose_model(curves)
    for arm in range(due.size):
        weighed = due[arm] or look[arm] <= 0.0
        if weighed:
            doubted = max(DOUBTED_ROUNDS, DOUBTED_SHARE * evidence_of(curves.pooled.rows, arm))
            look[arm] = doubted if lead < SURE_LEAD else math.inf
        if due[arm] or anew or curves.model[0] != before:
            settle_arm(curves, arm, weighed)
        due[arm] = False
