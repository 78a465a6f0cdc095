"""The rule of AnyResponse in several situations, and what a round teaches."""

import math
from typing import Any, NamedTuple

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes, shared
from allotment.compiling.vector_width import prefer_short_vectors
from allotment.kernels.lane_math import sum_of_all
from allotment.kernels.protocol import (
    UNPROVED,
    are_weights,
    ask,
    ask_in_python_seconds,
    enter,
    is_sound,
    report,
    tell,
)
from allotment.oracles.protocol import unproved
from allotment.policies.any_response.choosing import evidence_in
from allotment.policies.any_response.rule import CurveState, decide, seen_events, seen_rounds
from allotment.policies.any_response.situations.beliefs import (
    POOLED,
    SHARED,
    Situated,
    in_situation,
    situations_of,
)
from allotment.policies.any_response.situations.now import CurvesNow, curves_now
from allotment.policies.any_response.situations.settling import consider, join
from allotment.policies.any_response.stairs import has_stairs, learn_stairs
from allotment.policies.any_response.summaries import summing_seconds
from allotment.policies.any_response.updates import age, weigh_aged, weigh_report


class SituatedState(NamedTuple):
    """The beliefs in all situations, and the rule without beliefs."""

    beliefs: Situated
    rule: CurveState

    @property
    def values(self) -> FloatArray:
        """Arms x amounts: the prevented cost of each number of units, as drawn."""
        return self.rule.values

    @property
    def likeness(self) -> float:
        """How many arms the prior of the kinds counts as."""
        return self.rule.likeness


def situated_state(state: CurveState) -> SituatedState:
    """Make the state of a learner in several situations, from one with their beliefs."""
    return SituatedState(state.beliefs, state._replace(beliefs=()))


@seen_events.register
def _seen_events_now(curves: CurvesNow, arm: int) -> float:
    return sum_of_all(curves.all_events[arm])


@seen_rounds.register
def _seen_rounds_now(curves: CurvesNow, arm: int) -> float:
    return sum_of_all(curves.all_rounds[arm])


@enter.register
def _enter(state: SituatedState, situation: int) -> None:
    state.beliefs.now[0] = situation


@ask.register
def _ask(state: SituatedState, rng: Any, allocation: FloatArray) -> None:
    rule = state.rule
    decide(
        CurveState(
            curves_now(state.beliefs),
            rule.sketch,
            rule.oracle,
            rule.draws,
            rule.scarce,
            rule.opening,
            rule.curiosity,
            rule.left_alone,
            rule.side,
            rule.finds,
            rule.likeness,
            rule.slack,
            rule.severities,
            rule.values,
            rule.reach,
            rule.units,
            rule.drawn,
        ),
        allocation,
    )


@ask_in_python_seconds.register
def _ask_in_python_seconds(state: SituatedState) -> float:
    curves = state.beliefs
    if curves.model[0] == POOLED:
        return summing_seconds(curves.pooled)
    return summing_seconds(curves.lines) / curves.pooled.rows.factors.size


@lanes
def _weigh_here(curves: Situated, here: Any, arm: int, amount: int, events: float) -> bool:
    """Multiply in a report in the situation at hand; return whether the rows of the arm are due."""
    whole, model = curves.pooled, curves.model[0]
    due = whole.rows.due if model == POOLED else here.rows.due
    evidence = evidence_in(here.prior, events)
    due[arm] -= evidence
    curves.look[arm] -= evidence
    if due[arm] > 0.0:
        log_likelier = 0.0
        if has_stairs(here.rows, arm):
            log_likelier = learn_stairs(here, arm, amount, events)
        if model == POOLED:
            among_all = curves.now[0] * here.rows.rounds.shape[1] + amount
            weigh_report(whole, arm, among_all, events, log_likelier, by_kind=True)
        else:
            weigh_report(here, arm, amount, events, log_likelier, by_kind=model != SHARED)  # `join` has them
            if model == SHARED and due[arm] > 0.0:
                join(curves.lines, curves.joint, arm)
    return due[arm] <= 0.0


@kernel
def _age_all(curves: Situated, arm: int) -> None:
    """Age the evidence of an arm by one round, in all situations."""
    age(curves.pooled, arm)
    for c in range(situations_of(curves)):
        here = in_situation(curves, c)
        age(here, arm)
        if curves.model[0] != POOLED:
            weigh_aged(here, arm)


@tell.register
@shared
def _tell(state: SituatedState, allocation: FloatArray, losses: FloatArray) -> None:
    prefer_short_vectors()
    curves, slack = state.beliefs, state.rule.slack
    situation, keep = curves.now[0], curves.lines.prior.keep
    lines = in_situation(curves, situation)
    here, whole = lines.rows, curves.pooled.rows
    amounts = here.rounds.shape[1]
    units, any_due = amounts - 1, False
    for arm in range(losses.size):
        if losses[arm] == losses[arm]:
            if keep < 1.0:
                _age_all(curves, arm)
            amount = min(math.floor((allocation[arm] + slack) * units), units)
            whole.granted[0] += amount
            curves.due[arm] = _weigh_here(curves, lines, arm, amount, losses[arm])
            any_due = any_due or curves.due[arm] or curves.look[arm] <= 0.0
            here.events[arm, amount] += losses[arm]
            here.rounds[arm, amount] += 1.0
            whole.events[arm, situation * amounts + amount] += losses[arm]
            whole.rounds[arm, situation * amounts + amount] += 1.0
    if any_due:
        consider(curves)


@is_sound.register
def _is_sound(state: SituatedState) -> bool:
    return are_weights(curves_now(state.beliefs).rows.by_kind)


@report.register
def _report(state: SituatedState, counts: FloatArray, thresholds: FloatArray) -> None:
    counts[UNPROVED] = unproved(state.rule.oracle)
