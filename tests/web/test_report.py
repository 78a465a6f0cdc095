"""Report: taps, with and without script; corrections, conflicts, late days."""

import re

import pytest

from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, Rights
from allotment.web.pages.report.view import report_view

KEYS = [f"{number:032x}" for number in range(6)]  # as the page writes them


@pytest.fixture
def plan(campaign):
    return campaign.ask(date="today", fix={"Dock": 2, "Gate": 1, "Yard": 3})


@pytest.fixture
def bob(campaign):
    with Campaign.open(campaign.store.name, author="Bob") as opened:
        yield opened


def tapped(visitor, tap, **typed):
    return visitor.submit("/c/1/report/1", {"tap": tap, **typed}, seen="/c/1/report/1")


def entry(visitor, **fields):
    token = visitor.fields("/c/1/report/1")["csrf"]
    fields = {"key": KEYS[1], "knew": "0", "says_losses": "1", **fields}
    return visitor.post("/c/1/report/1/entries", data=fields, headers={"x-csrf-token": token})


def test_the_only_plan_that_awaits_reports_is_shown(plan, visitor):
    text = visitor.get("/c/1/report").text
    assert "0 of 3 reported" in text and "Something happened" in text and "All others quiet" in text
    assert "Granted 2" in text


def test_the_note_of_the_duty_sheet_is_shown(plan, campaign, visitor):
    assert "<b>Note:</b>" not in visitor.get("/c/1/report").text
    campaign.change(note="Meet at the <gate>")
    assert "<b>Note:</b> Meet at the &lt;gate&gt;" in visitor.get("/c/1/report").text


def test_a_remark_about_the_day_of_the_plan(plan, campaign, visitor):
    path = "/c/1/report/1"
    sent = visitor.submit(f"{path}/remark", {"remark": "Fair <b>in town"}, seen=path)
    assert (sent.status_code, sent.headers["location"]) == (303, path)
    assert "The remark about" in visitor.get(path).text
    *_, event = campaign.history()
    assert (event.by, event.payload) == ("Ada", {"date": str(plan.date), "text": "Fair <b>in town"})
    history = visitor.get("/c/1/history").text
    assert "<b>Remark</b>" in history and "Fair &lt;b&gt;in town" in history
    refused = visitor.submit(f"{path}/remark", {"remark": "x" * 501}, seen=path)
    assert refused.status_code == 422 and "has 501 characters" in refused.text and "x" * 501 in refused.text


def test_without_a_plan_the_page_says_what_to_do(campaign, visitor):
    text = visitor.get("/c/1/report").text
    assert "There is no plan to report yet" in text and 'href="/c/1/today"' in text


def test_several_plans_are_a_choice_and_older_ones_are_reachable(plan, campaign, visitor):
    campaign.ask(date="yesterday")
    campaign.ask(date="2026-01-31")
    text = visitor.get("/c/1/report").text
    assert "Which plan do you report?" in text
    for title in ("Today, plan 1", "Yesterday, plan 2", "Saturday, 31 January 2026, plan 3"):
        assert title in text
    assert "plan 3" in visitor.get("/c/1/report?date=2026-01-31").text
    assert "There is no plan for 2020-01-01" in visitor.get("/c/1/report?date=2020-01-01").text
    assert "Date is &#39;soon&#39;" in visitor.get("/c/1/report?date=soon").text


def test_a_tap_without_script_is_a_report(plan, campaign, visitor):
    answer = tapped(visitor, "0:0:0")
    assert (answer.status_code, answer.headers["location"]) == (303, "/c/1/report/1#place-0")
    assert campaign.plan("1").told == {"Dock": 0}
    text = visitor.get("/c/1/report/1").text
    assert re.search(r"Dock: quiet\. Saved \d\d:\d\d\.", text)
    assert re.search(r"data-state>Saved \d\d:\d\d\.", text)
    assert next(reversed(list(campaign.history()))).by == "Ada"


def test_a_form_sent_twice_reports_once_and_the_rest_is_no_conflict(plan, campaign, visitor):
    fields = visitor.fields("/c/1/report/1")
    for tap in ("0:0:0", "0:0:0", "1:1:0"):
        assert visitor.post("/c/1/report/1", data={**fields, "tap": tap}).status_code == 303
    assert campaign.plan("1").told == {"Dock": 0, "Gate": 1}
    assert [each.kind for each in campaign.history()].count("told") == 2


