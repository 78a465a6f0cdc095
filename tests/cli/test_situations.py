"""Situations on the command line: a week with weekends, and a day with three shifts."""

import io
import json
from datetime import UTC, datetime

import pytest

from allotment import Campaign
from allotment.campaign.forms import names

WEDNESDAY, SATURDAY = "2026-03-25", "2026-03-28"
WEEK = """default = "weekday"
[[rules]]
days = ["Sat", "Sun"]
situations = "weekend"
"""
SHIFTS = """default = ["early", "late", "night"]
[[rules]]
days = "Sunday"
situations = ["late", "night"]
"""
PLACES = ("--places", "zones.csv", "--unit", 0.5, "--seed", 1, "--timezone", "UTC")


@pytest.fixture(autouse=True)
def on_wednesday(at_work, monkeypatch, tmp_path):
    (tmp_path / "week.toml").write_text(WEEK)
    (tmp_path / "shifts.toml").write_text(SHIFTS)
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 3, 25, 12, tzinfo=UTC))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def week(allotment):
    several = ("--situations", "weekday,weekend", "--calendar", "week.toml")
    done = allotment("new", "week.db", *PLACES, "--budget", "weekday=6,weekend=4", *several)
    assert done.code == 0, done.err
    assert "3 places, 6 (weekday) or 4 (weekend) a round in units of 0.5.\n" in done.out
    assert (
        "Situations: weekday, weekend.\nCalendar: Saturday, Sunday: weekend; otherwise: weekday.\n"
        in done.out
    )
    return "week.db"


@pytest.fixture
def shifts(allotment):
    several = ("--situations", "early,late,night", "--calendar", "shifts.toml")
    assert allotment("new", "shifts.db", *PLACES, "--budget", 6, *several).code == 0
    return "shifts.db"


def told(store):
    with Campaign.open(store) as campaign:
        return {plan.situation: plan.missing == 0 for plan in campaign.plans_of("today")}


def test_the_calendar_decides_unless_a_planner_names_the_situation(allotment, week):
    assert f"Plan 1 of {WEDNESDAY} (weekday), waiting: 6 of 6 granted." in allotment("ask", week).out
    assert "(weekend), waiting: 4 of 4" in allotment("ask", week, "--date", SATURDAY).out
    assert "(weekend), waiting: 4 of 4" in allotment("ask", week, "--situation", "weekend").out
    assert [plan["id"] for plan in json.loads(allotment("show", week, "--json").out)] == ["1", "3"]
    assert json.loads(allotment("show", week, "--situation", "weekend", "--json").out)["id"] == "3"
    created = "3 places, situations weekday, weekend, budget 6 (weekday) or 4 (weekend), unit 0.5"
    assert created in allotment("history", week, "--kind", "created").out
    assert "Today (weekday): plan 1 (weekday): 3 of 3 places not reported; plan 3" in allotment(week).out


def test_all_plans_of_a_date_follow_each_other(allotment, shifts):
    made = allotment("ask", shifts, "--date", "tomorrow")
    places = [line for line in made.out.splitlines() if line.startswith(("Situation", "Plan"))]
    assert [line.split(",")[0] for line in places] == [
        *("Situation early", "Plan 1 of 2026-03-26 (early)"),
        *("Situation late", "Plan 2 of 2026-03-26 (late)"),
        *("Situation night", "Plan 3 of 2026-03-26 (night)"),
    ]
    again = allotment("ask", shifts, "--date", "tomorrow")
    assert again.out.count("was made before") == 3
    rows = allotment("show", shifts, "--csv").out.splitlines()
    assert rows[0] == "situation,place,amount,days since loss"
    assert [row.split(",")[0] for row in rows[1:]] == ["early"] * 3 + ["late"] * 3 + ["night"] * 3
    sunday = json.loads(allotment("ask", shifts, "--date", "2026-03-29", "--json").out)
    assert [plan["situation"] for plan in sunday] == ["late", "night"]


