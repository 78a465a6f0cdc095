"""A request that found a plan, and made none: its key belongs to it all the same, on both kinds of stores."""

import pytest

from allotment import Campaign, ConflictError
from allotment.campaign.forms import names
from allotment.campaign.history.events import Draft, Request
from allotment.campaign.history.store.found_rows import KEPT, Found, note_found

FIRST, SECOND = "2026-01-09", "2026-01-10"  # a Friday, a Saturday
WEEK = {
    "situations": ["early", "late"],
    "calendar": {"rules": [{"days": ["Sat"], "situations": "early"}], "default": ["early", "late"]},
}


def made(address, **settings):
    given = {"arms": ["Dock", "Gate"], "budget": 3, "unit": 1, "most": 2, "seed": 1, "timezone": "UTC"}
    return Campaign.create(address, "night", **given, **settings, author="Ada")


@pytest.fixture
def campaign(address):
    with made(address) as found:
        yield found


def test_its_key_is_not_free_for_another_date(address, campaign):
    plan = campaign.ask(date=FIRST)
    found = campaign.plan_for(FIRST, key="k")
    assert (found.plan, found.made) == (plan, False)
    with Campaign.open(address) as again:
        with pytest.raises(ConflictError, match="key 'k' was used for another request"):
            again.plan_for(SECOND, key="k")
        with pytest.raises(ConflictError, match="key 'k' was used for another request"):
            again.tell("1", {"Dock": 0}, key="k")
        assert again.plans_of(SECOND) == () and again.last_event == 2


def test_it_gets_the_same_answer_when_the_plan_is_told(campaign):
    campaign.ask(date=FIRST)
    campaign.plan_for(FIRST, key="k")
    campaign.tell("1", {"Dock": 0, "Gate": 0})
    found = campaign.plan_for(FIRST, key="k")
    assert (found.plan.id, found.made, found.plan.state) == ("1", False, "told")
    assert campaign.plan_for(SECOND, key="other").made and len(campaign.plans_of(FIRST)) == 1


def test_plans_of_all_situations_are_found_again(address):
    with made(address, **WEEK) as campaign:
        first = campaign.plans_for(FIRST)
        campaign.tell(first[0].plan.id, {"Dock": 0, "Gate": 0})
        found = campaign.plans_for(FIRST, exclude=["Gate"], again=True, key="k")
        assert [(each.made, each.ignores_orders) for each in found] == [(False, True), (True, False)]
        told = campaign.plans_for(FIRST, exclude=["Gate"], key="of told")
        again = campaign.plans_for(FIRST, exclude=["Gate"], again=True, key="k")
        assert [(each.plan, each.ignores_orders) for each in again] == [
            (each.plan, each.ignores_orders) for each in found
        ]
        for key, orders in (("k", {"exclude": ["Gate"], "again": True}), ("of told", {"exclude": ["Gate"]})):
            with pytest.raises(ConflictError, match="was used for another request"):
                campaign.plans_for(SECOND, **orders, key=key)
        assert campaign.plans_of(SECOND) == ()
        assert [each.plan.id for each in told] == [each.plan.id for each in found]


def test_a_key_that_is_noted_meanwhile_makes_no_event(campaign):
    """Another worker may have found a plan under this key since the look that every request begins with."""
    campaign.ask(date=FIRST)
    campaign.plan_for(FIRST, key="k")
    request = Request.of("Ada", "k", "ask", {"date": SECOND})
    with pytest.raises(ConflictError, match="it found plan 1"):
        campaign.store.append(1, request, lambda read: Draft("asked", {}))
    assert campaign.last_event == 2


def test_a_key_that_has_led_to_an_event_is_not_noted(campaign):
    campaign.ask(date=FIRST, key="k")
    request = Request.of("Ada", "k", "ask", {"date": SECOND})
    with pytest.raises(ConflictError, match="event 2"):
        note_found(campaign.store, 1, request, Found("1", ignores_orders=False))


def test_keys_are_kept_for_some_time(campaign, monkeypatch):
    """A key that found a plan is forgotten after KEPT, and may then be used for another date."""
    campaign.ask(date=FIRST)
    campaign.plan_for(FIRST, key="old")
    later = names.now() + KEPT
    monkeypatch.setattr(names, "now", lambda: later)
    campaign.plan_for(FIRST, key="new")
    with pytest.raises(ConflictError):
        campaign.plan_for(SECOND, key="new")
    assert campaign.plan_for(SECOND, key="old").made