def test_correcting_and_undoing_show_the_previous_values(plan, campaign, visitor):
    tapped(visitor, "0:typed:0", amount="1,5")
    assert "Amount saved" in visitor.get("/c/1/report/1").text  # and no report yet
    tapped(visitor, f"0:0:{campaign.last_event}")
    tapped(visitor, f"0:1:{campaign.last_event}")
    text = visitor.get("/c/1/report/1").text
    assert "before: quiet" in text and "Granted 1.5 instead of 2" in text
    toast = re.search(r"data-toast>(.*?)</form>", text, re.DOTALL)[1]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', toast))
    assert visitor.post("/c/1/report/1", data=fields).status_code == 303
    assert campaign.plan("1").told == {"Dock": 0} and campaign.plan("1").told_amounts == {"Dock": 1.5}
    tapped(visitor, f"0::{campaign.last_event}")
    assert campaign.plan("1").told == {} and campaign.plan("1").told_amounts == {}
    assert "Withdrawn" in visitor.get("/c/1/report/1").text
    campaign.verify()


def test_taking_back_nothing_writes_nothing(plan, campaign, visitor):
    tapped(visitor, "0::0")
    tapped(visitor, "0:typed:0")
    assert campaign.last_event == 2


def test_more_opens_a_panel_and_what_is_wrong_stays_typed(plan, campaign, visitor):
    assert tapped(visitor, "1:amount:0").headers["location"] == "/c/1/report/1?open=1#place-1"
    assert 'id="amount-1"' in visitor.get("/c/1/report/1?open=1").text
    answer = tapped(visitor, "1:typed:0", amount="much")
    assert answer.status_code == 422
    assert "The amount of &#39;Gate&#39; is &#39;much&#39;" in answer.text and 'value="much"' in answer.text
    for tap in ("9:0:0", "x", "0:0", "0:0:x", "0:7:0", "a:0:0"):
        assert tapped(visitor, tap).status_code in (404, 422), tap
    assert campaign.last_event == 2


def test_an_amount_above_the_most_is_taken_with_a_warning(plan, campaign, visitor):
    tapped(visitor, "1:typed:0", amount="40")
    assert (
        "40 is more than its most of 3. If it is mistyped, correct it." in visitor.get("/c/1/report/1").text
    )


def test_all_others_quiet_is_confirmed_once(plan, campaign, visitor, bob):
    tapped(visitor, "0:1:0")
    page = tapped(visitor, "others").text
    assert "Report 2 places as quiet?" in page and "Gate, Yard" in page
    assert campaign.plan("1").told == {"Dock": 1}
    bob.tell("1", {"Gate": 1})  # meanwhile
    fields = dict(re.findall(r'name="(csrf|key)" value="([^"]*)"', page))
    for _ in range(2):
        sent = {**fields, "place": ["Gate", "Yard"]}
        assert visitor.post("/c/1/report/1/others", data=sent).status_code == 303
    assert campaign.plan("1").told == {"Dock": 1, "Gate": 1, "Yard": 0}
    text = visitor.get("/c/1/report/1").text
    assert "Every place has a report" in text and "by Bob" in text


def test_a_conflict_shows_both_values_and_the_choice(plan, campaign, visitor, bob):
    fields = visitor.fields("/c/1/report/1")
    bob.tell("1", {"Dock": 1}, amounts={"Dock": 3})
    answer = visitor.post("/c/1/report/1", data={**fields, "tap": "0:0:0"})
    assert answer.status_code == 409
    assert "Meanwhile, Dock was reported: something happened, granted 3 (" in answer.text
    assert "by Bob). You chose: quiet." in answer.text
    assert "Keep something happened, granted 3" in answer.text and "Replace with quiet" in answer.text
    assert campaign.plan("1").told == {"Dock": 1}
    tapped(visitor, f"0:0:{campaign.last_event}")
    assert campaign.plan("1").told == {"Dock": 0}


