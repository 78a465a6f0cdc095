"""Computes the rows of an arm in all situations from its evidence, as the model of all arms wants them."""

import math
from typing import Any, NamedTuple

from allotment.compiling.decorators import kernel
from allotment.policies.any_response.beliefs import Prior, Rows
from allotment.policies.any_response.bench import Bench, Candidates, SeenAmounts
from allotment.policies.any_response.choosing import NEVER, choose, gather, rounds_of, weigh
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
    Situated,
    in_situation,
    situations_of,
)
from allotment.policies.any_response.situations.choosing import (
    choose_model,
    learn_factors,
    log_prior,
    weigh_models,
)
from allotment.policies.any_response.tuning import DOUBTED_ROUNDS, DOUBTED_SHARE, SURE_LEAD, SUREST


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
    prior, sums = curves.prior, curves.curves.joint.products
    for j in range(number):
        sums[j] = log_prior(prior, arm, among.curve[j])
    for c in range(situations_of(curves.curves)):
        here = in_situation(curves.curves, c)
        weigh(here, seen, among, arm, number, gather(here.rows, arm, seen))
        for j in range(number):
            own = log_prior(prior, arm, among.curve[j])
            sums[j] += among.log_weight[j] - own if own > NEVER else 0.0
    for j in range(number):
        among.log_weight[j] = max(sums[j], NEVER)


@kernel
def join(curves: Situated, arm: int) -> None:
    """Multiply the weights of an arm's curves over situations; SHARED."""
    joint, prior, first = curves.joint, curves.lines.prior, in_situation(curves, 0).rows
    products, situations, kinds = joint.products, situations_of(curves), joint.by_kind.shape[1] - 1
    free, largest, used = 1.0, 0.0, first.used[arm]
    for j in range(used):
        products[j] = math.exp((1 - situations) * log_prior(prior, arm, first.curve[arm, j]))
    for c in range(situations):
        rows = in_situation(curves, c).rows
        free *= min(rows.by_kind[arm, kinds], math.exp(SUREST / situations))
        for j in range(used):
            products[j] *= rows.total[arm, j]
    for j in range(used):
        largest = max(largest, products[j])
    largest = max(largest, free)
    scale = 1.0 / largest if largest > 0.0 else 0.0
    for k in range(kinds):
        joint.by_kind[arm, k] = 0.0
        for j in range(first.first[arm, k], first.first[arm, k + 1]):
            joint.total[arm, j] = products[j] * scale
            joint.by_kind[arm, k] += joint.total[arm, j]
    joint.by_kind[arm, kinds] = free * scale


@kernel
def _settle_together(curves: Situated, arm: int) -> None:
    """Compute the rows of an arm's lines, with the same curves in all situations."""
    prior, bench, kept = curves.lines.prior, curves.lines.bench, curves.joint.kept
    among = bench.candidates
    together = Together(prior, curves.pooled.rows, curves, bench)
    used = choose(together, bench.seen, among, bench.division, arm, 0)
    for j in range(used):
        kept[j] = among.curve[j]
    for c in range(situations_of(curves)):
        here = in_situation(curves, c)
        for j in range(used):
            among.curve[j] = kept[j]
        count = gather(here.rows, arm, bench.seen)
        weigh(here, bench.seen, among, arm, used, count)
        best = write_rows(here, arm, used, count)
        add_up(here.rows, prior, arm, math.exp(min(log_free(here, arm) - best, SUREST)))
        set_due(here.rows, prior, arm)
    join(curves, arm)


@kernel
def settle_arm(curves: Situated, arm: int) -> None:
    """Compute the rows of an arm, in all situations."""
    if curves.model[0] == POOLED:
        whole, free = curves.pooled, 0.0
        best = choose_and_write(whole, arm)
        for c in range(situations_of(curves)):
            free += log_free(in_situation(curves, c), arm)
        add_up(whole.rows, whole.prior, arm, math.exp(min(max(free, NEVER) - best, SUREST)))
        set_due(whole.rows, whole.prior, arm)
    elif curves.model[0] == SHARED:
        _settle_together(curves, arm)
    else:
        for c in range(situations_of(curves)):
            settle(in_situation(curves, c), arm)


@kernel
def _be_due(rows: Rows, arm: int, soon: float) -> None:
    rows.due[arm] = min(rows.due[arm], math.ceil(soon))


@kernel
def _settle_again(curves: Situated, arm: int, lead: float) -> None:
    """Compute the rows of an arm. While models are hard to tell apart, it is due again soon."""
    settle_arm(curves, arm)
    if lead < SURE_LEAD:
        situations = situations_of(curves)
        soon = max(DOUBTED_ROUNDS, DOUBTED_SHARE * rounds_of(curves.pooled.rows, arm))
        _be_due(curves.pooled.rows, arm, soon)
        for c in range(situations):
            _be_due(in_situation(curves, c).rows, arm, soon / situations)


@kernel
def consider(curves: Situated) -> None:
    """Choose the model of all arms by their evidence, and compute the rows of those that are due.

    If another model is chosen, all are due.
    """
    before, due = curves.model[0], curves.due
    learn_factors(curves)
    for arm in range(due.size):
        if due[arm]:
            weigh_models(curves, arm)
    lead = choose_model(curves)
    for arm in range(due.size):
        if due[arm] or curves.model[0] != before:
            _settle_again(curves, arm, lead)
        due[arm] = False
