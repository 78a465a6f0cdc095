"""A planner's day: the plan of a date, its report at the prompt, closing, undoing and what comes next."""

import io
import json
import shlex
import signal
from datetime import UTC, datetime

import pytest

import campaign_decider
from allotment import Campaign, StoreError
from allotment.campaign.forms import names

EVENING = datetime(2026, 3, 31, 17, 0, tzinfo=UTC)
TODAY, YESTERDAY = "2026-03-31", "2026-03-30"


class Terminal(io.StringIO):
    """Lines that someone types at a terminal; an exception among them happens instead of a line."""

    def __init__(self, *lines):
        super().__init__()
        self.lines = list(lines)

    def isatty(self):
        return True

    def readline(self):
        line = self.lines.pop(0) if self.lines else ""
        if not isinstance(line, str):
            raise line
        return f"{line}\n" if self.lines or line else line


@pytest.fixture(autouse=True)
def at_work(monkeypatch, tmp_path):
    campaign_decider.install(monkeypatch.setattr)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(names, "now", lambda: EVENING)
    monkeypatch.setenv("ALLOTMENT_BACKGROUND", "0")


@pytest.fixture
def night():
    settings = {"budget": 6, "unit": 0.5, "most": 4, "seed": 1, "timezone": "Europe/Vienna"}
    Campaign.create("night.db", "night", arms=["Dock", "Gate", "Yard"], **settings, author="Ada").close()
    return "night.db"


@pytest.fixture
def typed(allotment, monkeypatch):
    """Runs a command at a terminal, at which lines are typed."""

    def run(*arguments, lines):
        monkeypatch.setattr("sys.stdin", Terminal(*lines))
        return allotment(*arguments)

    return run


def told(plan="1"):
    with Campaign.open("night.db") as campaign:
        return campaign.plan(plan).told


def kinds():
    with Campaign.open("night.db") as campaign:
        return [event.kind for event in campaign.history()][1:]


def test_the_prompt_refuses_what_cannot_be_right_and_says_why(allotment, night, typed):
    allotment("ask", night)
    done = typed("tell", night, lines=["3", "what", "", "1", "0", "0"])
    assert done.out == f"Plan 1 of {TODAY} is fully reported: Dock 1, Gate 0, Yard 0.\n"
    assert "Dock=3, but this campaign records yes or no (0 or 1). To record counts, create it" in done.err
    assert "losses of 'Dock' is 'what'; expected 0 or 1\n" in done.err
    assert "Enter alone is no answer: 0 is quiet, - is not reported" in done.err
    assert told() == {"Dock": 1, "Gate": 0, "Yard": 0}


def test_back_not_reported_and_all_quiet(allotment, night, typed):
    allotment("ask", night)
    done = typed("tell", night, lines=["1", "0", "<", "<", "0", "1", "*", "n", "-"])
    assert "Gate (granted 2, 0 so far):" in done.err
    assert done.out == f"Plan 1 of {TODAY}: Dock 0, Gate 1; still to be reported: Yard.\n"
    assert told() == {"Dock": 0, "Gate": 1}
    allotment("ask", night, "--also")
    quiet = typed("tell", night, "--plan", "2", lines=["1", "1", "<", "<", "*", "y"])
    assert "2 places quiet: Dock, Yard? (y/n)" in quiet.err  # Gate has an answer
    assert told("2") == {"Dock": 0, "Gate": 1, "Yard": 0}


@pytest.mark.parametrize(
    ("end", "code", "sentence"),
    [
        (KeyboardInterrupt(), 130, "interrupted; the answers for 2 places are kept as a partial report"),
        (OSError(5, "Input/output error"), 2, "the answers for 2 places are kept as a partial report"),
        ("", 0, ""),
    ],
)
def test_answers_are_kept_whatever_ends_the_prompt(allotment, night, typed, end, code, sentence):
    allotment("ask", night)
    broken = typed("tell", night, "--key", "k", lines=["1", "0", end])
    assert broken.code == code
    assert sentence in broken.err
    assert told() == {"Dock": 1, "Gate": 0}
    rest = typed("tell", night, "--key", "k", lines=["0"])  # the same key is no conflict
    assert (rest.code, told()) == (0, {"Dock": 1, "Gate": 0, "Yard": 0})


def test_a_signal_while_the_answers_are_recorded_loses_none(allotment, night, typed, monkeypatch):
    allotment("ask", night)
    record = Campaign.tell

    def interrupted(*arguments, **options):
        signal.raise_signal(signal.SIGTERM)  # as SIGHUP comes a moment after the terminal is gone
        return record(*arguments, **options)

    monkeypatch.setattr(Campaign, "tell", interrupted)
    done = typed("tell", night, lines=["1", OSError(5, "Input/output error")])
    assert (done.code, told()) == (143, {"Dock": 1})


