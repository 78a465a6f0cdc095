"""Control rounds: the lot that decides whether a plan is the comparison plan, and that plan itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import written
from allotment.campaign.history.events import Event
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.plan_records import PlanRecord
from allotment.campaign.history.state import State
from allotment.campaign.planning.compared_rounds import first_limits
from allotment.campaign.planning.expectations import Expectations
from allotment.campaign.planning.plain_rules import losses_seen
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.campaign.settings.control import EQUAL, HOT_SPOTS, plan_in, plan_in_words, plan_said
from allotment.campaign.settings.settings import Settings
from allotment.evidence import Evidence

DRAW, TIES = 2, 3  # roles of streams; policies and worlds have the roles 0 and 1
NEARLY_EQUAL = 1e-6  # squared units: plans whose distances differ by less are ties
FIXED = ("id", "first", "share", "drawn", "plan", "expected_plan", "expected_comparison", "below", "above")


@dataclass(frozen=True)
class Lot:
    """What was drawn for a date and situation, and what an earlier plan has fixed.

    `fixed` is the control part of the first plan of this date and situation, None if there is no such plan
    yet. The first plan of a comparison fixes its `limits`.
    """

    id: str
    share: Decimal
    drawn: bool
    plan: str | Mapping[int, Decimal]
    fixed: Mapping[str, Any] | None = None
    limits: tuple[float, float] | None = None


def lot_of(state: State, event_of: Callable[[int], Event], day: date, situation: int) -> Lot | None:
    """Draw the lot of a date and situation; None if they have no control rounds.

    The first plan of a date and situation fixes the lot. So cancelling the plan or asking again changes
    nothing, and a date that was planned before control rounds began has none. A calendar that reads a plan as
    one of another situation takes its lot along, unless that situation has a lot of its own.
    """
    settings = state.settings

    def control_part(plan: PlanRecord) -> Mapping[str, Any] | None:
        return event_of(plan.asked).plan.control

    plans = [plan for plan in state.plans if plan.day == day.toordinal()]
    made_for = [plan for plan in plans if plan.recorded == situation]
    read_as = [plan for plan in plans if plan.situation == situation]
    for plan in made_for or read_as:
        fixed = control_part(plan)
        return None if fixed is None else _drawn_before(fixed, settings)
    control = settings.control
    if control is None:
        return None
    stream = _stream(int(control.seed, 16), day, situation, DRAW)
    drawn = bool(stream.random() < float(control.share))
    parts = (control_part(plan) for plan in reversed(state.plans))
    same = next((each for each in parts if each is not None and each["id"] == control.id), None)
    limits = None if same is None else (same["below"], same["above"])
    return Lot(control.id, control.share, drawn, control.plan, limits=limits)


def _drawn_before(fixed: Mapping[str, Any], settings: Settings) -> Lot:
    plan = plan_in(fixed["plan"], settings.aliases)
    return Lot(fixed["id"], Decimal(fixed["share"]), fixed["drawn"], plan, fixed)


def _stream(seed: int, day: date, situation: int, role: int) -> np.random.Generator:
    key = np.random.SeedSequence(seed, spawn_key=(day.toordinal(), situation, role))
    return np.random.Generator(np.random.PCG64(key))


def comparison_units(
    plan: str | Mapping[int, Decimal],
    settings: Settings,
    evidence: Evidence,
    severities: FloatArray,
    bounds: PlanBounds,
    day: date,
    situation: int,
) -> IntArray:
    """The comparison plan within the bounds of the day; no limit of moves binds it.

    It spends the wanted amounts as far as bounds and whole units allow. Among the plans that do, it has the
    least squared distance to the wanted amounts. A stream of the date breaks ties, so that no place is
    favoured for good.
    """
    wanted = _wanted(plan, settings, evidence, severities, bounds, situation)
    total = int(wanted.sum() + NEARLY_EQUAL)
    budget = min(bounds.budget, max(total, bounds.needed))
    free = replace(bounds, before=None, moves=None, budget=budget)
    amounts = np.arange(int(bounds.most.max()) + 1)
    apart = (amounts - wanted[:, None]) ** 2
    ties = _stream(settings.seed, day, situation, TIES).random(wanted.size) * NEARLY_EQUAL
    spent = (float(apart.max(axis=1).sum()) + 1.0) * amounts
    return free.share_out(spent - apart + ties[:, None] * amounts)


def _wanted(
    plan: str | Mapping[int, Decimal],
    settings: Settings,
    evidence: Evidence,
    severities: FloatArray,
    bounds: PlanBounds,
    situation: int,
) -> FloatArray:
    """The units that the comparison plan would grant if there were no bounds, and units had parts."""
    if not isinstance(plan, str):
        given = [float(plan.get(arm, Decimal(0)) / settings.unit) for arm in bounds.arms]
        return np.clip(np.array(given), bounds.least, bounds.most)
    rules = {EQUAL: np.ones(severities.size), HOT_SPOTS: losses_seen(evidence, situation) * severities}
    weights = rules[plan]
    return bounds.budget * weights / weights.sum()


def control_payload(
    lot: Lot,
    number: int,
    settings: Settings,
    planned: IntArray,
    compared: IntArray,
    expected: Expectations,
    largest: float,
) -> dict[str, Any]:
    """What a plan stores of its lot: both plans, and what the first plan of the date and situation fixed.

    `number` is the number of the plan, and `largest` the largest number of losses that the comparison plan
    is expected to leave in any situation.
    """
    both = {"planned": planned.tolist(), "compared": compared.tolist()}
    if lot.fixed is not None:
        return {**{name: lot.fixed[name] for name in FIXED}, **both}
    below, above = lot.limits or first_limits(largest, float(lot.share))
    return {
        "id": lot.id,
        "first": str(number),
        "share": written(lot.share),
        "drawn": lot.drawn,
        "plan": plan_said(lot.plan, tuple(arm.name for arm in settings.arms)),
        "expected_plan": expected.of(planned).losses,
        "expected_comparison": expected.of(compared).losses,
        "below": below,
        "above": above,
        **both,
    }


def control_in(plan: PlanPayload) -> dict[str, Any] | None:
    """What a plan says of its control round; None if it is none."""
    part = plan.control
    if part is None or not part["drawn"]:
        return None
    return {
        "comparison": plan_in_words(part["plan"]),
        "share": float(part["share"]),
    }


def control_sentences(control: Mapping[str, Any] | None) -> list[str]:
    """What a control round says of itself."""
    if control is None:
        return []
    return [
        f"This is a control round. By lot, it carries out the comparison plan ({control['comparison']}), as "
        "far as the bounds of the day allow. That measures the effect of plans.",
    ]
