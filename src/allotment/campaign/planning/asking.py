"""Plans: a pure function of the history up to an event, the settings then, and the plan's own stream.

A plan stores the reason of each arm's amount.
"""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import listed, plain, units_within, written
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning import decision
from allotment.campaign.planning.calm import calm_of, calmed
from allotment.campaign.planning.comparison import Lot, comparison_units, control_payload
from allotment.campaign.planning.expectations import Expectations, Expected, few_digits, to_payload
from allotment.campaign.planning.plain_rules import equal_split, hot_spots, losses_seen
from allotment.campaign.planning.plan_bounds import PlanBounds, bounds_of
from allotment.campaign.planning.wishes import Wishes
from allotment.campaign.settings.control import plan_in_words
from allotment.campaign.settings.settings import Settings
from allotment.errors import ConflictError
from allotment.evidence import Evidence
from allotment.version import versions

if TYPE_CHECKING:
    from allotment.policies.base.learner import Learner


RECORDED = ("allotment", "NumPy", "Numba")
USUAL = "the usual plan"  # what a control round is compared with
PAYLOAD_VERSION = 2  # 1 stored expected costs as losses, and no tables


@dataclass(frozen=True)
class PlanInputs:
    """All that a plan depends on: what is known, of when, and which plan it is."""

    settings: Settings  # within the situation
    tallies: list[AmountTally]
    plan: int
    knew: int  # the last event that was known
    day: date
    before: PlanPayload | None  # the plan before, as it was written
    news: tuple[str, ...]  # what was reported since, in words
    kept: PlanPayload | None = None  # the plan over which units gained are counted, as it was written
    situation: int = 0
    stated: bool = False  # whether someone stated the situation; otherwise it follows from the date
    lot: Lot | None = None  # whether it is a control round; None where nobody may know, or there are none

    @property
    def situation_name(self) -> str | None:
        """The name of the situation; None if the campaign has only one, without a name."""
        return self.settings.situations.name(self.situation)

    def bounds(self, wishes: Wishes | None = None) -> PlanBounds:
        """What the plan may grant: bounds, orders of the day, and the limit of moves."""
        moves = self.settings.moves if wishes is None or wishes.moves is None else wishes.moves
        return calmed(bounds_of(self.settings, wishes), self.settings, moves, self.kept)


def best_units(costs: FloatArray, bounds: PlanBounds) -> IntArray:
    """The allocation that costs least, in whole units."""
    return bounds.share_out(-costs)


def planned(inputs: PlanInputs, bounds: PlanBounds, *, explore: bool) -> dict[str, Any]:
    """The plan, with its reasons, as the event's payload."""
    settings, arms = inputs.settings, bounds.arms
    evidence = decision.model_evidence(settings, inputs.tallies, arms)
    learner = decision.fitted(settings, evidence, bounds, inputs.plan)
    expected = decision.expected_of(settings, learner, arms, inputs.situation)
    costs = expected.costs
    mean = best_units(costs, bounds)
    wanted = mean
    if explore:
        wanted = decision.drawn_units(settings, learner, bounds, inputs.situation)
    units = _with_spare(costs, bounds, wanted)
    usual = _without_orders(settings)
    best = None if usual is None else best_units(costs, usual)
    tops = np.array([units_within(settings.arms[arm].most, settings.unit) for arm in arms])
    choice = Choice(costs, units, wanted, mean, best, tops)
    calm = calm_of(inputs.kept, bounds, expected, mean, units)
    beside = plainer_plans(expected, evidence, bounds, inputs.situation)
    control = _control(inputs, bounds, evidence, learner, units)
    if control is not None and control["drawn"]:  # nothing is granted to learn, and no limit of moves binds
        beside = {USUAL: expected.of(units), **beside}
        beside.pop(plan_in_words(control["plan"]), None)  # the same rule, but for ties
        units = wanted = np.array(control["compared"])
        choice, calm = Choice(costs, units, units, units, best, tops), None
    total = expected.of(units)
    called = inputs.situation_name
    return {
        "version": PAYLOAD_VERSION,
        "plan": str(inputs.plan),
        "date": inputs.day.isoformat(),
        **({} if called is None else {"situation": called, "stated": inputs.stated}),
        "knew": inputs.knew,
        "explore": explore,
        "unit": written(settings.unit),
        "budget": written(bounds.budget * settings.unit + bounds.rest),
        "usual_budget": written(settings.budget),
        "rest": written(bounds.rest),
        "arms": [settings.arms[arm].name for arm in arms],
        "units": units.tolist(),
        "spare": (units - wanted).tolist(),
        "mean": mean.tolist(),
        "best": None if best is None else best.tolist(),
        "expected_losses": round(total.losses, EXPECTED_DIGITS),
        "expected_cost": round(total.cost, EXPECTED_DIGITS),
        "beside": {name: few_digits(each) for name, each in beside.items()},
        **to_payload(expected, tops.tolist(), counts=settings.losses == "counts"),
        "reasons": reasons_of(inputs, bounds, usual, choice),
        "versions": {name: number for name, number in versions().items() if name in RECORDED},
        **({} if bounds.crew is None else {"crew": bounds.crew.tolist()}),
        **({} if calm is None else {"calm": calm}),
        **({} if control is None else {"control": control}),
    }


def _control(
    inputs: PlanInputs, bounds: PlanBounds, evidence: Evidence, learner: "Learner", units: IntArray
) -> dict[str, Any] | None:
    """What the plan stores of its lot, with the comparison plan; None if it has no lot."""
    lot, settings, arms = inputs.lot, inputs.settings, bounds.arms
    if lot is None:
        return None
    expected = {c: decision.expected_of(settings, learner, arms, c) for c in settings.situations.numbers}
    own = expected[inputs.situation]
    compared = comparison_units(
        lot.plan, settings, evidence, own.severities, bounds, inputs.day, inputs.situation
    )
    largest = max(each.of(compared).losses for each in expected.values())
    return control_payload(lot, inputs.plan, settings, units, compared, own, largest)


def _without_orders(settings: Settings) -> PlanBounds | None:
    """The bounds without the orders of the day; None if nothing meets them, as settings on trial may be."""
    try:
        return bounds_of(settings)
    except ConflictError:
        return None


def plainer_plans(
    expected: Expectations, evidence: Evidence, bounds: PlanBounds, situation: int = 0
) -> dict[str, Expected]:
    """What else one could do within the same bounds, and what is expected of it."""
    seen = losses_seen(evidence, situation) * expected.severities
    plans = {"equal split": equal_split(bounds), "hot spots": hot_spots(seen, bounds)}
    return {name: expected.of(units) for name, units in plans.items()}


def _with_spare(costs: FloatArray, bounds: PlanBounds, wanted: IntArray) -> IntArray:
    """What was wanted, and units that no arm needed where the mean curves gain most."""
    if int(wanted.sum()) >= bounds.budget:
        return wanted
    return best_units(costs, replace(bounds, least=wanted))


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
