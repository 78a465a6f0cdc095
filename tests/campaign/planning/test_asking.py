"""Plans by AnyResponse itself follow the evidence, severities, thresholds and groups; and they are drawn."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning.asking import PlanInputs, planned
from allotment.campaign.planning.plan_bounds import bounds_of
from allotment.campaign.settings.changes import first_settings

NEVER = 9.0  # an amount above all


@pytest.fixture(autouse=True)
def plain_decider():
    """Not here."""


def begin(**others):
    given = {"arms": ("Dock", "Shed", "Gate", "Yard"), "budget": 3.5, "unit": 0.5, "most": 4, "seed": 7}
    begun = first_settings("night", **{**given, **others})
    dock, shed, *rest = begun.arms  # a retired arm makes numbers and positions differ
    return replace(begun, arms=(dock, replace(shed, active=False), *rest))


def shown(arm, needs, rate, rounds=2_000, amounts=range(9)):
    """Rounds at amounts in units of 0.5, with as many losses as are expected below what the arm needs."""
    seen = [(Decimal(units) / 2, units / 2 < needs) for units in amounts]
    return [AmountTally(arm, amount, float(rounds), float(rounds * rate * lost)) for amount, lost in seen]


def plan(settings, tallies, number=1, explore=True):
    inputs = PlanInputs(settings, tallies, number, 0, date(2026, 1, 1), None, ())
    return planned(inputs, bounds_of(settings), explore=explore)


CLEAR = [*shown(0, 1.0, 0.4), *shown(1, 0.5, 0.9), *shown(2, NEVER, 0.8), *shown(3, 2.5, 0.6)]


@pytest.mark.parametrize("explore", [True, False])
@pytest.mark.parametrize(
    ("others", "covered", "cost"),
    [
        ({}, [True, True], 0.8),
        ({"budget": 2.5}, [False, True], 0.4 + 0.8),
        ({"budget": 2.5, "severities": {"Dock": 3, "Shed": 9}}, [True, False], 0.8 + 0.6),
        ({"groups": {"north": {"arms": ["Dock", "Shed", "Yard"], "most": 2.5}}}, [False, True], 0.4 + 0.8),
        ({"groups": {"south": {"arms": ["Gate"], "least": 1}}}, [False, True], 0.4 + 0.8),
    ],
    ids=["budget for both", "for one", "severities", "most of a group", "least of a group"],
)
def test_where_the_evidence_is_clear_it_decides_who_is_covered(others, covered, cost, explore):
    """The Dock needs 2 units, the Yard 5; at the Gate nothing helps."""
    settings = begin(**others)
    made = plan(settings, CLEAR, explore=explore)
    dock, _, yard = made["units"]
    assert [dock >= 2, yard >= 5] == covered
    assert bounds_of(settings).broken_by(np.array(made["units"])) == ""
    assert made["expected_losses"] == pytest.approx(cost, abs=0.02)


def test_a_known_threshold_is_believed():
    """Nothing was seen but that the Yard loses most; as its threshold is known, so is what it needs."""
    alone = [row for arm, rate in ((0, 0.3), (2, 0.3), (3, 0.9)) for row in shown(arm, NEVER, rate, 300, [0])]
    for explore in (True, False):
        made = plan(begin(budget=3, thresholds={"Yard": 2.6}), alone, explore=explore)
        assert made["units"][2] - made["spare"][2] == 6


VAGUE = [row for arm in (0, 2, 3) for row in shown(arm, 2.5, 0.5, 8, (0, 3, 4, 5))]


def test_plans_are_drawn_each_from_a_stream_of_its_own():
    begun, numbers = begin(budget=4), range(1, 16)
    mean = plan(begun, VAGUE, explore=False)["units"]
    drawn = [plan(begun, VAGUE, number) for number in numbers]
    assert all(made["mean"] == mean for made in drawn)
    assert len({tuple(made["units"]) for made in drawn}) > 3
    assert sum(made["units"] != mean for made in drawn) > 3
    assert [made["units"] for made in drawn] == [plan(begun, VAGUE, number)["units"] for number in numbers]
    others = [plan(replace(begun, seed=8), VAGUE, number)["units"] for number in numbers]
    assert others != [made["units"] for made in drawn]


def test_units_that_a_draw_leaves_go_where_they_may_help():
    drawn = [plan(begin(budget=4), VAGUE, number) for number in range(1, 16)]
    assert all(sum(made["units"]) == 8 for made in drawn)
    assert any(sum(made["spare"]) > 0 for made in drawn)