def test_answers_that_cannot_be_recorded_are_shown_as_a_command(allotment, night, typed, monkeypatch):
    allotment("ask", night)

    def full(*arguments, **options):
        raise StoreError("cannot use night.db: the disk is full; nothing was written")

    with monkeypatch.context() as patch:
        patch.setattr(Campaign, "tell", full)
        lost = typed("tell", night, lines=["1", "0", "1"])
    command, reason = lost.err.splitlines()[-2:]
    assert (lost.code, reason) == (2, "allotment: cannot use night.db: the disk is full; nothing was written")
    assert command == "allotment tell night.db -c night --plan 1 Dock=1 Gate=0 Yard=1"
    assert allotment(*shlex.split(command)[1:]).code == 0
    assert told() == {"Dock": 1, "Gate": 0, "Yard": 1}


def test_nothing_answered_is_nothing_recorded(allotment, night, typed):
    allotment("ask", night)
    assert "nothing was answered" in typed("tell", night, lines=[KeyboardInterrupt()]).err
    assert typed("tell", night, lines=[]).code == 2
    assert kinds() == ["asked"]
    allotment("tell", night, "--others", "quiet")
    full = typed("tell", night, "--plan", "1", lines=["1"])
    assert (full.code, full.err.count("\n")) == (2, 1)


def test_answers_that_another_report_contradicts_do_not_take_the_others_along(
    allotment, night, typed, monkeypatch
):
    allotment("ask", night)

    class Meanwhile(Terminal):
        def readline(self):
            if len(self.lines) == 1:
                with Campaign.open(night) as other:
                    other.tell("1", {"Dock": 0})
            return super().readline()

    monkeypatch.setattr("sys.stdin", Meanwhile("1", "1", "0"))
    done = allotment("tell", night)
    assert (done.code, told()) == (2, {"Dock": 0, "Gate": 1, "Yard": 0})
    assert "plan 1 was told 0 for Dock before, and now 1" in done.err


def test_others_quiet(allotment, night):
    allotment("ask", night)
    with Campaign.open(night) as campaign:
        campaign.rename_arm("Gate", "Main gate")
    done = allotment("tell", night, "Main gate=1", "--others", "quiet")
    assert done.out == f"Plan 1 of {TODAY} is fully reported: Dock 0, Gate 1, Yard 0.\n"
    assert told() == {"Dock": 0, "Gate": 1, "Yard": 0}
    wrong = allotment("tell", night, "--others", "loud")
    assert (wrong.code, wrong.err) == (2, "allotment: --others is 'loud'; expected quiet\n")


def test_ask_twice_makes_one_plan(allotment, night):
    first = allotment("ask", night, "--author", "Ada")
    second = allotment("ask", night)
    assert second.out == f"{first.out}Plan 1 was made before, by Ada.\n"
    with Campaign.open(night) as campaign:
        campaign.ask(date=YESTERDAY)
        campaign.tell("2", {"Dock": 1, "Gate": 0})
        campaign.change(budget=5)
        campaign.retire_arm("Yard")
    third = allotment("ask", night)
    assert third.out.endswith(
        "Since then: plan 2 was reported for 2 places (1 loss); budget changed; Yard was retired. "
        "To plan anew, add --again.\n"
    )
    assert json.loads(allotment("ask", night, "--json").out)["id"] == "1"
    assert kinds() == ["asked", "asked", "told", "changed", "arm retired"]


def test_again_replaces_the_waiting_plan_in_one_step(allotment, night):
    allotment("ask", night)
    asked = allotment("ask", night, "--again", "--budget", 4, "--key", "k")
    assert f"Plan 2 of {TODAY}, waiting" in asked.out
    assert (
        json.loads(allotment("ask", night, "--again", "--budget", 4, "--key", "k", "--json").out)["id"] == "2"
    )
    with Campaign.open(night) as campaign:
        assert [campaign.plan(plan).state for plan in ("1", "2")] == ["cancelled", "waiting"]
        campaign.verify(plans=True)
        campaign.export("history.jsonl")
        Campaign.replay("history.jsonl", "copy.db").close()
    assert kinds() == ["asked", "asked"]


