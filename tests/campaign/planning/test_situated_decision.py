"""Plans of several situations by AnyResponse itself: they follow the loss rates of their situation."""

from datetime import date
from decimal import Decimal

import pytest

from allotment.campaign.answers.forecast import forecast_of
from allotment.campaign.answers.frontier import frontier_of
from allotment.campaign.answers.status import status_of
from allotment.campaign.history.ledger import AmountTally
from allotment.campaign.planning import decision
from allotment.campaign.planning.asking import PlanInputs, planned
from allotment.campaign.planning.decision import memory_of
from allotment.campaign.settings.changes import first_settings

RATES = {(0, 0): 0.6, (1, 0): 0.05, (0, 1): 0.05, (1, 1): 0.6}  # by arm and situation
WEEK = {"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}], "default": "weekday"}


@pytest.fixture(autouse=True)
def plain_decider():
    """Not here."""


def begun(**others):
    given = {
        "arms": ("Dock", "Gate"),
        "budget": {"weekday": 1, "weekend": 2},
        "unit": 1,
        "most": 2,
        "seed": 7,
    }
    situations = {"situations": ["weekday", "weekend"], "calendar": WEEK, "seed": 7}
    return first_settings("week", **{**given, **situations, **others})


def inputs(settings):
    """One unit covers each arm, which 200 rounds have shown at each amount in each situation."""
    tallies = [
        AmountTally(arm, Decimal(units), 200.0, 200.0 * rate * (units == 0), situation)
        for (arm, situation), rate in RATES.items()
        for units in range(3)
    ]
    return [
        PlanInputs(settings.within(c), tallies, 1, 0, date(2026, 1, 1), None, (), None, c) for c in (0, 1)
    ]


def test_plans_and_answers_follow_the_rates_of_their_situation():
    weekday, weekend = inputs(begun())
    plans = [planned(each, each.bounds(), explore=False) for each in (weekday, weekend)]
    assert [plan["units"] for plan in plans] == [[1, 0], [1, 1]]
    assert [plan["situation"] for plan in plans] == ["weekday", "weekend"]
    assert plans[0]["losses"][0][0] == pytest.approx(0.6, abs=0.05)
    assert plans[1]["losses"][0][0] == pytest.approx(0.05, abs=0.05)
    rates = [[arm.loss_rate for arm in status_of(each, ()).arms] for each in (weekday, weekend)]
    assert rates[0] == pytest.approx([0.6, 0.05], abs=0.05)
    assert rates[1] == pytest.approx([0.05, 0.6], abs=0.05)
    assert [frontier_of(each).budget for each in (weekday, weekend)] == [1, 2]
    found = forecast_of([weekday, weekend], 7)
    assert found.situations == {"weekday": 5, "weekend": 2}
    assert found == forecast_of([weekday, weekend], 7)


def test_a_draw_is_what_the_policy_shares_out():
    for each in inputs(begun()):
        bounds = each.bounds()
        evidence = decision.model_evidence(each.settings, each.tallies, bounds.arms)
        learner = decision.fitted(each.settings, evidence, bounds, 1)
        units = decision.drawn_units(each.settings, learner, bounds, each.situation)
        assert units.tolist() == bounds.share_out(learner.state.values).tolist()


def test_more_situations_take_more_memory():
    several = [["a"], ["a", "b"], ["a", "b", "c"]]
    found = [memory_of(begun(budget=1, situations=names, calendar=None)) for names in several]
    assert found == sorted(found)
    assert found[0] == memory_of(begun(budget=1, situations=None, calendar=None))
