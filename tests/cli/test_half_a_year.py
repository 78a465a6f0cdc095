"""What half a year of planning by hand stumbled over: screens say what was done, once and in few words."""

import pytest

from allotment import Campaign

PLACES = [f"Post {i + 1}" for i in range(12)]


@pytest.fixture
def watch(allotment, at_work, tmp_path):
    """A campaign of twelve places in three districts; each has a crew of two units."""
    rows = [f"{name},3,{1 if i % 4 else 3},district {i % 3 + 1},2" for i, name in enumerate(PLACES)]
    (tmp_path / "posts.csv").write_text("\n".join(["name,most,severity,group,crew", *rows]))
    done = allotment("new", "watch.db", "--places", "posts.csv", "--budget", 16, "--unit", 1, "--seed", 1)
    assert done.code == 0, done.err
    return "watch.db"


def test_a_report_is_repeated_with_quiet_places_counted(allotment, watch):
    allotment("ask", watch, "--date", "2026-03-01")
    options = ("--date", "2026-03-01")
    partly = allotment("tell", watch, "Post 3=1", "Post 4=0", *options).out
    assert partly == (
        "Plan 1 of 2026-03-01: Post 3 1, Post 4 0; still to be reported: Post 1, Post 2, Post 5, Post 6, "
        "Post 7, Post 8, Post 9, Post 10 and 2 more.\n"
    )
    fully = allotment("tell", watch, "--others", "quiet", *options).out
    assert fully == "Plan 1 of 2026-03-01 is fully reported: Post 3 1, 11 others quiet.\n"
    assert "    plan 1 of 2026-03-01: 10 places quiet\n" in allotment("history", watch, "--kind", "told").out
    assert allotment("undo", watch, 1).out.startswith("The report of plan 1 (Post 3 1, 11 others quiet; by ")
    allotment("tell", watch, "--others", "quiet", *options)
    again = allotment("tell", watch, "Post 3=1", *options)
    assert (again.code, again.err) == (
        2,
        "allotment: plan 1 was told 0 for Post 3 before, and now 1; expected the same, or --correct "
        "(correct=True) to replace it\n",
    )


def test_ctrl_c_ends_the_line_of_the_question(allotment, night, monkeypatch):
    class Impatient:
        def isatty(self):
            return True

        def readline(self):
            raise KeyboardInterrupt

    allotment("ask", night)
    monkeypatch.setattr("sys.stdin", Impatient())
    assert "(granted 2): \nallotment: interrupted; nothing was answered" in allotment("tell", night).err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--add", "Shed", "--most", 2), "Shed is added, from the next plan on."),
        (
            ("--rename", "Post 1", "Gate"),
            "Post 1 is now called Gate. The old name is still understood.",
        ),
        (
            ("--retire", "Post 1"),
            "Post 1 is retired: from the next plan on, it gets nothing. Its evidence is kept.",
        ),
    ],
)
def test_a_change_of_places_is_said(allotment, watch, options, sentence):
    assert allotment("places", watch, *options).out == f"{sentence}\n"


def test_a_retired_place_comes_back(allotment, watch):
    allotment("places", watch, "--retire", "Post 1")
    assert allotment("places", watch, "--restore", "Post 1").out == (
        "Post 1 is active again, from the next plan on.\n"
    )


def test_a_change_of_settings_is_said(allotment, watch):
    assert allotment("change", watch, "--budget", 15, "--most", "Post 1=2").out == (
        "Changed, from the next plan on: budget 16 → 15, most of Post 1 3 → 2.\n"
    )
    assert allotment("change", watch, "--budget", 15).out == (
        "Changed, from the next plan on: no setting differs.\n"
    )
    nothing = allotment("change", watch)
    assert (nothing.code, nothing.err) == (
        2,
        "allotment: no setting to change is given; expected an option such as --budget 7\n",
    )


