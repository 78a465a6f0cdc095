"""Computes the reason of each arm's amount, which is stored in the plan."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import listed, plain, written
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.limits.plan_bounds import PlanBounds
from allotment.campaign.settings.settings import Settings

if TYPE_CHECKING:
    from allotment.campaign.planning.making.asking import PlanInputs

EXPECTED_DIGITS = 9  # after the point, of stored expectations
NOTHING = 1e-9  # differences below are ties


@dataclass(frozen=True, eq=False)
class Choice:
    """A plan in units, the plans that it is compared with, and the expected costs of every amount."""

    costs: FloatArray
    units: IntArray
    wanted: IntArray  # without the spare units
    mean: IntArray  # what the mean curves give within the same bounds
    best: IntArray | None  # what they give without the orders of the day
    tops: IntArray  # units within the most of each arm: nothing is said of larger amounts

    def costs_of(self, units: IntArray) -> FloatArray:
        """The expected cost at each arm."""
        return self.costs[np.arange(units.size), units]


def reasons_of(
    inputs: "PlanInputs", bounds: PlanBounds, usual: PlanBounds | None, choice: Choice
) -> dict[str, Any]:
    """Which bound binds, what is granted in order to learn, and what moved since the plan before.

    `usual` are the bounds without the orders of the day. What an amount prevents is in the plan's tables.
    """
    now = choice.costs_of(choice.units)
    price = float(now.sum() - choice.costs_of(choice.mean).sum())
    apart = choice.wanted - choice.mean if price > NOTHING else np.zeros_like(choice.units)
    to_learn = np.maximum(apart, 0)
    more = now - choice.costs_of(np.minimum(choice.units + 1, choice.tops))
    return {
        "binds": _binding(bounds, usual, choice, more),
        "to_learn": to_learn.tolist(),
        "held_back": np.maximum(-apart, 0).tolist(),
        "price_cost": round(max(price, 0.0), EXPECTED_DIGITS) if to_learn.any() else 0.0,
        **_changes(inputs, bounds, choice.best),
    }


def _binding(
    bounds: PlanBounds, usual: PlanBounds | None, choice: Choice, more: FloatArray
) -> list[str | None]:
    """The bound that keeps an arm's amount from being another; None where it is the budget, or nothing."""
    units = choice.units
    found: list[str | None] = [None] * units.size
    for name, (members, least, most) in bounds.groups.items():
        together = int(units[members].sum())
        for i in members.tolist():
            if most is not None and together == most:
                found[i] = f"most of {name}"
            elif together == least and units[i] > 0:
                found[i] = f"least of {name}"
    for i in range(units.size):
        ordered = usual is None or (usual.least[i], usual.most[i]) != (bounds.least[i], bounds.most[i])
        if ordered and bounds.least[i] == bounds.most[i]:
            found[i] = "fixed" if units[i] else "excluded"
        elif units[i] == bounds.most[i] and (more[i] > NOTHING or units[i] == choice.tops[i]):
            found[i] = "most"
        elif units[i] == bounds.least[i] and units[i] > 0:
            found[i] = "required" if ordered else "least"
        elif bounds.crew is not None and units[i] == bounds.crew[i] > 0:
            found[i] = "crew"
    return found


def _changes(inputs: "PlanInputs", bounds: PlanBounds, best: IntArray | None) -> dict[str, Any]:
    """What moved between the best known plans without orders, then and now, and the reports behind it."""
    before = inputs.before
    if before is None:
        return {"since": None, "moved": [], "because": list(inputs.news)}
    because = [*inputs.news, *_other_settings(inputs.settings, before, bounds)]
    then = before.best
    if then is None or best is None:
        return {"since": before.id, "moved": None, "because": because}
    settings, unit, moved = inputs.settings, before.unit, []
    was = {settings.aliases[name]: units * unit for name, units in zip(before.arms, then, strict=True)}
    for arm, units in zip(bounds.arms, best.tolist(), strict=True):
        once, now = was.get(arm, Decimal(0)), units * settings.unit
        if once != now:
            moved.append([settings.arms[arm].name, plain(once), plain(now)])
    return {"since": before.id, "moved": moved, "because": because}


def _other_settings(settings: Settings, before: PlanPayload, bounds: PlanBounds) -> list[str]:
    """What is set otherwise than for the plan before, in words."""
    names = [settings.arms[arm].name for arm in bounds.arms]
    now = {"budget": written(settings.budget), "unit": written(settings.unit)}
    once = {"budget": before.usual_budget or now["budget"], "unit": written(before.unit)}
    said = [
        f"the {what} went from {once[what]} to {value}" for what, value in now.items() if once[what] != value
    ]
    then = {settings.aliases[name]: name for name in before.arms}
    came = [name for name, arm in zip(names, bounds.arms, strict=True) if arm not in then]
    left = [name for arm, name in then.items() if arm not in set(bounds.arms)]
    said += [f"{listed(came)} came in"] if came else []
    return said + ([f"{listed(left)} went out"] if left else [])
