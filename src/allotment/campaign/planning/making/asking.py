"""Plans: a pure function of the history up to an event, the settings then, and the plan's own stream."""

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.campaign.forms.amounts import units_within, written
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.deciding import decision
from allotment.campaign.planning.deciding.calm import calm_of, calmed
from allotment.campaign.planning.deciding.comparison import Lot, comparison_units, control_payload
from allotment.campaign.planning.deciding.expectations import Expectations, Expected, few_digits, to_payload
from allotment.campaign.planning.deciding.plain_rules import equal_split, hot_spots, losses_seen
from allotment.campaign.planning.limits.plan_bounds import PlanBounds, bounds_of
from allotment.campaign.planning.limits.wishes import Wishes
from allotment.campaign.planning.making.reasons import EXPECTED_DIGITS, Choice, reasons_of
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