def test_a_crew_that_the_limit_of_moves_rules_out_is_named(allotment, watch):
    assert "limit of" not in allotment("change", watch, "--moves", 2).out
    for name in PLACES[2:]:
        allotment("change", watch, "--crew", f"{name}=0")
    warning = (
        "With a limit of 1 move, Post 1 cannot get its crew after a plan with nothing there. Allow 2 moves, "
        "or lower the crew."
    )
    changed = allotment("change", watch, "--moves", 1, "--least", "Post 2=2")  # Post 2 always gets something
    assert changed.out.endswith(f"\n{warning}\n")
    assert warning in allotment("status", watch).out
    assert warning in allotment("places", watch, "--retire", "Post 3").out
    begun = allotment("new", "n.db", "--places", "posts.csv", "--budget", 9, "--unit", 1, "--moves", 1)
    assert "Post 8 and 4 more cannot get their crews after a plan with nothing there." in begun.out
    assert "limit of" not in allotment("change", watch, "--moves", "none").out


def test_explain_and_show_speak_of_the_same_plan(allotment, watch):
    allotment("ask", watch)
    allotment("ask", watch, "--exclude", "Post 1", "--again")
    shown = allotment("show", watch).out
    assert ", waiting: 16 of 16 granted. It replaces plan 1.\nOrders of the day: Post 1 excluded.\n" in shown
    allotment("cancel", watch, 2)
    allotment("undo", watch, 1)
    assert allotment("show", watch).out.splitlines()[-2].startswith("Plan 1 of ")
    assert allotment("explain", watch).out.startswith("Plan 1 of ")
    assert allotment("explain", watch, "--plan", 2).out.startswith("Plan 2 of ")
    assert allotment("explain", watch, "--date", "today").out.startswith("Plan 1 of ")
    assert allotment("explain", watch, "Post 1").out.splitlines()[6].startswith("Plan 1 of ")


def test_one_mistake_in_a_log_is_said_once(allotment, watch, tmp_path):
    (tmp_path / "log.csv").write_text(
        "date,place,amount,incidents\n2025-01-01,Pots 1,0,0\n2025-01-02,Post 1,0,0\n"
    )
    refused = allotment("import", watch, "log.csv")
    assert refused.out == (
        "log.csv: 2 rows read, 1 row of evidence (1 round, 0 incidents).\n"
        "From 2025-01-02 to 2025-01-02, 1 place.\n1 line refused, so nothing is imported.\n"
    )
    assert refused.err.endswith(": there is no place named 'Pots 1'. Did you mean Post 1?\n")
    columns = "date=Date,place=Platz,incidents=incidents"
    wrong = allotment("import", watch, "log.csv", "--columns", columns)
    assert wrong.err.startswith("allotment: the log has no column 'Platz' for place")


def test_wrong_words_get_the_right_ones(allotment, watch):
    assert allotment("tel", watch).err == (
        "allotment: no such command 'tel'. Did you mean 'tell'? See `allotment --help`\n"
    )
    spaced = allotment("explain", watch, "Post", "1").err
    assert "put a name that has spaces in quotes; see `allotment explain --help`" in spaced
    assert allotment("tell", watch, "Post", "1=1").err == (
        "allotment: a report is 'Post'; expected a name and a value, such as Dock=1 or \"Main gate=1\"\n"
    )
    assert allotment("show", watch, "--date", "31.02.26").err == (
        "allotment: date is '31.02.26'; expected a date such as 2026-03-31 or 31.3.26, or yesterday, today, "
        "tomorrow\n"
    )


def test_history_says_that_it_is_cut(allotment, watch):
    for _ in range(20):
        allotment("ask", watch, "--also")
    assert "of 21 events" not in allotment("history", watch).out
    for _ in range(15):
        allotment("ask", watch, "--also")
    said = allotment("history", watch).out
    assert "\nThese are the last 30 of 36 events; --all shows all of them.\n" in said
    assert "events; --all" not in allotment("history", watch, "--all").out


def test_differences_stand_below_each_other(allotment, watch):
    out = allotment("what-if", watch, "--budget", 12).out
    rows = [line for line in out.splitlines() if line.startswith("Post")]
    ends = {len(row.rstrip()) for row in rows if row.rstrip().split()[-1][0] in "+-"}
    assert len(ends) == 1


def test_a_second_campaign_in_a_file_is_named(allotment, watch):
    done = allotment("new", watch, "--name", "day", "--places", "posts.csv", "--budget", 9, "--unit", 1)
    assert done.out.endswith("watch.db also holds watch. Name the campaign with --campaign.\n")
    with Campaign.open(watch, "day") as campaign:
        assert campaign.settings.budget == 9