@pytest.mark.parametrize(
    ("first", "then", "sentence"),
    [
        ((), ("--exclude", "Dock"), "was made without orders of the day; expected"),
        (
            ("--exclude", "Dock", "--fix", "Gate=1"),
            (),
            "was made with Gate fixed at 1, Dock excluded; expected",
        ),
        (("--budget", "4"), ("--budget", "3"), "was made with budget 4 instead of 6; expected"),
        (("--no-explore",), (), "was made with nothing granted to learn; expected"),
    ],
)
def test_other_orders_are_refused(allotment, night, first, then, sentence):
    allotment("ask", night, *first)
    refused = allotment("ask", night, *then)
    assert refused.code == 2
    assert f"plan 1 of {TODAY} {sentence} the same orders; or --again to replace the plan" in refused.err
    assert allotment("ask", night, *first).code == 0
    assert allotment("ask", night, *then, "--again").code == 0
    assert kinds() == ["asked", "asked"]


def test_a_plan_with_reports_is_not_replaced(allotment, night):
    allotment("ask", night)
    allotment("tell", night, "Dock=1")
    again = allotment("ask", night, "--again")
    assert again.err == (
        f"allotment: plan 1 of {TODAY} is partly told and cannot be replaced; "
        "expected --also for a second plan on that date\n"
    )
    assert allotment("close", night, 1).code == 0
    late = allotment("tell", night, "Gate=0")
    assert late.err.endswith("; expected --date or --plan of one that is closed or told\n")
    quiet = ("tell", night, "--date", "today", "--others", "quiet")
    for command, state in ((("show", night), "closed"), (quiet, "told")):
        assert allotment(*command).code == 0
        refused = allotment("ask", night)
        assert (refused.code, refused.err) == (
            2,
            f"allotment: plan 1 of {TODAY} is {state}; expected --also for a second plan on that date, or "
            "another date: --date tomorrow\n",
        )
    assert f"Plan 2 of {TODAY}, waiting" in allotment("ask", night, "--also").out
    assert "Plan 3 of 2026-04-01, waiting" in allotment("ask", night, "--date", "tomorrow").out
    assert allotment("ask", night, "--also", "--again").code == 2


def test_show(allotment, night):
    none = allotment("show", night)
    assert (none.code, none.err) == (
        2,
        "allotment: there is no plan yet; expected a plan first; `allotment ask` makes one\n",
    )
    asked = allotment("ask", night, "--date", YESTERDAY)
    assert allotment("show", night).out == asked.out
    today = allotment("ask", night)
    allotment("ask", night, "--date", "tomorrow")
    assert allotment("show", night).out == today.out
    assert allotment("show", night, "--date", "yesterday").out == asked.out
    assert allotment("show", night, "--plan", 1).out == asked.out
    missing = allotment("show", night, "--date", "2026-05-01")
    assert (missing.code, missing.err) == (
        2,
        "allotment: there is no plan for 2026-05-01; expected a plan first; `allotment ask` makes one\n",
    )
    assert allotment("show", night, "--date", TODAY, "--plan", 1).code == 2


def test_a_note_for_the_duty_sheet(allotment, night, tmp_path):
    asked = allotment("ask", night).out
    changed = allotment("change", night, "--note", "Meet at 6:45; bring radios")
    assert changed.out == "Changed: note none → Meet at 6:45; bring radios.\n"
    assert allotment("show", night).out == f"{asked}Note: Meet at 6:45; bring radios\n"
    assert allotment("sheet", night, "--out", tmp_path / "sheet.html").code == 0
    assert "Meet at 6:45; bring radios" in (tmp_path / "sheet.html").read_text("utf-8")
    assert "note none → Meet at 6:45; bring radios" in allotment("history", night).out
    assert allotment("change", night, "--note", "none").code == 0
    assert allotment("show", night).out == asked
    assert "has 501 characters; expected at most 500" in allotment("change", night, "--note", "x" * 501).err


def test_a_remark_is_in_the_history_under_its_date(allotment, night):
    said = allotment("remark", night, "Fair in town", "--date", "yesterday")
    assert said.out == f"The remark about {YESTERDAY} is in the history. It changes no plan.\n"
    assert "Fair in town" in allotment("history", night, "--date", "yesterday").out
    assert "Fair in town" not in allotment("history", night, "--date", "2026-01-01").out
    assert allotment("remark", night, " ").code == 2


def test_places_without_a_report(allotment, night):
    assert allotment("unreported", night).out == (
        "No active place has waited 7 days or longer for a report.\n"
    )
    allotment("ask", night, "--date", "2026-03-01")
    allotment("tell", night, "Dock=0", "--date", "2026-03-01")
    found = allotment("unreported", night, "--days", 10).out
    assert "never" in found and "\nDock" not in found and "had no report for at least 10 days" in found
    assert allotment("unreported", night, "--csv").out.startswith(
        "place,last report,no report since,days,plans"
    )
    assert allotment("unreported", night, "--days", 0).code == 2


