"""The rounds of a campaign as the checks take them: what was granted and reported, by place."""

import numpy as np

from allotment.arrays import BoolArray
from allotment.campaign.answers.checks.finding import FEWEST_DAYS
from allotment.campaign.answers.checks.simulated import Course
from allotment.campaign.forms.amounts import units_within
from allotment.campaign.history.ledger import SeenRows, all_rows, rows_of, tallied
from allotment.campaign.history.plan_records import PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.deciding import decision
from allotment.campaign.planning.limits.plan_bounds import bounds_of, widest
from allotment.simulation.known_curves import Rounds

# How far back the checks look; the newest FEWEST_DAYS days with reports always count.
MOST_ROUNDS = 1000  # more would take minutes
HALF_LIVES = 2  # before the last report; where reports age, older rounds hardly count


def course_of(state: State) -> Course | None:
    """The newest rounds with reports, and the evidence from elsewhere; None if there is no such round.

    Retired places are left out, and so are rounds without a report of an active place. A place that was not
    in a plan counts as a place without a report. A report that an import corrected counts as evidence from
    elsewhere.
    """
    settings = state.settings
    arms = settings.active
    position = np.full(len(settings.arms), -1)
    position[list(arms)] = np.arange(len(arms))
    newest = _newest(state, position >= 0)
    if not newest:
        return None
    plans = [plan for plan, _ in newest]
    in_units = [min(units_within(each, settings.unit), settings.steps) for each in state.amounts.values]
    as_units = np.array(in_units or [0], np.int64)
    units, losses = np.zeros((len(plans), len(arms)), np.int64), np.full((len(plans), len(arms)), np.nan)
    for t, (_, rows) in enumerate(newest):
        units[t, position[rows.arm]] = as_units[rows.amount]
        losses[t, position[rows.arm]] = rows.losses
    chosen = {plan.number for plan in plans}
    rest = all_rows([plan for plan in state.plans if plan.number not in chosen], state.imports)
    half_life = settings.half_life
    before = tallied(rest, state.amounts, half_life, plans[0].date)
    aged = None if half_life is None else state.tallies(half_life, plans[-1].date)
    return Course(
        settings,
        widest([bounds_of(settings.within(number)) for number in settings.situations.numbers]),
        np.array([plan.day for plan in plans]),
        Rounds(np.array([plan.situation for plan in plans]), units, losses),
        decision.model_evidence(settings, before, arms),
        None if aged is None else decision.model_evidence(settings, aged, arms),
    )


def _newest(state: State, active: BoolArray) -> list[tuple[PlanRecord, SeenRows]]:
    """The newest plans with reports of active places, and these reports, in the order of dates."""
    half_life = state.settings.half_life
    told = [plan for plan in state.plans if not plan.cancelled and plan.missing < plan.arms.size]
    found, days, oldest = list[tuple[PlanRecord, SeenRows]](), set[int](), 0.0
    for plan in sorted(told, key=lambda plan: (plan.day, plan.number), reverse=True):
        is_enough = len(days) >= FEWEST_DAYS and plan.day not in days
        if is_enough and (len(found) >= MOST_ROUNDS or plan.day < oldest):
            break
        rows = rows_of(plan, state.imports)
        rows = rows.where(active[rows.arm])
        if not len(rows):
            continue
        if not found and half_life is not None:
            oldest = plan.day - HALF_LIVES * float(half_life)
        found.append((plan, rows))
        days.add(plan.day)
    return found[::-1]
