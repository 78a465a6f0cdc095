"""Pages of a campaign with situations: each plan names its own, and shifts stand one after the other."""

import re
from dataclasses import asdict
from datetime import date, timedelta

import pytest
from starlette.datastructures import FormData

from allotment.campaign.campaign import Campaign
from allotment.campaign.settings.calendar import MOST
from allotment.web.pages.report.view import choices_of
from allotment.web.pages.settings.situation_forms import (
    changes_of_situations,
    shown_situations,
    typed_situations,
)
from allotment.web.pages.today.view import today_view
from allotment.web.requests.forms import Form

TODAY, SETTINGS = "/c/1/today", "/c/1/settings"
SHIFTS = ("early", "late")
PLACES = {"arms": ["Dock", "Gate", "Yard"], "unit": 1, "most": 4, "seed": 1}
WEEK = {
    "rules": [
        {"dates": ["2026-12-25"], "situations": ["weekend"]},
        {"days": ["Saturday", "Sunday"], "months": ["July"], "situations": ["weekend"]},
        {"period": ["2026-08-01", "2026-08-31"], "situations": ["weekend", "weekday"]},
    ],
    "default": ["weekday"],
}
FRIDAY = "2026-12-25"


@pytest.fixture
def shifts(store):
    """Every day has two shifts with budgets of their own."""
    given = {**PLACES, "situations": SHIFTS, "budget": {"early": 6, "late": 4}}
    with Campaign.create(store, "shifts", **given) as made:
        made.change(most={"late": {"Dock": 2}})
        yield made


@pytest.fixture
def week(store):
    given = {**PLACES, "situations": ("weekday", "weekend"), "calendar": WEEK, "budget": 6}
    with Campaign.create(store, "week", **given) as made:
        yield made


def test_all_plans_of_a_day_are_made_at_once_and_shown_in_order(shifts, visitor):
    missing = today_view(shifts).missing
    assert (missing.button, missing.choices, missing.situation) == ("Make all 2 plans", SHIFTS, None)
    assert "early (6 to grant), late (4 to grant)" in missing.sentences[0]
    visitor.submit("/c/1/plans", {"order:0": "exclude", "place:0": "Yard"}, seen=TODAY)
    plans = [each.shown.plan for each in today_view(shifts).rounds]
    assert [(each.situation, each.budget, each.amounts["Yard"]) for each in plans] == [
        ("early", 6, 0),
        ("late", 4, 0),
    ]
    text = visitor.get(TODAY).text
    assert "Plans 1, 2 are ready." in text and "Plan 1, early" in text and "Plan 2, late" in text
    assert 'href="/c/1/report/1"' in text and 'href="/c/1/report/2"' in text
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_the_sheets_of_all_shifts_are_one_page_and_one_file(shifts, visitor):
    assert visitor.get("/c/1/days/2026-12-25/sheet").status_code == 404
    shifts.plans_for(FRIDAY)
    shown = visitor.get(f"{TODAY}?date={FRIDAY}").text
    for end in ("sheet", "sheet.pdf"):
        assert f'href="/c/1/days/{FRIDAY}/{end}"' in shown
    page = visitor.get(f"/c/1/days/{FRIDAY}/sheet")
    assert [page.text.count(f"25 December 2026 · {each}</h1>") for each in SHIFTS] == [1, 1]
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    file = visitor.get(f"/c/1/days/{FRIDAY}/sheet.pdf")
    assert file.content.startswith(b"%PDF")
    assert file.headers["content-disposition"] == f'attachment; filename="plans-{FRIDAY}.pdf"'
    shifts.cancel("1")
    left = visitor.get(f"{TODAY}?date={FRIDAY}").text
    assert "Print all duty sheets" not in left
    assert visitor.get(f"/c/1/days/{FRIDAY}/sheet").text.count("<h1>") == 1
    assert visitor.get("/c/1/days/nonsense/sheet").status_code == 422


def test_each_shift_is_planned_anew_by_itself(shifts, visitor):
    visitor.submit("/c/1/plans", {"situation": "late"}, seen=TODAY)
    view = today_view(shifts)
    assert view.missing.title == "No plan for today (early) yet" and view.missing.situation == "early"
    assert [each.asking.situation for each in view.rounds] == ["late"]
    visitor.submit("/c/1/plans", {"situation": "late", "again": "1", "budget": "3"}, seen=TODAY)
    assert shifts.latest("today", "late").budget == 3 and shifts.latest("today", "early") is None
    assert "plan 1 (late, cancelled)" in visitor.get(TODAY).text


