"""The commands of campaigns: what planners type, and what they see."""

import csv
import getpass
import io
import json

import pytest

from allotment import Campaign
from allotment.cli.campaigns.shared import print_csv

pytestmark = pytest.mark.usefixtures("at_work")


def plain(text):
    return " ".join(text.split())


def test_the_first_three_commands(allotment, night):
    asked = allotment("ask", night)
    assert asked.code == 0
    assert "place amount" in plain(asked.out)
    assert "Plan 1 of" in asked.out
    assert allotment("tell", night, "Dock=1", "Gate=0").out.endswith(
        "Dock 1, Gate 0; still to be reported: Yard.\n"
    )
    assert allotment("tell", night, "Yard=0", "--amount", "Yard=1,5").out.endswith(
        "reported: Dock 1, Gate 0, Yard 0.\n"
    )
    assert json.loads(allotment("show", night, "--json").out)["told_amounts"] == {"Yard": 1.5}
    status = json.loads(allotment("status", night, "--json").out)
    assert [arm["arm"] for arm in status["arms"]] == ["Dock", "Gate", "Yard"]
    assert status["arms"][0]["losses"] == 1


@pytest.mark.parametrize("count", ["--1", "9" * 5000, "-1", "1_0", "٣"])
def test_losses_that_are_no_number(allotment, night, count):
    allotment("ask", night)
    for plan in ("1", "2"):
        told = allotment("tell", night, f"Dock={count}", "--plan", plan)
        assert (told.code, told.err.count("\n")) == (2, 1)
    assert "there is no plan '2'; expected one of 1 to 1" in told.err


def test_rows_as_csv_hold_nothing_that_a_spreadsheet_computes(capsys):
    print_csv(("place", "more"), [("=1+1", -1), ("@x", None)])
    assert capsys.readouterr().out == "place,more\n'=1+1,-1\n'@x,\n"


def test_a_report_from_a_file(allotment, night, tmp_path):
    allotment("ask", night)
    allotment("ask", night, "--also")
    (tmp_path / "losses.csv").write_text("place;losses;amount\nDock;1;2,5\nGate;;\nYard;0;\n")
    several = allotment("tell", night, "--file", "losses.csv")
    assert several.code == 2
    assert several.err.endswith(" await reports; expected --plan and a number\n")
    told = allotment("tell", night, "--file", "losses.csv", "--plan", "2", "--json")
    assert json.loads(told.out) == {"plan": "2", "still_to_be_reported": ["Gate"]}
    again = allotment("tell", night, "Dock=", "--plan", "2", "--correct", "--json")
    assert json.loads(again.out)["still_to_be_reported"] == ["Dock", "Gate"]


def test_undo_cancel_import_and_history(allotment, night, tmp_path):
    allotment("ask", night)
    allotment("tell", night, "Dock=1", "--author", "Ada")
    assert allotment("undo", night, "1").out == "The report of plan 1 (Dock 1; by Ada) is undone.\n"
    assert allotment("cancel", night, "1").out == "Plan 1 is cancelled.\n"
    (tmp_path / "log.csv").write_text("date,place,incidents\n2025-01-01,Dock,1\n2025-01-03,Gate,1\n")
    period = ("--period", "2025-01-01", "2025-01-05", "--amount", "0")
    trial = allotment("import", night, "log.csv", *period, "--dry-run")
    assert "2 rows read, 10 rows of evidence (10 rounds, 2 incidents), 8 of them quiet days" in trial.out
    done = allotment("import", night, "log.csv", *period)
    assert "To take it back: allotment undo night.db import-1" in done.out
    undone = allotment("undo", night, "import-1", "--author", "Bo").out
    assert undone == f"import-1 (log.csv, 10 rows of evidence; by {getpass.getuser()}) is undone.\n"
    (tmp_path / "bad.csv").write_text(
        "date,place,amount,incidents\n2025-01-01,Dock,0,0\n2025-01-01,Shed,0,-1\n"
    )
    bad = allotment("import", night, "bad.csv")
    assert bad.code == 2
    assert "there is no place named 'Shed'" in bad.err
    assert bad.err.startswith("allotment: line 3 of bad.csv was refused and nothing was imported: ")
    kinds = [row["kind"] for row in csv.DictReader(io.StringIO(allotment("history", night, "--csv").out))]
    assert kinds == ["created", "asked", "told", "undone", "cancelled", "imported", "undone"]


