"""Computes why each arm gets what it gets; the reasons are stored in the plan."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.amounts import listed, plain, written
from allotment.campaign.planning.plan_bounds import PlanBounds

if TYPE_CHECKING:
    from allotment.campaign.planning.asking import PlanInputs

DIGITS = 9  # of stored expectations
NOTHING = 1e-9  # differences below are ties


def reasons_of(
    inputs: "PlanInputs",
    bounds: PlanBounds,
    losses: FloatArray,
    units: IntArray,
    wanted: IntArray,
    mean: IntArray,
) -> dict[str, Any]:
    """What each amount prevents, what one unit less and more would, which bound binds; by columns.

    `wanted` are the units without the spare ones, `mean` those that the mean curves give.
    """
    every, top = np.arange(units.size), losses.shape[1] - 1
    now = losses[every, units]
    less = losses[every, np.maximum(units - 1, 0)] - now
    more = now - losses[every, np.minimum(units + 1, top)]
    price = float(now.sum() - losses[every, mean].sum())
    apart = wanted - mean if price > NOTHING else np.zeros_like(units)
    to_learn = np.maximum(apart, 0)
    ahead = [_next_that_matters(losses[i], int(units[i])) for i in every.tolist()]
    return {
        "prevents": _rounded(losses[:, 0] - now),
        "remains": _rounded(now),
        "one_less": [value if units[i] > 0 else None for i, value in enumerate(_rounded(less))],
        "one_more": [value if units[i] < top else None for i, value in enumerate(_rounded(more))],
        "next_units": [None if each is None else each[0] for each in ahead],
        "next_prevents": [None if each is None else round(each[1], DIGITS) for each in ahead],
        "binds": _binding(bounds, units, more, top),
        "to_learn": to_learn.tolist(),
        "held_back": np.maximum(-apart, 0).tolist(),
        "price": round(max(price, 0.0), DIGITS) if to_learn.any() else 0.0,
        **_changes(inputs, bounds, mean),
    }


def _rounded(values: FloatArray) -> list[float]:
    return [round(value, DIGITS) + 0.0 for value in values.tolist()]


def _next_that_matters(losses: FloatArray, units: int) -> tuple[int, float] | None:
    """The larger amount that prevents most for each unit more, and what it prevents beyond today's."""
    if units + 1 >= losses.size:
        return None
    gains = losses[units] - losses[units + 1 :]
    each = gains / np.arange(1, gains.size + 1)
    best = int(np.argmax(each))
    return (units + 1 + best, float(gains[best])) if gains[best] > NOTHING else None


def _binding(bounds: PlanBounds, units: IntArray, more: FloatArray, top: int) -> list[str | None]:
    """The bound that keeps an arm's amount from being another; None where it is the budget, or nothing."""
    found: list[str | None] = [None] * units.size
    for name, (members, least, most) in bounds.groups.items():
        together = int(units[members].sum())
        for i in members.tolist():
            if most is not None and together == most:
                found[i] = f"most of {name}"
            elif together == least and units[i] > 0:
                found[i] = f"least of {name}"
    for i in range(units.size):
        if bounds.least[i] == bounds.most[i]:
            found[i] = "fixed" if units[i] else "excluded"
        elif units[i] == bounds.most[i] and (more[i] > NOTHING or units[i] == top):
            found[i] = "most"
        elif units[i] == bounds.least[i] and units[i] > 0:
            found[i] = "least"
    return found


def _changes(inputs: "PlanInputs", bounds: PlanBounds, mean: IntArray) -> dict[str, Any]:
    """What moved between the plan of the mean curves before and this one, and the reports behind it."""
    if inputs.before is None:
        return {"since": None, "moved": [], "because": list(inputs.news)}
    settings, before = inputs.settings, inputs.before
    unit = Decimal(before["unit"])
    was = {
        settings.aliases[name]: units * unit
        for name, units in zip(before["arms"], before["mean"], strict=True)
    }
    moved = []
    for arm, units in zip(bounds.arms, mean.tolist(), strict=True):
        then, now = was.get(arm, Decimal(0)), units * settings.unit
        if then != now:
            moved.append([settings.arms[arm].name, plain(then), plain(now)])
    return {
        "since": before["plan"],
        "moved": moved,
        "because": [*inputs.news, *_other_settings(inputs, bounds)],
    }


def _other_settings(inputs: "PlanInputs", bounds: PlanBounds) -> list[str]:
    """What is set otherwise than for the plan before, in words."""
    settings, before = inputs.settings, inputs.before or {}
    names = [settings.arms[arm].name for arm in bounds.arms]
    now = {"budget": written(bounds.budget * settings.unit + bounds.rest), "unit": written(settings.unit)}
    said = [
        f"the {what} went from {before[what]} to {value}"
        for what, value in now.items()
        if before[what] != value
    ]
    then = {settings.aliases[name]: name for name in before["arms"]}
    came = [name for name, arm in zip(names, bounds.arms, strict=True) if arm not in then]
    left = [name for arm, name in then.items() if arm not in set(bounds.arms)]
    said += [f"{listed(came)} came in"] if came else []
    return said + ([f"{listed(left)} went out"] if left else [])
