"""The commands about logs, places and the history: what planners type, and what they see."""

from datetime import UTC, datetime

import pytest

from allotment import Campaign
from allotment.campaign.forms import names

pytestmark = pytest.mark.usefixtures("at_work")


def test_a_dry_run_fails_where_the_import_would(allotment, night, tmp_path):
    (tmp_path / "log.csv").write_text(
        "date,place,amount,incidents\n2025-01-01,Dock,0,0\n2025-01-02,Shed,0,0\n"
    )
    trial = allotment("import", night, "log.csv", "--dry-run")
    assert (trial.code, trial.err) == (2, allotment("import", night, "log.csv").err)
    (tmp_path / "log.csv").write_text("date,place,amount,incidents\n2025-01-01,Dock,0,0\n")
    assert allotment("import", night, "log.csv", "--dry-run").code == 0


@pytest.mark.parametrize("command", ["places", "arms"])
def test_a_new_place_needs_a_most(allotment, night, command):
    done = allotment(command, night, "--add", "Shed")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err
        == "allotment: the most of 'Shed' is missing; expected --most, the largest amount it can use\n"
    )


@pytest.mark.filterwarnings("always::allotment.AmountWarning")
def test_an_amount_above_the_most_is_kept_with_a_warning(allotment, night):
    allotment("ask", night)
    told = allotment("tell", night, "Dock=1", "--amount", "Dock=40")
    assert told.code == 0
    assert told.err.startswith("allotment: Dock was granted 40, but its most is 4: the report is kept; ")


def test_history_says_what_was_told_and_changed(allotment, night, monkeypatch):
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 3, 31, 22, 30, tzinfo=UTC))
    Campaign.create(
        "vienna.db", "v", arms=["Dock", "Gate"], budget=2, unit=1, most=2, timezone="Europe/Vienna"
    ).close()
    store = "vienna.db"
    for command in (
        ("ask", store, "--date", "2026-04-02", "--fix", "Dock=2", "--author", "Ada"),
        ("tell", store, "Dock=1", "Gate=0", "--plan", "1"),
        ("tell", store, "Dock=0", "--plan", "1", "--correct", "--amount", "Dock=1"),
        ("tell", store, "Gate=", "--plan", "1", "--correct"),
        ("change", store, "--budget", "3", "--most", "Gate=1", "--severity", "Dock=5"),
        ("places", store, "--add", "Shed", "--most", "1"),
        ("places", store, "--rename", "Gate", "Main gate"),
        ("places", store, "--retire", "Shed"),
        ("undo", store, "1"),
        ("cancel", store, "1"),
    ):
        assert allotment(*command).code == 0
    said = allotment("history", store).out
    assert "2  2026-04-01 00:30:00  Ada  asked\n    plan 1 of 2026-04-02: Dock 2\n" in said
    for words in (
        "plan 1 of 2026-04-02: Dock 1, Gate 0",
        "plan 1 of 2026-04-02: Dock 1 → 0, amount of Dock 2 → 1",
        "plan 1 of 2026-04-02: Gate 0 → not reported",
        "budget 2 → 3; severity of Dock 1 → 5; most of Gate 2 → 1",
        "place added\n    Shed, most 1",
        "Gate → Main gate",
        "plan 1 of 2026-04-02: report undone",
        "Times are in Europe/Vienna.",
    ):
        assert words in said
    told = allotment("history", store, "--kind", "told", "--csv").out.splitlines()
    assert [line.split(",")[3] for line in told[1:]] == ["told"] * 3
    on_the_day = allotment("history", store, "--date", "02.04.2026", "--csv").out.splitlines()
    assert [line.split(",")[3] for line in on_the_day[1:]] == ["asked", *["told"] * 3, "undone", "cancelled"]
    assert len(allotment("history", store, "--date", "2026-04-01", "--csv").out.splitlines()) == 12
    assert allotment("history", store, "--date", "2026-03-31").out == "No such event.\n"
    wrong = allotment("history", store, "--kind", "tell")
    assert (wrong.code, wrong.out) == (2, "")
    assert "kind is 'tell'; expected one of created, asked, told" in wrong.err


def test_a_log_of_another_program(allotment, night, tmp_path):
    (tmp_path / "log.csv").write_text(
        'Titel\nDatum;"Ort, genau";Anzahl\n03/04/2024;Dock;1\n04/04/2024;Dock;0\n'
    )
    options = ("--columns", 'date=Datum,"place=Ort, genau",incidents=Anzahl', "--header", 2, "--amount", 0)
    refused = allotment("import", night, "log.csv", *options)
    assert refused.code == 2
    assert "--dates" in refused.err
    done = allotment("import", night, "log.csv", *options, "--dates", "dmy")
    assert (done.code, "From 2024-04-03 to 2024-04-04" in done.out) == (0, True)


def test_arms_still_works_and_is_not_listed(allotment, night):
    assert allotment("arms", night, "--csv").out == allotment("places", night, "--csv").out
    begun = allotment("new", "old.db", "--arms", "zones.csv", "--budget", 6, "--unit", 1)
    assert begun.code == 0
    for page in (allotment("--help").out, allotment("new", "--help").out):
        assert "places" in page
        assert "arms" not in page
    without = allotment("new", "none.db", "--budget", 6, "--unit", 1)
    assert (without.code, without.err) == (
        2,
        "allotment: there are no places; expected --places, a table of them with name and most\n",
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            (),
            "losses are yes or no: 1 if anything happened at a place, 0 if nothing did. To report",
        ),
        (
            ("--losses", "counts"),
            "losses are counts: how often something happened at a place. To report",
        ),
        (("--sees", "finds"), "Reports of finds are yes or no"),
    ],
)
def test_new_says_what_reports_are(allotment, options, words):
    begun = allotment("new", "n.db", "--places", "zones.csv", "--budget", 6, "--unit", 1, *options)
    assert words in " ".join(begun.out.split())