def test_arms_and_change(allotment, night):
    assert allotment("places", night, "--add", "Shed", "--most", 1).code == 0
    allotment("places", night, "--rename", "Gate", "Main gate")
    allotment("places", night, "--retire", "Yard")
    rows = json.loads(allotment("places", night, "--json").out)
    assert [(row["name"], row["state"]) for row in rows] == [
        ("Dock", "active"),
        ("Main gate", "active"),
        ("Yard", "retired"),
        ("Shed", "active"),
    ]
    allotment("places", night, "--restore", "Yard")
    assert allotment("places", night, "--retire", "Yard", "--restore", "Dock").code == 2
    changes = (
        "--budget",
        3,
        "--most",
        "Dock=1",
        "--severity",
        2,
        "--half-life",
        30,
        "--group",
        "north=0.5:2",
    )
    done = allotment("change", night, *changes)
    assert done.out == (
        "Changed, from the next plan on: budget 6 → 3, least of north 0 → 0.5, most of north none → 2, "
        "half-life none → 30, most of Dock 4 → 1, severity of Dock 1 → 2, severity of Yard 1 → 2, severity "
        "of Shed 1 → 2.\n"
    )
    plan = json.loads(allotment("ask", night, "--json").out)
    assert plan["budget"] == 3
    assert 0.5 <= plan["amounts"]["Dock"] + plan["amounts"]["Main gate"] <= 2
    allotment("change", night, "--half-life", "none", "--threshold", "Dock=1")
    assert "no setting to change is given" in allotment("change", night).err


def test_questions(allotment, night):
    assert (
        allotment("explain", night).err
        == "allotment: there is no plan yet; expected a plan first; `allotment ask` makes one\n"
    )
    allotment("ask", night)
    assert "This is the first plan." in allotment("explain", night).out
    assert "more would" in allotment("frontier", night).out
    header, *rows = csv.reader(io.StringIO(allotment("frontier", night, "--csv").out))
    assert header[:2] == ["budget", "expected losses"]
    assert len(rows) > 5
    tried = json.loads(allotment("what-if", night, "--budget", 2, "--exclude", "Dock", "--json").out)
    assert tried["amounts"]["Dock"] == 0
    assert sum(tried["amounts"].values()) == 2
    forecast = json.loads(allotment("forecast", night, "--rounds", 3, "--json").out)
    assert [each["plans_by"] for each in forecast["outlooks"]] == [
        "this policy",
        "equal split",
        "hot spots",
        "today's plan repeated",
    ]
    assert len(json.loads(allotment("history", night, "--json").out)) == 2


def test_explain_takes_a_plan_or_a_place(allotment, night):
    allotment("ask", night, "--date", "2026-01-01", "--exclude", "Gate")
    allotment("ask", night, "--date", "2026-01-02")
    assert allotment("explain", night).out.startswith("Plan 2 of 2026-01-02 is expected to prevent")
    assert "Gate gets nothing: an order of the day excludes it." in plain(
        allotment("explain", night, "1").out
    )
    assert "place gets" in plain(allotment("explain", night, "--table").out)
    story = plain(allotment("explain", night, "Gate", "--plan", "1").out)
    assert story.startswith("amount expected losses expected cost rounds reported losses reported")
    assert "Gate gets nothing: an order of the day excludes it." in story
    assert "0.5 more would prevent" not in story  # an order stands against it
    assert "Bounds now: 0 to 3 in units of 0.5." in story
    rows = list(csv.DictReader(io.StringIO(allotment("explain", night, "Gate", "--csv").out)))
    assert [row["amount"] for row in rows] == ["0", "0.5", "1", "1.5", "2", "2.5", "3"]  # up to its most
    assert float(rows[1]["expected cost"]) == pytest.approx(2 * float(rows[1]["expected losses"]))
    assert allotment("explain", night, "Duck").code == 2


