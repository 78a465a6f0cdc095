"""Record: what was expected beside what happened, and the page to print."""

import re

import pytest

from allotment.campaign.campaign import Campaign
from allotment.campaign.settings import changes
from allotment.errors import InputError
from allotment.web.pages.record.view import PRINTED, EffectView, effect_view, print_view, record_view

RECORD = "/c/1/record"


@pytest.fixture
def told(campaign):
    """Three months of reports."""
    for day in ("2026-03-01", "2026-04-01", "2026-04-02", "2026-05-01"):
        campaign.tell(campaign.ask(date=day).id, {"Dock": 1, "Gate": 0, "Yard": 0})
    return campaign


def test_the_record_by_month_has_its_chart_table_and_sentences(told, visitor):
    text = visitor.get(RECORD).text
    assert re.search(
        r'<p class="lead">In May 2026, [\d.]+ losses were expected \(\d+ to \d+\) and 1 happened.', text
    )
    assert "chart__happened" in text and '<th scope="row">Apr 2026</th>' in text
    assert "By group" in text and "By situation" not in text  # the campaign has groups, and no situations
    assert 'href="/c/1/record/print"' in text


@pytest.mark.parametrize(("by", "shown"), [("week", "27 Apr 2026"), ("group", "harbour"), ("place", "Yard")])
def test_other_groupings(told, visitor, by, shown):
    text = visitor.get(f"{RECORD}?by={by}").text
    assert f'<th scope="row">{shown}</th>' in text
    assert f'href="/c/1/record?by={by}" aria-current="page"' in text


def test_a_wrong_grouping_is_a_sentence(told, visitor):
    answer = visitor.get(f"{RECORD}?by=year")
    assert answer.status_code == 422 and "By is &#39;year&#39;; expected one of month" in answer.text


def test_before_the_first_report(campaign, visitor):
    for path in (RECORD, f"{RECORD}/print"):
        answer = visitor.get(path)
        assert answer.status_code == 200 and "No round has a report yet" in answer.text
        assert "<table" not in answer.text


def test_the_record_is_kept_until_the_next_event(told, visitor, monkeypatch):
    asked, record = [], Campaign.record
    monkeypatch.setattr(Campaign, "record", lambda *a, **o: asked.append(1) or record(*a, **o))
    for _ in range(2):
        assert "In all" in visitor.get(RECORD).text
    assert len(asked) == 1
    told.tell("1", {"Gate": 1}, correct=True)
    assert "and 5 happened" in visitor.get(RECORD).text


def test_a_record_that_takes_long_does_not_hold_the_page(told, visitor, monkeypatch):
    monkeypatch.setattr("allotment.web.pages.record.routes.kept_answer", lambda *_: None)
    assert "as soon as it is added up" in visitor.get(RECORD).text
    text = visitor.get(f"{RECORD}/print").text
    assert "as soon as it is added up" in text and "as soon as they are computed" in text


def test_the_page_to_print_has_the_worth_of_the_next_unit(told, visitor, monkeypatch):
    text = visitor.get(f"{RECORD}/print").text
    assert (
        "The worth of the next unit" in text and "With 6, expect" in text and "1 more would prevent" in text
    )
    assert "The effect of plans" not in text and effect_view(told).sentences == ()
    said = ("Plans prevent 2 losses a round.",)
    monkeypatch.setattr("allotment.web.pages.record.view.effect_view", lambda *_: EffectView(said))
    text = visitor.get(f"{RECORD}/print").text
    assert "The effect of plans" in text and said[0] in text


def test_each_situation_has_its_own_next_unit(told, visitor):
    told.change(situations=["early", "late"])
    text = visitor.get(f"{RECORD}/print").text
    assert "a round (early)" in text and "a round (late)" in text
    assert "By situation" in visitor.get(RECORD).text


def test_the_record_is_there_where_no_plan_can_be_made(told, visitor):
    for name in ("Dock", "Gate", "Yard"):
        told.retire_arm(name)
    text = visitor.get(f"{RECORD}/print").text
    assert "In May 2026" in text and "The worth of the next unit" not in text


def test_the_page_to_print_shows_the_newest_months(campaign):
    for month in range(1, 16):
        day = f"{2025 + month // 13}-{(month - 1) % 12 + 1:02}-01"
        campaign.tell(campaign.ask(date=day).id, {"Dock": 0})
    record = campaign.record()
    view = print_view(campaign, record, [])
    assert len(view.record.rows) == PRINTED and view.record.rows[-1][0] == "Mar 2026"
    assert view.note == "The table shows the newest 12 of 15 months."
    assert "of 15 months" in " ".join(view.record.sentences)
    assert len(record_view(campaign, "month", record).record.rows) == 15


def test_record_shows_the_effect_of_control_rounds(campaign, visitor, monkeypatch):
    monkeypatch.setattr("allotment.campaign.settings.control.new_seed", lambda: "1")
    text = visitor.get("/c/1/record").text
    assert "Control rounds tell" in text and "settings#control" in text
    campaign.change(control=0.5)
    assert "Control rounds are on, but no plan has been made since" in visitor.get("/c/1/record").text
    for day in range(1, 13):
        plan = campaign.ask(date=f"2026-01-{day:02}")
        campaign.tell(plan.id, dict.fromkeys(plan.amounts, 0))
    for page in ("record", "record/print"):
        text = visitor.get(f"/c/1/{page}").text
        assert "It is too early to say whether plans prevent losses compared with an equal split" in text
        assert "12 rounds since 2026-01-01" in text
    plan = campaign.ask(date="2026-01-13")
    campaign.close_plan(plan.id)
    assert "reports are missing. The answer holds whatever they would say" in visitor.get("/c/1/record").text


@pytest.mark.parametrize("severity", ["1e-100", "1e-16", "999999999999999"])
def test_extreme_severities_of_earlier_versions_are_shown(campaign, visitor, monkeypatch, severity):
    monkeypatch.setattr(changes, "LEAST_SEVERITY", 0)  # which earlier versions did not know
    campaign.change(severities=dict.fromkeys(("Dock", "Gate", "Yard"), severity))
    for day in ("2026-03-01", "2026-04-01"):
        campaign.tell(campaign.ask(date=day).id, {"Dock": 1, "Gate": 0, "Yard": 0})
    for page in (RECORD, f"{RECORD}/print", "/c/1/today", "/c/1/budget", "/c/1/places"):
        assert visitor.get(page).status_code == 200, page


def test_a_severity_that_is_as_good_as_none_is_a_sentence(campaign):
    for change in ({"severities": "1e-100"}, {"severities": {"Gate": "1e-10"}}):
        with pytest.raises(InputError, match=r"the severity of '\w+' is .*; expected at least 0.000000001;"):
            campaign.change(**change)