def test_tables_of_plans_with_and_without_reports_go_together(allotment, shifts):
    allotment("ask", shifts)
    allotment("tell", shifts, "--situation", "late", "Dock=1")
    rows = allotment("show", shifts, "--csv").out.splitlines()
    assert rows[0] == "situation,place,amount,told,granted,days since loss"
    assert {row.count(",") for row in rows} == {5}


def test_the_last_column_stays_the_last_one(allotment, shifts):
    for date in ("yesterday", "today"):
        allotment("ask", shifts, "--date", date)
    allotment("tell", shifts, "--date", "yesterday", "--situation", "late", "Dock=1")
    allotment("tell", shifts, "--date", "today", "--situation", "late", "Gate=0")
    rows = [row.split(",") for row in allotment("show", shifts, "--csv").out.splitlines()]
    assert {row[-1] for row in rows if row[1] == "Dock"} == {"1"}
    assert {row[-1] for row in rows if row[1] == "Gate"} == {""}


def test_a_report_names_its_situation_where_several_plans_are_open(allotment, shifts, monkeypatch):
    allotment("ask", shifts)
    unclear = allotment("tell", shifts, "--others", "quiet")
    assert unclear.code == 2
    assert "expected --situation with one of early, late, night" in unclear.err.replace("\n", " ")
    done = allotment("tell", shifts, "--others", "quiet", "--situation", "late")
    assert done.out == f"Plan 2 of {WEDNESDAY} (late) is fully reported: Dock 0, Gate 0, Yard 0.\n"
    typed = io.StringIO("3\n0\n0\n1\n")
    typed.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", typed)
    asked = allotment("tell", shifts)
    assert f"  3: plan 3 of {WEDNESDAY} (night; 3 of 3 places not reported)" in asked.err
    assert f"Plan 3 of {WEDNESDAY} (night). Type the number of losses" in asked.err
    assert told(shifts) == {"early": False, "late": True, "night": True}


def test_a_report_of_two_dates_needs_date_and_situation(allotment, shifts):
    for date in ("yesterday", "today"):
        allotment("ask", shifts, "--date", date)
    both = allotment("tell", shifts, "--others", "quiet")
    assert "expected --date and --situation of one of them" in both.err.replace("\n", " ")
    allotment("ask", shifts, "--situation", "late", "--also")
    same = allotment("tell", shifts, "--situation", "late", "--date", "today", "--others", "quiet")
    assert "expected --plan and a number" in same.err.replace("\n", " ")


def test_orders_are_not_ignored_silently(allotment, shifts):
    allotment("ask", shifts, "--situation", "early")
    allotment("tell", shifts, "--others", "quiet")
    some = allotment("ask", shifts, "--budget", 2)
    assert some.out.count("orders of this command do not apply to it") == 1
    for situation in ("late", "night"):
        allotment("tell", shifts, "--situation", situation, "--others", "quiet")
    refused = allotment("ask", shifts, "--budget", 2, "--exclude", "Gate")
    assert refused.code == 2
    assert "(early) is told" in refused.err


def test_a_correction_of_a_date_with_several_told_plans_needs_the_situation(allotment, shifts):
    allotment("ask", shifts)
    for situation in ("early", "late", "night"):
        assert allotment("tell", shifts, "--situation", situation, "--others", "quiet").code == 0
    refused = allotment("tell", shifts, "--date", "today", "--correct", "Gate=1")
    assert refused.code == 2
    expected = "are told or closed; expected --situation with one of early, late, night"
    assert expected in " ".join(refused.err.split())
    done = allotment("tell", shifts, "--date", "today", "--situation", "late", "--correct", "Gate=1")
    assert "(late) is fully reported" in " ".join(done.out.split())


