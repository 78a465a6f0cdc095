"""Today: where things stand, and the plan of the day."""

import re
from datetime import timedelta

from allotment.web.pages.today.view import today_view


def test_without_a_plan_the_page_says_what_to_do(campaign, visitor):
    text = visitor.get("/c/1/today").text
    assert "No plan for today yet" in text
    assert "Make today&#39;s plan" in text


def test_asking_twice_with_one_form_makes_one_plan(campaign, visitor):
    fields = visitor.fields("/c/1/today")
    for _ in range(2):
        answer = visitor.post("/c/1/plans", data=fields)
        assert (answer.status_code, answer.headers["location"]) == (303, "/c/1/today")
    assert campaign.latest().id == "1"
    assert next(reversed(list(campaign.history()))).by == "Ada"
    assert "Plan 1 is ready." in visitor.get("/c/1/today").text


def test_planning_anew_replaces_the_open_plan(campaign, visitor):
    visitor.submit("/c/1/plans", seen="/c/1/today")
    visitor.submit("/c/1/plans", {"again": "1"}, seen="/c/1/today")
    assert campaign.latest("today").id == "2"
    assert campaign.plan("1").state == "cancelled"


def test_an_ask_that_cannot_be_met_is_a_sentence(campaign, visitor):
    visitor.submit("/c/1/plans", seen="/c/1/today")
    fields = visitor.fields("/c/1/today")
    campaign.tell("1", {"Dock": 0})
    answer = visitor.post("/c/1/plans", data={**fields, "again": "1"})
    assert answer.status_code == 409
    assert "Plan 1 of" in answer.text and "cannot be replaced" in answer.text


def test_groups_and_subtotals_add_up(campaign):
    campaign.ask()
    shown = today_view(campaign).rounds[0].shown
    assert [each.name for each in shown.groups] == ["harbour", "town"]
    assert sum(each.subtotal for each in shown.groups) == shown.granted == 6
    for group in shown.groups:
        assert group.subtotal == sum(place.amount for place in group.places)
        assert all(place.why.startswith(f"{place.name} gets") for place in group.places)


def test_orders_of_the_day_and_the_price_of_learning_are_said_once(campaign):
    campaign.tell(campaign.ask(date="yesterday").id, {"Dock": 1, "Gate": 0, "Yard": 0})
    plan = campaign.ask(require=["Dock"])
    said = today_view(campaign).rounds[0].shown.sentences
    assert [each for each in said if each.startswith("Orders of the day")] == [
        "Orders of the day: Dock required."
    ]
    assert [each for each in said if "to learn" in each] == campaign.explain(plan.id).learning()


def test_where_things_stand(campaign):
    campaign.ask(date="yesterday")
    campaign.tell("1", {"Dock": 0})
    yesterday, today = today_view(campaign).standing
    assert yesterday.sentence == "2 of 3 places not reported" and yesterday.is_open
    assert today.sentence == "no plan yet" and not today.is_open


def test_names_are_text_and_never_markup(campaign, visitor):
    campaign.add_arm("<script>alert(1)</script>", most=1, group="<b>north</b>")
    campaign.ask()
    text = visitor.get("/c/1/today").text
    assert "<script>alert" not in text and "<b>north" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_note_of_the_duty_sheet_is_text_and_leads_to_its_setting(campaign, visitor):
    campaign.ask()
    text = visitor.get("/c/1/today").text
    assert "<b>Note:</b>" not in text and '<a href="/c/1/settings#note">Add a note</a>' in text
    campaign.change(note="Meet at the <gate>")
    text = visitor.get("/c/1/today").text
    assert text.count("Meet at the &lt;gate&gt;") == 1 and "Change the note" in text
    assert "Meet at the &lt;gate&gt;" in visitor.get("/c/1/plans/1/sheet").text
    assert re.search(r'<textarea id="note"[^>]*>Meet at the &lt;gate&gt;<', visitor.get("/c/1/settings").text)


def test_the_days_since_the_last_loss_of_each_place(campaign, visitor):
    campaign.tell(campaign.ask(date=campaign.day() - timedelta(days=12)).id, {"Dock": 1, "Gate": 0})
    campaign.ask()
    text = visitor.get("/c/1/today").text
    assert "Days since loss" in text and "Days since find" not in text
    found = re.findall(r'plan__since" data-value="(\d+)">(.*?)<', text)
    assert sorted(found) == [("12", "12"), ("9999999", "none yet"), ("9999999", "none yet")]


def test_no_page_has_a_style_attribute(campaign, visitor):
    campaign.change(shapes={"Dock": [16.3, 48.2], "Gate": [16.4, 48.3]})
    campaign.ask()
    for path in ("/c/1/today", "/c/1/report", "/new", "/sign-in", "/c/9/today"):
        text = visitor.get(path).text
        assert not re.search(r"<[^>]*\s(style|on\w+)=|<style|javascript:", text)


def test_a_map_shows_places_with_shapes(campaign):
    assert today_view_with_plan(campaign).map is None
    campaign.change(shapes={"Dock": [16.3, 48.2], "Gate": [16.4, 48.3]})
    assert "<circle" in today_view_with_plan(campaign).map


def today_view_with_plan(campaign):
    campaign.ask()
    return today_view(campaign).rounds[0].shown
