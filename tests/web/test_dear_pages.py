"""Dear questions of large campaigns are never asked in the server's process, by no page and no route."""

import pytest

from allotment.campaign.access.questions import questions_to
from allotment.campaign.access.rights import PLANNER, VIEWER, Rights
from allotment.campaign.campaign import Campaign
from allotment.errors import InputError
from allotment.web.pages.settings.forms import shown_settings
from allotment.web.work import gate
from allotment.web.work.gate import Asker

DEAR = [name for name, (_, about) in questions_to(Campaign).items() if about.dear] + ["what_if"]
PAGES = [
    "today",
    "plans/1",
    "places",
    "places?name=Dock",
    "record",
    "record/print",
    "budget",
    "check",
    "history",
    "settings",
]


@pytest.fixture
def told(campaign):
    """Two plans, one of which is reported and may be a control round."""
    campaign.change(control={"share": 0.5, "plan": "equal"})
    campaign.tell(campaign.ask(date="2026-01-01").id, {"Dock": 1, "Gate": 0, "Yard": 0})
    return campaign.ask()


@pytest.fixture
def elsewhere(monkeypatch):
    """Every campaign is large, and this process refuses to answer dear questions."""

    def refuse(self, *arguments, **options):
        raise AssertionError("a dear question in the server's process")

    for name in DEAR:
        monkeypatch.setattr(Campaign, name, refuse)
    monkeypatch.setattr(gate, "SMALL", -1.0)


@pytest.fixture
def asker(campaign, desk):
    return Asker(desk, Rights("Ada", PLANNER), 1, desk.campaigns.open(1, "Ada"))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_a_large_campaign_asks_a_process(path, told, visitor, elsewhere):
    assert visitor.get(f"/c/1/{path}").status_code == 200


def test_a_trial_of_a_large_campaign_asks_a_process(told, visitor, elsewhere):
    """The form of a place leads to a trial, which has the plan that would follow."""
    seen = "/c/1/places?name=Dock"
    fields = {"name": "Dock", "most": "3"}
    answer = visitor.submit("/c/1/places/change", fields, seen=seen, follow_redirects=True)
    assert answer.status_code == 200 and "Place by place" in answer.text


def test_the_effect_of_a_large_campaign_may_be_unknown(campaign, visitor, elsewhere):
    assert visitor.get("/c/1/record").status_code == 200


def test_pages_of_a_small_campaign_wait_for_nobody(told, desk, visitor):
    """Work of others that fills the gate does not keep Today, a place or the record waiting."""
    size = gate.memory_limit()
    with desk.gate.turn("Vi", 2, size), desk.gate.turn("Bo", 2), desk.gate.turn("Cy", 2):
        for path in ("today", "plans/1"):
            assert visitor.get(f"/c/1/{path}").status_code == 200


def test_a_trial_is_as_large_as_what_it_tries(campaign, program, visitor, monkeypatch):
    """A small campaign is tried with a small unit in a process of its own, by pages and by the API."""

    def refuse(self, **options):
        raise AssertionError("a trial of much memory in the server's process")

    monkeypatch.setattr(Campaign, "what_if", refuse)
    with program(Rights("Vi", VIEWER)) as viewer:
        answer = viewer.post("/api/v1/campaigns/1/what-if", json={"unit": 0.01})
    assert answer.status_code == 200, answer.text
    form = {**shown_settings(campaign.settings), "unit": "0.01"}
    answer = visitor.submit("/c/1/settings", form, seen="/c/1/settings", follow_redirects=True)
    assert answer.status_code == 200 and "Place by place" in answer.text


def test_a_trial_that_cannot_be_is_a_sentence(campaign, asker):
    with pytest.raises(InputError, match="the scale, 4, is 4000000 units"):
        asker.content("what_if", unit=1e-6)