def test_plans_are_cancelled_closed_and_brought_back_by_situation(allotment, shifts):
    allotment("ask", shifts)
    for _ in range(2):  # a repeated request means the same plan
        done = allotment("cancel", shifts, "--situation", "night", "--key", "k")
        assert done.out == "Plan 3 is cancelled.\n"
    assert "cancellation of plan 3" in allotment("undo", shifts, "--situation", "night").out
    several = allotment("cancel", shifts, "--date", "today")
    assert (several.code, "expected --situation of one of them" in several.err) == (2, True)
    assert "Plan 2 is closed" in allotment("close", shifts, "--situation", "late").out
    assert "2 plans are closed" in allotment("close", shifts, "--date", "today").out
    assert (
        allotment("close", shifts, "--situation", "late").out == f"No plan of {WEDNESDAY} (late) is open.\n"
    )
    allotment("ask", shifts, "--date", "yesterday")
    assert "Plan 6 is closed" in allotment("close", shifts, "--before", "today", "--situation", "night").out


def test_bounds_by_situation(allotment, shifts):
    bounds = ("--most", "Dock=2@night", "--most", "Gate=1", "--least", "0.5@early", "--budget", "night=4")
    assert allotment("change", shifts, *bounds).code == 0
    with Campaign.open(shifts) as campaign:
        early, late, night = map(campaign.settings.within, range(3))
    assert [arm.most for arm in night.arms] == [2, 1, 4]
    assert [arm.most for arm in late.arms] == [4, 1, 4]
    assert [str(arm.least) for arm in early.arms] == ["0.5"] * 3
    assert (late.budget, night.budget) == (6, 4)
    listed = allotment("situations", shifts).out
    assert "Dock most 2" in listed
    assert "Calendar: Sunday: late, night; otherwise: early, late, night.\n" in listed


def test_a_number_for_all_places_and_another_in_one_situation(allotment, week):
    done = allotment(
        "change", week, "--most", 3, "--most", "2@weekday", "--least", 1, "--least", "Dock=0@weekend"
    )
    assert done.code == 0, done.err
    with Campaign.open(week) as campaign:
        weekday, weekend = map(campaign.settings.within, range(2))
    assert [[arm.most for arm in each.arms] for each in (weekday, weekend)] == [[2] * 3, [3] * 3]
    assert [[arm.least for arm in each.arms] for each in (weekday, weekend)] == [[1] * 3, [0, 1, 1]]


def test_situations_are_added_and_renamed_later(allotment, week):
    several = ("--situations", "weekday,weekend,match", "--most", "2@match")
    added = allotment("change", week, *several, "--calendar", "none")
    assert "situations weekday, weekend → weekday, weekend, match; calendar Saturday" in added.out
    assert "The budget in match is 6.\n" in added.out
    assert "No calendar: every date has all" in allotment("situations", week).out
    assert "weekend is now called off" in allotment("situations", week, "--rename", "weekend", "off").out
    found = json.loads(allotment("situations", week, "--json").out)
    assert [each["situation"] for each in found["situations"]] == ["weekday", "off", "match"]
    allotment("ask", week, "--situation", "weekend")  # the old name
    assert "(off): Dock" in allotment("history", week, "--situation", "off").out
    assert allotment("history", week, "--situation", "match").out == "No such event.\n"
    columns = "number,at,by,kind,plan,date,situation,words"
    assert allotment("history", week, "--csv").out.splitlines()[0] == columns


def test_a_change_says_what_becomes_of_earlier_reports(allotment):
    allotment("new", "plain.db", *PLACES, "--budget", 6)
    first = allotment("change", "plain.db", "--situations", "early,late,night").out.replace("\n", " ")
    assert (
        "Earlier reports belong to the situation that the calendar gives to their date, and to early" in first
    )
    calendar = allotment("change", "plain.db", "--calendar", "shifts.toml").out.replace("\n", " ")
    assert "Rounds whose situation followed from their date are read again." in calendar
    assert "read again" not in allotment("change", "plain.db", "--budget", 5).out