def test_what_is_wrong_with_orders_stands_in_the_form_of_its_shift(shifts, visitor):
    shifts.plans_for()
    orders = {"order:0": "fix", "place:0": "Dock", "amount:0": "3"}
    answer = visitor.submit("/c/1/plans", {"situation": "late", "again": "1", **orders}, seen=TODAY)
    assert answer.status_code == 409 and answer.text.count('role="alert"') == 1
    assert "at most 2" in answer.text[answer.text.index("Plan 2, late") :]
    data = {"accept": "application/json"}
    found = visitor.submit("/c/1/orders/check", orders, seen=TODAY, headers=data).json()
    assert not found["fits"] and "at most 2" in found["sentence"]
    early = {"situation": "early", **orders}
    assert visitor.submit("/c/1/orders/check", early, seen=TODAY, headers=data).json()["fits"]


def test_the_calendar_names_the_situation_and_a_person_may_choose_another(week, visitor):
    text = visitor.get(f"{TODAY}?date={FRIDAY}").text
    assert '<span class="tag">weekend</span>' in text and "25 December (weekend) yet" in text
    visitor.submit("/c/1/plans", {"date": FRIDAY}, seen=TODAY)
    other = f"{TODAY}?date={FRIDAY}&situation=weekday"
    assert 'name="situation" value="weekday"' in visitor.get(other).text
    wrong = {"date": FRIDAY, "situation": "weekday", "budget": "many"}
    assert 'role="alert">Budget' in visitor.submit("/c/1/plans", wrong, seen=other).text
    visitor.submit("/c/1/plans", {"date": FRIDAY, "situation": "weekday"}, seen=other)
    events = [event.payload for event in week.history() if event.kind == "asked"]
    assert [(each["situation"], each["stated"]) for each in events] == [("weekend", False), ("weekday", True)]
    assert len(today_view(week, day=FRIDAY).rounds) == 2
    assert visitor.get(f"{TODAY}?situation=night").status_code == 404


def test_reports_name_the_shift(shifts, visitor):
    shifts.plans_for()
    assert [each.title for each in choices_of(shifts).recent] == [
        "Today, early, plan 1",
        "Today, late, plan 2",
    ]
    assert "<b>late</b>" in visitor.get("/c/1/report/2").text
    for plan in ("1", "2"):
        shifts.tell(plan, dict.fromkeys(PLACES["arms"], 0))
    assert [each.plan.id for each in choices_of(shifts, "today").recent] == ["1", "2"]


def test_an_amount_above_the_most_of_the_shift_is_noticed(shifts, visitor):
    shifts.plans_for()
    for plan in ("1", "2"):
        shifts.tell(plan, {"Dock": 0}, amounts={"Dock": 3})
    notes = ["more than its most" in visitor.get(f"/c/1/report/{plan}").text for plan in ("1", "2")]
    assert notes == [False, True]


def test_history_names_and_filters_situations(shifts, visitor):
    shifts.plans_for()
    text = visitor.get("/c/1/history?situation=late").text
    assert "(late)</a>" in text and "(early)</a>" not in text and "1 event that fit" in text
    assert "there is no situation named" in visitor.get("/c/1/history?situation=noon").text.lower()


def test_places_and_budget_show_one_situation(shifts, visitor):
    shifts.plans_for()
    shifts.tell("2", {"Dock": 1}, amounts={"Dock": 1})
    for path in ("/c/1/places?", "/c/1/places?name=Dock&", "/c/1/budget?"):
        text = visitor.get(f"{path}situation=late").text
        assert re.search(r'situation=late" aria-current="page"', text), path
        assert visitor.get(f"{path}situation=noon").status_code == 404
    place = visitor.get("/c/1/places?name=Dock&situation=late").text
    assert "of 2</small>" in place and "In late: most 2." in place
    assert "4 to grant in a round (late)" in visitor.get("/c/1/budget?situation=late").text


def test_what_if_changes_the_situation_that_the_page_shows(shifts, visitor):
    seen = "/c/1/budget?situation=late"
    typed = {"situation": "late", "budget": "5", "most:every": "3"}
    path = visitor.submit("/c/1/budget/what-if", typed, seen=seen).headers["location"]
    text = visitor.get(path).text
    assert "Budget in late: 5 (now 4)." in text and "Place by place, late" in text
    visitor.submit(f"{path}/keep", seen=path)
    within = [shifts.settings.within(number) for number in range(2)]
    assert [(each.budget, each.arms[1].most) for each in within] == [(6, 4), (5, 3)]


