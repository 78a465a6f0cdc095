"""The reason of one place's amount, from the tables stored with a plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.campaign.forms.amounts import plain
from allotment.campaign.history.plan_payload import FirstEffects, PlanPayload

TIE = 1e-5  # of the loss rate: smaller differences are rounding of the stored tables


@dataclass(frozen=True)
class Reason:
    """Why one place gets its amount. Losses are expected numbers per round; cost weights them by severity.

    In plans of version 1, losses are None if severities differ, since those stored the cost only.
    """

    arm: str
    amount: int | float
    prevents_losses: float | None  # by all that it got
    prevents_cost: float
    remaining_losses: float | None
    remaining_cost: float
    one_less_losses: float | None  # what the last unit prevents
    one_less_cost: float | None
    one_more_losses: float | None  # what one unit more would prevent
    one_more_cost: float | None
    next_amount: int | float | None  # the next amount that would matter
    next_losses: float | None  # and what it would prevent beyond today's
    next_cost: float | None
    elsewhere_cost: float | None  # what these units prevent where they are, if the arm got nothing
    binds: str | None
    to_learn: int | float  # of the amount, granted in order to learn
    held_back: int | float  # missing to what is best today
    spare: int | float  # of the amount, what no arm needed


EFFECTS = ("prevents", "remaining", "one_less", "one_more", "next")  # each as losses and as cost
STORED_ONCE = ("prevents", "remains", "one_less", "one_more", "next_prevents")  # the same in version 1


def reasons_in(plan: PlanPayload, *, weighted: bool) -> tuple[Reason, ...]:
    """A reason for each arm of a plan."""
    stored, spare = plan.reasons, plan.spare
    effects = _from_costs(plan.effects, weighted) if plan.effects else _from_tables(plan)
    units: dict[str, Sequence[int]] = {
        "amount": plan.units,
        "to_learn": stored.to_learn,
        # spare units are not counted in what is stored, and may make up for what the draw held back
        "held_back": [max(less - more, 0) for less, more in zip(stored.held_back, spare, strict=True)],
        "spare": spare,
    }
    reasons = []
    for i, effect in enumerate(effects):
        following = effect.pop("next_units")
        reasons.append(
            Reason(
                arm=plan.arms[i],
                binds=stored.binds[i],
                next_amount=None if following is None else plain(following * plan.unit),
                **{name: plain(column[i] * plan.unit) for name, column in units.items()},
                **effect,
            )
        )
    return tuple(reasons)


def _from_costs(stored: FirstEffects, weighted: bool) -> list[dict[str, Any]]:
    """What version 1 stored: cost alone, which is losses where all severities are 1."""
    found = []
    for i, following in enumerate(stored.next_units):
        each: dict[str, Any] = {"next_units": following, "elsewhere_cost": None}
        for name, once in zip(EFFECTS, STORED_ONCE, strict=True):
            cost = getattr(stored, once)[i]
            each |= {f"{name}_losses": None if weighted else cost, f"{name}_cost": cost}
        found.append(each)
    return found


def _from_tables(plan: PlanPayload) -> list[dict[str, Any]]:
    assert plan.tables is not None  # version 1 has effects instead
    curves, severities = [np.array(row) for row in plan.tables.losses], plan.tables.severities
    units, crews = plan.units, [0] * len(plan.units) if plan.crew is None else plan.crew
    ahead = [_next_that_matters(*each) for each in zip(curves, units, crews, strict=True)]
    wanted = [each for each, n in zip(ahead, units, strict=True) if each is not None and n == 0]
    freed = _least_cost_of_freeing(curves, severities, units, crews, max(wanted, default=0))
    found = []
    arms = zip(curves, units, crews, ahead, severities, strict=True)
    for curve, n, crew, following, severity in arms:
        now = curve[n]
        effects = (
            curve[0] - now,
            now,
            curve[n - 1] - now if n > 0 and _allowed(n - 1, crew) else None,
            now - curve[n + 1] if n + 1 < curve.size and _allowed(n + 1, crew) else None,
            None if following is None else now - curve[following],
        )
        elsewhere = freed[following] if following is not None and n == 0 else np.inf
        each: dict[str, Any] = {
            "next_units": following,
            "elsewhere_cost": float(elsewhere) if np.isfinite(elsewhere) else None,
        }
        for name, losses in zip(EFFECTS, effects, strict=True):
            each |= {f"{name}_losses": _tidy(losses), f"{name}_cost": _tidy(losses, severity)}
        found.append(each)
    return found


def _tidy(losses: Any, severity: float = 1.0) -> float | None:
    """Losses, or their cost, without digits that only come from rounding."""
    return None if losses is None else round(float(losses) * severity, 9) + 0.0


def _allowed(units: int, crew: int) -> bool:
    """Whether an arm may get this many units: none, or at least its crew."""
    return units == 0 or units >= crew


def _next_that_matters(curve: FloatArray, units: int, crew: int) -> int | None:
    """The larger amount, in units, that prevents most for each unit more; None if no amount matters."""
    first = max(units + 1, crew)
    gains = curve[units] - curve[first:]
    if gains.size == 0 or gains.max() <= TIE * curve[0]:
        return None
    return first + int(np.argmax(gains / np.arange(first - units, first - units + gains.size)))


def _least_cost_of_freeing(
    curves: list[FloatArray],
    severities: Sequence[float],
    units: Sequence[int],
    crews: Sequence[int],
    most: int,
) -> FloatArray:
    """The least expected cost of taking 0, 1, … units from where they are; infinite if there are fewer."""
    least = np.full(most + 1, np.inf)
    least[0] = 0.0
    for curve, severity, granted, crew in zip(curves, severities, units, crews, strict=True):
        before = least.copy()
        for taken in range(1, min(granted, most) + 1):
            if not _allowed(granted - taken, crew):
                continue
            cost = severity * float(curve[granted - taken] - curve[granted])
            least[taken:] = np.minimum(least[taken:], before[: most + 1 - taken] + cost)
    return least