def test_answers_name_the_situation_and_the_others(allotment, week):
    allotment("ask", week, "--date", SATURDAY)
    others = "These numbers are for weekday. For another situation, add --situation (weekend).\n"
    for command in ("status", "frontier"):
        shown, chosen = allotment(command, week), allotment(command, week, "--situation", "weekend")
        assert "(weekday)" in shown.out
        assert shown.out.endswith(others)
        assert "(weekend)" in chosen.out
        assert "add --situation" not in chosen.out
    assert "(weekend)" in allotment("explain", week, "--situation", "weekend").out
    assert (
        "Tried for 2026-03-25 (weekend): 5 of 5"
        in allotment(*("what-if", week, "--situation", "weekend", "--budget", "weekend=5")).out
    )
    forecast = allotment("forecast", week, "--rounds", 7).out.replace("\n", " ")
    assert "In 7 rounds (5 weekday, 2 weekend)" in forecast
    assert "Today's plan repeated: one plan for each situation, as it would be made today." in forecast
    assert "Settings: budget (weekday) 6;" in allotment("status", week).out


def test_a_trial_shows_the_situation_that_its_change_names(allotment, shifts):
    for change in (("--budget", "night=5"), ("--most", "Dock=1@night"), ("--least", "0.5@night")):
        assert f"Tried for {WEDNESDAY} (night)" in allotment("what-if", shifts, *change).out
    several = allotment("what-if", shifts, "--budget", "night=5,late=5").out
    assert f"Tried for {WEDNESDAY} (late): 5 of 5" in several
    early = allotment("what-if", shifts, "--budget", "night=5", "--situation", "early").out
    assert f"Tried for {WEDNESDAY} (early)" in early


def test_a_new_campaign_takes_bounds_by_situation(allotment, tmp_path):
    (tmp_path / "some.csv").write_text("name,most,least\nDock,4,1\nGate,3,\nYard,,\n")
    shifts = ("--places", "some.csv", "--unit", 0.5, "--budget", 6, "--situations", "early,night")
    most = ("--most", 2, "--most", "Dock=1@night", "--most", "Gate=2.5")
    done = allotment("new", "new.db", *shifts, *most, "--least", "0.5@night", "--least", "Yard=1")
    assert done.code == 0, done.err
    with Campaign.open("new.db") as campaign:
        bounds = [
            {arm.name: (arm.most, arm.least) for arm in campaign.settings.within(each).arms}
            for each in (0, 1)
        ]
    assert bounds[0] == {"Dock": (4, 1), "Gate": (2.5, 0), "Yard": (2, 1)}
    assert bounds[1] == {"Dock": (1, 0.5), "Gate": (2.5, 0.5), "Yard": (2, 0.5)}
    listed = allotment("places", "new.db").out.replace("\n", " ")
    assert "In night only: Dock most 1, Dock least 0.5, Gate least 0.5, Yard least 0.5." in listed
    assert "night" not in allotment("places", "new.db", "--csv").out


def test_an_explanation_is_of_one_plan(allotment, shifts):
    allotment("ask", shifts)
    several = allotment("explain", shifts)
    assert several.code == 2
    assert f"{WEDNESDAY} has a plan for each of early, late, night; expected --situation" in several.err


def test_one_file_holds_the_sheets_of_all_shifts(allotment, shifts, tmp_path):
    allotment("ask", shifts)
    done = allotment("sheet", shifts, "--out", "all.html")
    assert done.out == (
        f"all.html holds the duty sheets of plan 1 (early), plan 2 (late), plan 3 (night) for {WEDNESDAY}.\n"
    )
    page = (tmp_path / "all.html").read_text()
    assert [f"25 March 2026 · {each}</h1>" in page for each in ("early", "late", "night")] == [True] * 3
    one = allotment("sheet", shifts, "--situation", "late", "--out", "late.html")
    assert one.out == f"late.html holds the duty sheet of plan 2 (late) for {WEDNESDAY}.\n"
    assert (tmp_path / "late.html").read_text().count("<h1>") == 1