def test_a_target_for_the_frontier(allotment, night):
    found = json.loads(allotment("frontier", night, "--target", "3", "--cost", "--json").out)
    assert found["budget_for_target"] == found["at_target"]["budget"]
    assert found["at_target"]["expected_cost"] <= 3
    assert "not reachable with what the places can use" in allotment("frontier", night, "--target", "0").out
    alone = allotment("frontier", night, "--cost")
    assert (alone.code, alone.err) == (
        2,
        "allotment: --cost is given without --target; expected --target and a cost\n",
    )
    assert "--target is 'few'" in allotment("frontier", night, "--target", "few").err


def test_what_if_never_calls_its_plan_waiting(allotment, night):
    allotment("ask", night)
    tried = allotment("what-if", night, "--budget", 2).out
    assert "waiting" not in tried
    assert "place amount current difference" in plain(tried)
    assert "plan 1 " in tried


def test_check_says_when_it_is_too_early(allotment, night):
    said = allotment("check", night).out
    assert "calendar too early" in plain(said) and "it takes 28" in said
    findings = json.loads(allotment("check", night, "--json").out)["findings"]
    assert [each["state"] for each in findings] == ["too early"] * 3
    assert allotment("check", night, "--csv").out.startswith("check,result,evidence,remedy,command\n")
    assert "allotment check" not in allotment("status", night).out  # there is nothing to check yet


def test_pictures(allotment, night, tmp_path):
    for command in ("status", "frontier", "forecast", "record"):
        assert allotment(command, night, "--plot", f"{command}.svg").code == 0
        assert (tmp_path / f"{command}.svg").read_text().count("<path") > 5
    assert "picture format is 'txt'" in allotment("frontier", night, "--plot", "a.txt").err


def test_safety(allotment, night):
    allotment("ask", night)
    assert allotment("verify", night, "--plans").out == "night: 2 events, all as they should be.\n"
    assert [allotment("export", night, "history.jsonl").code for _ in range(2)] == [0, 2]
    assert allotment("export", night, "history.jsonl", "--overwrite").code == 0
    assert "zones.csv is there already" in allotment("export", night, "zones.csv").err
    assert allotment("export", night, "zones.csv", "--overwrite").code == 0
    assert allotment("replay", "history.jsonl", "other.db").out == "Campaign night is in other.db.\n"
    assert allotment("backup", night, "copy.db").code == 0
    assert allotment("verify", "copy.db").code == 0
    assert allotment("backup", night, "copy.db").code == 2


def test_a_plan_of_forty_places_fits_on_a_page(allotment, tmp_path):
    (tmp_path / "many.csv").write_text("name\n" + "".join(f"Zone {i}\n" for i in range(40)))
    done = allotment("new", "many.db", "--places", "many.csv", "--most", 2, "--budget", 30, "--unit", 0.5)
    assert done.code == 0, done.err
    assert len(allotment("ask", "many.db").out.splitlines()) <= 50


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("ask", "none.db"),
            "there is no file none.db; expected the file of a campaign; `allotment new` makes one",
        ),
        (("ask", "zones.csv"), "cannot use zones.csv: it is not a store of campaigns"),
        (
            ("ask", "night.db", "--fix", "Dock"),
            "--fix is 'Dock'; expected a name and a value, such as Dock=1",
        ),
        (("ask", "night.db", "--budget", "much"), "budget is 'much'; expected a finite number of at least 0"),
        (("ask", "night.db", "-c", "day"), "night.db holds no campaign named 'day'; expected one of night"),
        (
            ("tell", "night.db", "Dock=1"),
            "no plan awaits a report; expected a plan first; `allotment ask` makes one",
        ),
        (("tell", "night.db", "Dock=1", "--plan", "9" * 5000), "there is no plan yet"),
        (("cancel", "night.db", "9" * 5000), "there is no plan yet"),
        (("undo", "night.db", "7"), "there is no plan yet; expected a plan first; `allotment ask` makes one"),
        (("import", "night.db", "none.csv"), "cannot read none.csv: No such file or directory"),
        (("record", "night.db", "--by", "year"), "by is 'year'; expected one of month, week, situation"),
        (("forecast", "night.db", "--rounds", "0"), "rounds is 0; expected a whole number of at least 1"),
        (
            ("new", "b.db", "--places", "none.csv", "--budget", "1", "--unit", "1"),
            "cannot read none.csv: No such file",
        ),
        (
            ("new", "night.db", "--places", "zones.csv", "--budget", "6", "--unit", "1"),
            "already holds a campaign named",
        ),
        (
            ("new", "b.db", "--places", "zones.csv", "--budget", "6", "--unit", "1", "--group", "x=1:2"),
            "--group names 'x'",
        ),
        (("ask", "mysql://here/there"), "store is 'mysql'; expected a file, or a postgresql:// address"),
    ],
)
def test_bad_input_is_one_sentence(allotment, night, arguments, sentence):
    done = allotment(*arguments)
    assert done.code == 2
    assert done.err.startswith("allotment: ")
    assert sentence in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", ["what-if", "change"])