def test_a_missing_report_does_not_block_tell(allotment, night):
    allotment("ask", night, "--date", "2026-03-01")
    allotment("ask", night)
    assert allotment("tell", night, "Dock=1").out.startswith(f"Plan 2 of {TODAY}: Dock 1; still")
    assert allotment("tell", night, "Dock=1", "--date", "2026-03-01").out.startswith("Plan 1 of 2026-03-01: ")
    nothing = allotment("tell", night, "Dock=1", "--date", YESTERDAY)
    assert (nothing.code, nothing.err) == (
        2,
        f"allotment: there is no plan for {YESTERDAY}; expected the date of a plan\n",
    )


def test_a_report_never_goes_to_an_old_plan_unasked(allotment, night):
    allotment("ask", night, "--date", "2026-03-01")
    assert allotment("tell", night, "Dock=1").err == (
        "allotment: no plan of today or yesterday awaits a report; plan 1 of 2026-03-01 does; "
        "expected the date of the plan: --date 2026-03-01\n"
    )
    assert told() == {}
    allotment("cancel", night, 1)
    allotment("ask", night, "--date", "tomorrow")  # which nobody can report yet
    assert allotment("tell", night, "Dock=1").err.startswith("allotment: no plan awaits a report; ")


def test_of_two_open_plans_one_is_named_or_chosen(allotment, night, typed):
    allotment("ask", night, "--date", "yesterday")
    allotment("ask", night)
    several = allotment("tell", night, "Dock=1")
    assert (several.code, several.err) == (
        2,
        f"allotment: plan 1 of {YESTERDAY} (3 of 3 places not reported) and plan 2 of {TODAY} (3 of 3 places "
        "not reported) await reports; expected --date and one of these dates\n",
    )
    chosen = typed("tell", night, "Dock=1", lines=["7", "1"])
    assert chosen.out.startswith(f"Plan 1 of {YESTERDAY}: Dock 1; still")
    allotment("tell", night, "--date", "yesterday", "--others", "quiet")
    late = allotment("tell", night, "Dock=0", "--date", "yesterday", "--correct")  # of a told plan
    assert late.out == f"Plan 1 of {YESTERDAY} is fully reported: Dock 0, Gate 0, Yard 0.\n"


def test_close_by_number_and_by_date(allotment, night):
    for day in (1, 2, 3):
        allotment("ask", night, "--date", f"2026-03-0{day}")
    allotment("ask", night)
    assert allotment("close", night, 1).out == "Plan 1 is closed. Late reports are still taken.\n"
    assert allotment("close", night, "--before", "today", "--key", "k").out == (
        "2 plans are closed. Late reports are still taken.\n"
    )
    assert allotment("close", night, "--before", "today").out == f"No plan before {TODAY} is open.\n"
    assert [each.id for each in Campaign.open(night).open_plans()] == ["4"]
    assert allotment("close", night).code == 2
    assert allotment("close", night, 1, "--before", TODAY).code == 2


def test_undo_asks_which(allotment, night, typed):
    allotment("ask", night)
    allotment("cancel", night, 1, "--author", "Bo")
    assert allotment("undo", night, 1).out == "The cancellation of plan 1 (by Bo) is undone.\n"
    allotment("tell", night, "Dock=1", "--author", "Ada")
    allotment("close", night, 1, "--author", "Bo")
    unclear = allotment("undo", night, 1)
    assert (unclear.code, unclear.err) == (
        2,
        "allotment: plan 1 has a report and a closing; expected --what (what=) to say which to undo: "
        "report or closing\n",
    )
    asked = typed("undo", night, 1, lines=["closing"])
    assert "  report: Dock 1; by Ada\n  closing: by Bo\n" in asked.err
    assert asked.out == "The closing of plan 1 (by Bo) is undone.\n"
    assert allotment("undo", night, 1, "--what", "closing").code == 2
    assert told() == {"Dock": 1}