def test_an_import_says_which_situations_its_rows_got(allotment, week, tmp_path):
    rows = "2026-03-20,Dock,1,1,\n2026-03-21,Dock,1,0,\n2026-03-20,Gate,1,0,weekend\n"
    (tmp_path / "log.csv").write_text(f"date,place,amount,incidents,situation\n{rows}")
    assert "Situations: weekday 1, weekend 2." in allotment("import", week, "log.csv").out


NEW = ("new", "new.db", *PLACES, "--situations", "weekday,weekend")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("new", "new.db", *PLACES, "--budget", 6, "--calendar", "week.toml"), "a calendar needs situations"),
        ((*NEW, "--budget", "weekday=6"), "the budget in weekend is missing"),
        ((*NEW, "--budget", 6, "--most", "Dock=1@wekend"), "Did you mean weekend?"),
        ((*NEW, "--budget", 6, "--most", 2, "--most", 3), "--most is '2'; expected a name and a value"),
        (("new", "new.db", *PLACES, "--budget", 6, "--most", "1@night"), "this campaign has none"),
        (("tell", "week.db", "--date", SATURDAY, "--situation", "weekday", "Dock=1"), "date and situation"),
        ((*NEW, "--budget", "weekday=6,5"), "--budget is '5'; expected a name and a value, such as night=8"),
        ((*NEW, "--budget", 6, "--calendar", "none.toml"), "cannot read none.toml"),
        ((*NEW, "--budget", 6, "--calendar", "zones.csv"), "zones.csv is not TOML"),
        ((*NEW, "--budget", 6, "--calendar", "shifts.toml"), "there is no situation named 'late'"),
        (("ask", "week.db", "--situation", "wekend"), "Did you mean weekend?"),
        (("change", "week.db", "--most", "Dock=1@wekend"), "Did you mean weekend?"),
        (("change", "week.db", "--most", "1@wekend"), "Did you mean weekend?"),
        (("change", "week.db", "--situations", "weekday"), "situation 'weekend' is left out"),
        (("tell", "week.db", "--plan", "1", "--situation", "weekend"), "both --plan and --situation"),
        (("show", "week.db", "--situation", "weekend"), "there is no plan yet in situation weekend"),
        (("cancel", "week.db"), "a plan is named by its number, or by --date and --situation"),
        (("undo", "week.db", "--situation", "weekend"), f"there is no plan for {WEDNESDAY} (weekend)"),
        (
            ("close", "week.db", "1", "--situation", "weekend"),
            "close needs the numbers of plans, or --before",
        ),
    ],
)
@pytest.mark.usefixtures("week")
def test_wrong_situations_get_one_sentence(allotment, tmp_path, arguments, sentence):
    done = allotment(*arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert not (tmp_path / "new.db").exists()


def test_a_campaign_without_situations_says_so(allotment, night):
    assert "This campaign has no situations." in allotment("situations", night).out
    refused = allotment("ask", night, "--situation", "late")
    assert (refused.code, "this campaign has none" in refused.err) == (2, True)
    assert "situation" not in allotment("ask", night).out + allotment("status", night).out


SCREENS = [
    *(("ask",), ("show",), ("status",), ("explain", "--situation", "night"), ("frontier",), ("situations",)),
    *(("forecast", "--rounds", "3"), ("what-if", "--situation", "late", "--budget", "late=5")),
    *(("sheet", "--out", "sheet.html"), ("history",), ("cancel", "--date", "today")),
]


def test_screens_of_three_shifts_fit(allotment, shifts, monkeypatch):
    allotment("ask", shifts)
    allotment("change", shifts, "--most", "Dock=2@night", "--least", "0.5@night")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    for command, *rest in SCREENS:
        done = allotment(command, shifts, *rest)
        lines = (done.out + done.err).splitlines()
        assert max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]
