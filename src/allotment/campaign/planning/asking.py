"""Plans: a pure function of the history up to an event, the settings then, and the plan's own stream."""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.amounts import plain, written
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning import decision
from allotment.campaign.planning.plan_bounds import PlanBounds
from allotment.campaign.planning.reasons import reasons_of
from allotment.campaign.settings import Settings
from allotment.version import versions

RECORDED = ("allotment", "NumPy", "Numba")


@dataclass(frozen=True)
class PlanInputs:
    """All that a plan depends on: what is known, of when, and which plan it is."""

    settings: Settings
    tallies: list[AmountTally]
    plan: int
    knew: int  # the last event that was known
    day: date
    before: dict[str, Any] | None  # the plan before, as it was written
    news: tuple[str, ...]  # what was reported since, in words


def best_units(losses: FloatArray, bounds: PlanBounds) -> IntArray:
    """The allocation that loses least, in whole units."""
    from allotment.oracles.shares.allocate import (
        allocate,  # loads Numba, which those who only tell do not need
    )

    return allocate(-losses, bounds.budget, **bounds.for_allocate()).units


def planned(inputs: PlanInputs, bounds: PlanBounds, *, explore: bool) -> dict[str, Any]:
    """The plan, with its reasons, as the event's payload."""
    settings, arms = inputs.settings, bounds.arms
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    learner = decision.fitted(settings, evidence, bounds, inputs.plan)
    losses = decision.expected_costs(settings, learner, arms)
    mean = best_units(losses, bounds)
    wanted = mean
    if explore:
        wanted = decision.drawn_units(settings, learner, bounds)
    units = _with_spare(losses, bounds, wanted)
    names = [settings.arms[arm].name for arm in arms]
    every = np.arange(len(arms))
    return {
        "plan": str(inputs.plan),
        "date": inputs.day.isoformat(),
        "knew": inputs.knew,
        "explore": explore,
        "unit": written(settings.unit),
        "budget": written(bounds.budget * settings.unit + bounds.rest),
        "rest": written(bounds.rest),
        "arms": names,
        "units": units.tolist(),
        "spare": (units - wanted).tolist(),
        "mean": mean.tolist(),
        "expected_losses": round(float(losses[every, units].sum()), 9),
        "reasons": reasons_of(inputs, bounds, losses, units, wanted, mean),
        "versions": {name: number for name, number in versions().items() if name in RECORDED},
    }


def _with_spare(losses: FloatArray, bounds: PlanBounds, wanted: IntArray) -> IntArray:
    """What was wanted, and units that no arm needed where the mean curves gain most."""
    if int(wanted.sum()) >= bounds.budget:
        return wanted
    return best_units(losses, replace(bounds, least=wanted))


def amounts_of(payload: dict[str, Any], column: str = "units") -> dict[str, int | float]:
    """A column of a plan in the user's amounts."""
    unit = Decimal(payload["unit"])
    return {name: plain(units * unit) for name, units in zip(payload["arms"], payload[column], strict=True)}