def test_the_store_alone_says_where_things_stand(allotment, night):
    assert allotment(night).out == (
        "night: 3 places, 6 to grant in a round.\n"
        "Yesterday: no plan. Today: no plan yet.\n"
        "Make today's plan: allotment ask night.db\n"
    )
    for date in ("2026-03-01", "yesterday"):
        allotment("ask", night, "--date", date)
    allotment("tell", night, "Dock=1")
    assert allotment(night).out.splitlines()[1:] == [
        "Yesterday: 2 of 3 places not reported. Today: no plan yet.",
        "1 other plan awaits reports; the oldest is plan 1 of 2026-03-01 (3 of 3 places not reported).",
        "Report yesterday: allotment tell night.db --date yesterday",
        "Make today's plan: allotment ask night.db",
        "Close older plans: allotment close night.db --before yesterday",
    ]
    allotment("ask", night)
    allotment("tell", night, "--date", "yesterday", "--others", "quiet")
    assert (
        "Yesterday: fully reported. Today: 3 of 3 places not reported." in allotment(night, "-c", "night").out
    )
    assert json.loads(allotment(night, "--json").out)["today_plans"][0]["id"] == "3"
    allotment("ask", night, "--date", "tomorrow")
    assert allotment(night).out.splitlines()[2:4] == [
        "1 other plan awaits reports; the oldest is plan 1 of 2026-03-01 (3 of 3 places not reported).",
        "Planned ahead: plan 4 of 2026-04-01.",
    ]
    missing = allotment("nigth.db")
    assert (missing.code, missing.err) == (
        2,
        "allotment: there is no file nigth.db. Did you mean night.db?\n",
    )
    assert "no such command 'nihgt'" in allotment("nihgt").err
    assert "overview" not in allotment("--help").out


def test_names_in_lists(allotment, tmp_path):
    settings = {"budget": 4, "unit": 1, "most": 2}
    Campaign.create("a.db", "a", arms=["Dock, north", "Gate", "Yard"], **settings).close()
    for given in (("--exclude", "Gate,Yard"), ("--exclude", "Gate", "--exclude", "Yard")):
        plan = json.loads(allotment("ask", "a.db", *given, "--also", "--json").out)
        assert plan["amounts"] == {"Dock, north": 2, "Gate": 0, "Yard": 0}
    for given in ('"Dock, north",Gate', 'Gate, "Dock, north"'):
        plan = json.loads(allotment("ask", "a.db", "--exclude", given, "--also", "--json").out)
        assert plan["amounts"] == {"Dock, north": 0, "Gate": 0, "Yard": 2}
    tried = json.loads(allotment("what-if", "a.db", "--exclude", "Gate,Yard", "--json").out)
    assert tried["amounts"] == {"Dock, north": 2, "Gate": 0, "Yard": 0}
    plan = json.loads(allotment("ask", "a.db", "--require", "Dock, north", "--also", "--json").out)
    assert plan["amounts"]["Dock, north"] >= 1


def test_decimal_commas_in_options(allotment, night):
    plan = json.loads(allotment("ask", night, "--budget", "3,5", "--fix", "Dock=1,5", "--json").out)
    assert (plan["budget"], plan["amounts"]["Dock"]) == (3.5, 1.5)
    unclear = allotment("ask", night, "--also", "--budget", "1,000")
    assert (unclear.code, unclear.err) == (
        2,
        "allotment: budget is '1,000', which could be 1 or 1000; expected a number without a comma\n",
    )


def test_the_day_starts_when_it_is_said_to(allotment, night, monkeypatch, tmp_path):
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 4, 1, 0, 30, tzinfo=UTC))
    assert allotment("change", night, "--day-starts", "06:00").code == 0
    assert f"Plan 1 of {TODAY}" in allotment("ask", night).out
    (tmp_path / "a.csv").write_text("name,most\nA,1\n")
    options = ("--budget", 1, "--unit", 1, "--timezone", "Europe/Vienna", "--day-starts", "6:00")
    assert allotment("new", "b.db", "--places", "a.csv", *options).code == 0
    assert f"Plan 1 of {TODAY}" in allotment("ask", "b.db").out
    assert "day starts 06:00" in allotment("status", "b.db").out
    wrong = allotment("change", night, "--day-starts", "noon")
    assert (wrong.code, wrong.err) == (
        2,
        "allotment: the start of the day is 'noon'; expected a time of the day such as 06:00\n",
    )


def test_dates_in_options_are_read_as_in_files(allotment, night):
    assert "Plan 1 of 2026-12-31" in allotment("ask", night, "--date", "31.12.2026").out
    assert "Plan 1 of 2026-12-31" in allotment("show", night, "--date", "31.12.26").out
    assert allotment("tell", night, "--date", "31/12/2026", "--others", "quiet").code == 0
    assert allotment("close", night, "--before", "1.1.27").out == "No plan before 2027-01-01 is open.\n"
    unclear = allotment("ask", night, "--date", "03/04/2026")
    assert (unclear.code, unclear.err.count("\n")) == (2, 1)
    assert "could be 2026-04-03 (dmy) or 2026-03-04 (mdy)" in unclear.err