def test_a_group_needs_places_with_groups(allotment, at_work, tmp_path, command):
    (tmp_path / "zones.csv").write_text("name,most\nDock,4\nGate,3\n")
    allotment("new", "plain.db", "--places", "zones.csv", "--budget", 6, "--unit", 1)
    done = allotment(command, "plain.db", "--group", "north=1:2")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "allotment: --group names 'north', but no place has a group; expected a column group in the table of "
        "places; in a campaign that exists, set the group on each place's page (`allotment serve`)\n"
    )


def test_warm_up(allotment):
    assert allotment("warm-up", "--campaigns").out.startswith("Compiling what campaigns decide with;")


def test_help_has_a_panel_for_planners(allotment):
    out = allotment("--help").out
    planners, laboratory = out.split("Laboratory, to study policies:")
    assert "Campaigns, to plan every day:" in planners
    for command in ("new", "ask", "tell", "forecast", "verify"):
        assert f"\n  {command} " in planners
    assert "\n  simulate " in laboratory


def test_the_laboratory_loads_no_database():
    import subprocess
    import sys

    program = (
        "import sys; sys.argv = ['allotment', '--version']\n"
        "from allotment.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('sqlalchemy', 'alembic', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.filterwarnings("always::allotment.StoreWarning")
def test_a_password_in_an_address_is_warned_of_and_never_shown(allotment):
    answer = allotment("status", "postgresql://bob:sesame@127.0.0.1:1/x")
    assert answer.code == 2
    assert "set PGPASSWORD or write a .pgpass file" in plain(answer.err)
    mistyped = allotment(
        "new", "postgresql:/bob:sesame@h/x", "--places", "zones.csv", "--budget", 6, "--unit", 1
    )
    assert mistyped.code == 2
    assert "sesame" not in answer.err + mistyped.err


def test_groups_are_found_in_either_spelling(allotment, tmp_path):
    (tmp_path / "zones.csv").write_text(
        "name,most,group\nDock,4,Cafe\u0301\nGate,3,Caf\u00e9\n", encoding="utf-8"
    )
    begun = ("new", "night.db", "--places", "zones.csv", "--budget", 6, "--unit", 1)
    assert allotment(*begun, "--group", "Cafe\u0301=1:2").code == 0
    assert allotment("change", "night.db", "--group", "Cafe\u0301=1:3").code == 0
    asked = json.loads(allotment("ask", "night.db", "--json").out)
    assert 1 <= sum(asked["amounts"].values()) <= 3


def test_numbers_that_would_brick_a_campaign(allotment, night):
    for option, value in (
        ("--half-life", "1e-400"),
        ("--severity", "Dock=1e-400"),
        ("--budget", "1E-999999"),
    ):
        changed = allotment("change", night, option, value)
        assert changed.code == 2
        assert "1E-100" in changed.err
    assert allotment("status", night).code == 0


@pytest.mark.parametrize(
    "command",
    [("restore", "ADDRESS", "n.db"), ("backup", "n.db", "ADDRESS"), ("replay", "ADDRESS", "z.db")],
)
def test_an_address_in_a_files_place_is_not_repeated(allotment, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Campaign.create("n.db", "n", arms=["A"], budget=1, unit=1, most=1).close()
    for address in ("postgresql://bob:pwd@h/x", "postgresql:/bob:pwd@h/x"):
        answer = allotment(*(address if part == "ADDRESS" else part for part in command))
        assert answer.code == 2
        assert "pwd" not in answer.err


def test_a_duty_sheet_of_today_or_of_a_date(allotment, night, tmp_path):
    none = allotment("sheet", night, "--out", "sheet.html")
    assert (none.code, none.err) == (
        2,
        "allotment: there is no plan yet; expected a plan first; `allotment ask` makes one\n",
    )
    allotment("ask", night, "--date", "2026-03-31", "--fix", "Dock=2.5")
    latest = allotment("sheet", night, "--out", "sheet.html")
    assert (latest.code, latest.out) == (0, "sheet.html holds the duty sheet of plan 1 for 2026-03-31.\n")
    assert "Tuesday, 31 March 2026" in (tmp_path / "sheet.html").read_text()
    allotment("ask", night)
    allotment("ask", night, "--date", "2026-04-01")
    assert "plan 2 for" in allotment("sheet", night, "--out", "sheet.html").out
    assert "plan 3 for" in allotment("sheet", night, "--out", "sheet.html", "--date", "2026-04-01").out
    assert "plan 1 for" in allotment("sheet", night, "--out", "sheet.html", "--plan", "1").out
    other = allotment("sheet", night, "--out", "sheet.html", "--date", "2026-05-01")
    assert (other.code, other.err) == (
        2,
        "allotment: there is no plan for 2026-05-01; expected a plan first; `allotment ask` makes one\n",
    )
    picture = allotment("sheet", night, "--out", "sheet.png")
    assert (picture.code, picture.err.count("\n")) == (2, 1)


def test_crews_and_moves(allotment, tmp_path):
    (tmp_path / "crews.csv").write_text("name,most,crew\nDock,4,2\nGate,3,\nYard,4,1.5\n")
    options = ("--arms", "crews.csv", "--budget", 6, "--unit", 0.5, "--seed", 1)
    assert allotment("new", "calm.db", *options, "--crew", 3, "--moves", 2).code == 0
    places = json.loads(allotment("arms", "calm.db", "--add", "Shed", "--most", 1, "--crew", 1, "--json").out)
    assert [row["crew"] for row in places] == [2, 3, 1.5, 1]
    allotment("ask", "calm.db", "--date", "2026-03-30")
    asked = allotment("ask", "calm.db", "--date", "2026-03-31", "--moves", 1)
    assert "over plan 1; the limit of moves is 1." in plain(asked.out)
    assert "limit of moves" in plain(allotment("explain", "calm.db").out)
    other = allotment("ask", "calm.db", "--date", "2026-03-31", "--moves", 5)
    assert "plan 2 of 2026-03-31 was made with moves limited to 1; expected the same orders" in other.err
    tried = allotment("what-if", "calm.db", "--date", "2026-04-01", "--moves", 0, "--crew", 1, "--json")
    assert json.loads(tried.out)["calm"]["limit"] == 0
    assert allotment("change", "calm.db", "--moves", "none", "--crew", "Dock=0").code == 0
    with Campaign.open("calm.db") as campaign:
        assert (campaign.settings.moves, campaign.settings.arms[0].crew) == (None, 0)
    for wrong in (("--moves", "-1"), ("--moves", "few"), ("--crew", "Gate=3.5"), ("--crew", "0.3")):
        refused = allotment("change", "calm.db", *wrong)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "there is no place" not in refused.err
