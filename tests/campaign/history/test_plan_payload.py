"""Plans as their events store them: typed, and brought up to date if they are of version 1."""

from dataclasses import replace
from decimal import Decimal

import pytest

from allotment import Campaign, HistoryError, campaigns
from allotment.campaign.history.plan_payload import PlanPayload, StoredOrders
from own_copies import FIRST_FORMAT, own_copy


def asked_in(campaign):
    return [event for event in campaign.history() if event.kind == "asked"]


@pytest.fixture
def first(tmp_path):
    """A store of the first format, whose plans are of version 1."""
    own_copy(FIRST_FORMAT, tmp_path / "first.db")
    with Campaign.open(tmp_path / "first.db", campaigns(tmp_path / "first.db")[0]) as campaign:
        yield campaign


def test_a_plan_is_typed_once(campaign):
    plan = campaign.ask(budget=4, exclude=["Gate"])
    event = asked_in(campaign)[0]
    assert event.plan is event.plan
    stored = event.plan
    assert (stored.id, stored.date, stored.budget) == (plan.id, plan.date, Decimal(4))
    assert stored.wishes == StoredOrders("4", ["Gate"], require=[]) and stored.wishes
    assert stored.named(stored.units) == plan.amounts
    assert stored.tables.losses == event.payload["losses"] and stored.effects is None


def test_plans_of_version_1_are_brought_up_to_date(first):
    for event in asked_in(first):
        stored, payload = event.plan, event.payload
        assert "version" not in payload and stored.tables is None
        assert stored.effects.prevents == payload["reasons"]["prevents"]
        assert stored.reasons.price_cost == payload["reasons"]["price"]
        assert len(stored.reasons.held_back) == len(stored.arms)
        has_orders = any(payload["wishes"].values())
        assert stored.best == (None if has_orders else payload["mean"])
        is_usual = payload["wishes"]["budget"] is None
        assert stored.usual_budget == (payload["budget"] if is_usual else None)


def test_orders_of_version_1_hide_the_usual_budget_and_the_best_plan(first):
    payload = asked_in(first)[0].payload
    none = {"budget": None, "exclude": [], "require": [], "fix": {}}
    assert PlanPayload.of({**payload, "wishes": none}).usual_budget == payload["budget"]
    ordered = PlanPayload.of({**payload, "wishes": {**none, "budget": "1"}})
    assert ordered.usual_budget is None and ordered.best is None
    fixed = PlanPayload.of({**payload, "wishes": {**none, "fix": {"A": "1"}}})
    assert fixed.usual_budget == payload["budget"] and fixed.best is None


def test_an_event_without_a_plan_is_refused_in_a_sentence(campaign):
    campaign.ask()
    broken = replace(asked_in(campaign)[0], text="{}")
    with pytest.raises(HistoryError, match=r"event 2 \(a plan\) cannot be read; `allotment verify`"):
        _ = broken.plan