def test_a_place_keeps_the_bounds_of_single_situations(shifts, visitor):
    seen = "/c/1/places?name=Dock"
    typed = {"name": "Dock", "most": "4", "severity": "2", "least": "", "crew": "", "threshold": ""}
    path = visitor.submit("/c/1/places/change", typed, seen=seen).headers["location"]
    visitor.submit(f"{path}/keep", seen=path)
    assert shifts.settings.arms[0].severity == 2 and shifts.settings.within(1).arms[0].most == 2


def test_a_table_shows_and_changes_one_situation(shifts, visitor):
    table = "/c/1/settings/places/most"
    assert 'value="2"' not in visitor.get(table).text
    assert 'value="2"' in visitor.get(f"{table}?situation=late").text
    typed = {"situation": "late", "value:Dock": "1"}
    path = visitor.submit(table, typed, seen=f"{table}?situation=late").headers["location"]
    visitor.submit(f"{path}/keep", seen=path)
    assert [shifts.settings.within(number).arms[0].most for number in range(2)] == [4, 1]


def test_the_form_of_a_calendar_holds_what_it_shows(week):
    changes = changes_of_situations(shown_situations(week.settings))
    assert changes["calendar"] == WEEK and changes["situations"] == ["weekday", "weekend"]


def test_the_form_keeps_all_rules_of_the_longest_calendar(week):
    days = [date(2026, 1, 1) + timedelta(days=each) for each in range(MOST)]
    rules = [{"dates": [day.isoformat()], "situations": ["weekend"]} for day in days]
    week.change(calendar={"rules": rules, "default": ["weekday"]})
    shown = shown_situations(week.settings)
    rows = {f"{name}:{n}": text for n, row in enumerate(shown.rules) for name, text in asdict(row).items()}
    sent = Form(FormData({**rows, "default": shown.default, "budget:weekday": "6", "budget:weekend": "6"}))
    typed = typed_situations(sent, week.settings)
    assert (
        typed == shown
        and changes_of_situations(typed)["calendar"] == week.settings.situations.calendar_data()
    )


def test_situations_and_calendar_are_set_and_renamed_on_settings(campaign, visitor):
    assert "Add situations" in visitor.get(SETTINGS).text
    typed = {"new": "day, night", "days:0": "Sat, Sun", "situations:0": "night", "default": "day"}
    path = visitor.submit(f"{SETTINGS}/situations", typed, seen=SETTINGS).headers["location"]
    assert "Saturday, Sunday: night; otherwise: day" in visitor.get(path).text
    assert not campaign.settings.situations
    visitor.submit(f"{path}/keep", seen=path)
    assert campaign.situations_on("2026-01-31") == ("night",) and campaign.situations_on("2026-01-30") == (
        "day",
    )
    assert 'name="budget:night"' in visitor.get(SETTINGS).text
    visitor.submit(f"{SETTINGS}/situations/rename", {"old_name": "night", "new_name": "Nacht"}, seen=SETTINGS)
    assert campaign.settings.situations.names == ("day", "Nacht")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({}, "no situation is named"),
        ({"new": "day", "days:0": "Caturday", "situations:0": "day"}, "a day of rule 1 of the calendar"),
        ({"new": "day", "days:0": "Sat"}, "rule 1 of the calendar has no situations"),
        ({"new": "day", "situations:0": "day", "first:0": "2026-01-01"}, "only one day of its period"),
        ({"new": "day", "default": "noon"}, "noon"),
    ],
)
def test_a_wrong_calendar_is_a_sentence(campaign, visitor, typed, sentence):
    answer = visitor.submit(f"{SETTINGS}/situations", typed, seen=SETTINGS)
    said = re.search(r'role="alert">(.*?)<', answer.text)[1]
    assert answer.status_code in (404, 422) and sentence.lower() in said.lower() and campaign.last_event == 1


def test_a_log_may_name_situations(shifts, visitor):
    log = b"date,place,amount,incidents,shift\n2026-03-01,Dock,1,1,late\n2026-03-01,Dock,1,0,early\n"
    fields = visitor.fields("/c/1/import")
    sent = visitor.post("/c/1/import", data=fields, files={"log": ("log.csv", log, "text/csv")})
    text = visitor.get(sent.headers["location"]).text
    assert re.search(r'<select id="situation".*?value="4" selected>shift<', text, re.DOTALL)
