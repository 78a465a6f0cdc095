"""Calm plans: a limit on the units that places gain over the previous plan, and its cost."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import IntArray
from allotment.campaign.forms.amounts import units_to_reach, units_within
from allotment.campaign.forms.answer import losses_and_cost
from allotment.campaign.history.events import Event
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.history.state import State
from allotment.campaign.planning.expectations import Expectations
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.campaign.settings.settings import Settings

NOTHING = 1e-9  # prices below are none


def plan_to_keep(
    state: State, event_of: Callable[[int], Event], on: date, situation: int
) -> PlanPayload | None:
    """The plan that a plan for a date is compared with, as it was written; None if there is none.

    It is the newest plan of an earlier date and the same situation that was neither cancelled, nor a control
    round, nor made with orders of the day.
    """
    alike = [plan for plan in state.plans if plan.situation == situation and not plan.cancelled]
    earlier = [plan for plan in alike if plan.day < on.toordinal()]
    for plan in sorted(earlier, key=lambda plan: (plan.day, plan.number), reverse=True):
        stored = event_of(plan.asked).plan
        if not stored.is_control and not stored.wishes:
            return stored
    return None


def calmed(bounds: PlanBounds, settings: Settings, moves: int | None, kept: PlanPayload | None) -> PlanBounds:
    """Bounds that also limit the units gained over a plan: by `moves`, and by what the budget grew.

    If the bounds need more moves, the limit is the fewest that they need.
    """
    if moves is None or kept is None:
        return bounds
    had = {
        settings.aliases[name]: units * kept.unit for name, units in zip(kept.arms, kept.units, strict=True)
    }
    grown = max(bounds.budget - units_within(kept.budget, settings.unit), 0)
    return limited(bounds, units_before(bounds, settings.unit, had), moves + grown)


def units_before(bounds: PlanBounds, unit: Decimal, had: Mapping[int, Decimal]) -> IntArray:
    """The units that arms had in another plan; parts of a unit count as one.

    An arm that was not in that plan gains nothing, whatever it gets: it counts as if it had had its most.
    """
    pairs = zip(bounds.arms, bounds.most.tolist(), strict=True)
    return np.array([units_to_reach(had[arm], unit) if arm in had else most for arm, most in pairs], np.int64)


def limited(bounds: PlanBounds, before: IntArray, allowed: int) -> PlanBounds:
    """Bounds that limit the units gained over what arms had before; at least the fewest that are needed."""
    free = replace(bounds, before=None, moves=None)
    return replace(free, before=before, moves=max(allowed, fewest_moves(free, before)), allowed=allowed)


def fewest_moves(bounds: PlanBounds, before: IntArray) -> int:
    """The fewest units that arms must gain over what they had before, to be within the bounds."""
    if not bounds.broken_by(np.minimum(before, bounds.most)):
        return 0
    gains = np.maximum(np.arange(bounds.most.max() + 1) - before[:, None], 0).astype(np.float64)
    return gains_over(before, bounds.share_out(-gains))


def gains_over(before: IntArray, units: IntArray) -> int:
    """The units that arms gain together over what they had before."""
    return int(np.maximum(units - before, 0).sum())


def calm_sentences(calm: Mapping[str, Any] | None) -> list[str]:
    """What a plan says of its limit of moves; nothing if it has none."""
    if calm is None:
        return []
    gained = f"Places gain {_units(calm['gains'])} over plan {calm['since']}"
    if calm["limit"] > calm["allowed"]:
        why = f"the bounds of the day need {calm['limit']}, though the limit of moves is {calm['allowed']}"
    else:
        why = f"the limit of moves is {calm['limit']}"
    return [f"{gained}; {why}."]


def calm_price(calm: Mapping[str, Any] | None, *, weighted: bool) -> list[str]:
    """What the limit of moves costs today, in a sentence; nothing if there is none."""
    if calm is None:
        return []
    if calm["price_cost"] <= NOTHING:
        return ["Without the limit of moves, the best known plan would be no better today."]
    price = losses_and_cost(calm["price_losses"], calm["price_cost"], weighted=weighted)
    return [f"The limit of moves adds {price} to the best known plan today."]


def _units(count: int) -> str:
    return f"{count} {'unit' if count == 1 else 'units'}"


def calm_of(
    kept: PlanPayload | None,
    bounds: PlanBounds,
    expected: Expectations,
    best: IntArray,
    units: IntArray,
) -> dict[str, Any] | None:
    """What a plan stores of its limit of moves; `best` is the best known plan within it. None without one."""
    if kept is None or bounds.before is None:
        return None
    free = replace(bounds, before=None, moves=None).share_out(-expected.costs)
    calm, unlimited = expected.of(best), expected.of(free)
    return {
        "since": kept.id,
        "allowed": bounds.allowed,
        "limit": bounds.moves,
        "gains": gains_over(bounds.before, units),
        "price_losses": round(calm.losses - unlimited.losses, 9) + 0.0,
        "price_cost": round(max(calm.cost - unlimited.cost, 0.0), 9),
    }