def test_the_script_reports_under_its_own_keys(plan, campaign, visitor):
    for _ in range(2):
        answer = entry(visitor, place="Dock", losses="1")
        assert answer.json()["taken"] is True
        (row,) = answer.json()["rows"]
        assert (row["losses"], row["event"], answer.json()["mine"]) == (1, campaign.last_event, ["Dock"])
    assert entry(visitor, key=KEYS[2], place="Dock", losses="0", knew=str(row["event"])).json()["taken"]
    assert entry(visitor, key=KEYS[3], place="Dock", amount="3", says_losses="", knew="4").json()["taken"]
    assert campaign.plan("1").told == {"Dock": 0} and campaign.plan("1").told_amounts == {"Dock": 3}
    others = entry(visitor, key=KEYS[4], place=["Dock", "Gate", "Yard"], losses="0", keep="1").json()
    assert others["mine"] == ["Gate", "Yard"]
    again = entry(visitor, key=KEYS[5], place=["Dock", "Gate"], losses="0", keep="1")
    assert again.json()["taken"] is False and len(again.json()["rows"]) == 2
    assert [each.kind for each in campaign.history()].count("told") == 4


def test_the_script_learns_of_a_conflict(plan, campaign, visitor, bob):
    bob.tell("1", {"Dock": 1})
    answer = entry(visitor, place="Dock", losses="0")
    said = answer.json()
    assert said["taken"] is False and said["rows"][0]["losses"] == 1
    assert said["overtaken"]["theirs"] == "something happened" and said["overtaken"]["mine"] == "quiet"
    assert not entry(visitor, key=KEYS[2], place="Dock", losses="", knew="0").json()["taken"]  # withdrawing
    assert campaign.plan("1").told == {"Dock": 1}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"place": "Dock", "losses": "3"}, "Dock=3, but this campaign records yes or no"),
        ({"place": "Dock", "losses": "x"}, "Losses of 'Dock' is 'x'; expected 0 or 1"),
        ({"place": "Shed", "losses": "0"}, "There is no place named 'Shed'"),
        ({"losses": "0"}, "No place is named; expected at least one."),
        ({"place": "Dock", "amount": "-1"}, "The amount of 'Dock' is '-1'"),
        ({"place": "Dock", "losses": "0", "knew": "x"}, "Tap is 'x'"),
    ],
    ids=str,
)
def test_what_the_script_cannot_say_is_a_sentence(plan, campaign, visitor, fields, sentence):
    said = entry(visitor, **fields).json()
    assert said["taken"] is False and said["sentence"].startswith(sentence)
    assert campaign.last_event == 2


def test_a_cancelled_plan_takes_no_reports(plan, campaign, visitor):
    fields = visitor.fields("/c/1/report/1")
    campaign.cancel("1")
    assert visitor.post("/c/1/report/1", data={**fields, "tap": "0:0:0"}).status_code == 409
    text = visitor.get("/c/1/report/1").text
    assert "This plan was cancelled" in text and 'name="tap"' not in text and "Undo the cancellation" in text


def test_a_closed_plan_takes_late_reports(plan, campaign, visitor):
    campaign.close_plan("1")
    assert "Late reports are still taken" in visitor.get("/c/1/report/1").text
    tapped(visitor, "0:1:0")
    assert campaign.plan("1").told == {"Dock": 1}


def test_counts_and_finds_have_their_own_words(store, visitor):
    with Campaign.create(
        store, "finds", arms=["A"], budget=1, unit=1, most=1, losses="counts", sees="finds"
    ) as made:
        made.ask()
        made.tell("1", {"A": 7})
        text = visitor.get("/c/1/report/1?open=0").text
    assert "Nothing found" in text and ">7</button>" in text and "How many finds?" in text


def test_groups_and_their_missing_reports(plan, campaign):
    campaign.tell("1", {"Gate": 1})
    view = report_view(campaign, "1", Rights("Ada", PLANNER))
    assert [(each.name, each.missing) for each in view.groups] == [("harbour", 1), ("town", 1)]
    assert (view.missing, view.places) == (2, 3)


def test_names_are_text(campaign, visitor):
    campaign.add_arm("<script>alert(1)</script>", most=1, group="<b>north</b>")
    campaign.ask()
    for path in ("/c/1/report/1", "/c/1/report", "/c/1/plans/1/sheet"):
        text = visitor.get(path).text
        assert "<script>alert" not in text and "<b>north" not in text
        assert not re.search(r"<[^>]*\s(style|on\w+)=|javascript:", text)
