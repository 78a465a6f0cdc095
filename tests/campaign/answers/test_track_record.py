"""The track record: what plans expected at the granted amounts, beside what was reported."""

import json
import math
from collections import defaultdict
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from allotment import Campaign, HistoryError, InputError, TrackRecord
from allotment.campaign.answers.track_record import PICTURED
from campaign_histories import lively
from own_copies import FIRST_FORMAT, own_copy

QUIET = {"Dock": 0, "Gate": 0, "Yard": 0}


def play(campaign, days, losses=QUIET):
    for day in days:
        campaign.tell(campaign.ask(date=day).id, losses)


def sums_from_history(campaign, part):
    """Expected, variance and happened by `part` of a date and a place, computed from the events alone."""
    plans, told, amounts, cancelled = {}, {}, {}, set()
    names = campaign.settings.aliases
    for event in campaign.history():
        payload, plan = event.payload, event.payload.get("plan")
        if event.kind == "asked":
            plans[plan], told[plan], amounts[plan] = payload, {}, {}
            cancelled.add(payload.get("replaces"))
        elif event.kind == "told":
            amounts[plan] |= {names[name]: float(each) for name, each in payload["amounts"].items()}
            told[plan] |= {names[name]: each for name, each in payload["losses"].items()}
        elif event.kind == "undone" and payload.get("what", "report") == "report":
            told[plan], amounts[plan] = {}, {}
        elif event.kind == "cancelled":
            cancelled.add(plan)
    sums, rounds = defaultdict(lambda: np.zeros(3)), defaultdict(set)
    for number, payload in plans.items():
        for i, name in enumerate(payload["arms"]):
            arm, unit, row = names[name], float(payload["unit"]), payload["losses"][i]
            if told[number].get(arm) is None or number in cancelled:
                continue
            units = amounts[number].get(arm, payload["units"][i] * unit) / unit
            mean = np.interp(units, np.arange(len(row)), row)
            key = part(date.fromisoformat(payload["date"]), arm)
            sums[key] += (mean, mean * (1 - mean), told[number][arm])
            rounds[key].add(number)
    return {key: (*values, len(rounds[key])) for key, values in sums.items()}


PARTS = {
    "month": lambda settings: lambda day, arm: day.isoformat()[:7],
    "place": lambda settings: lambda day, arm: settings.arms[arm].name,
    "group": lambda settings: lambda day, arm: settings.arms[arm].group or "no group",
    "situation": lambda settings: lambda day, arm: "no situation",
}


@pytest.mark.parametrize("by", PARTS)
def test_the_record_is_what_the_history_adds_up_to(campaign, tmp_path, by):
    lively(campaign, tmp_path)  # corrections, an undone report, other amounts, a new name, cancelled plans
    campaign.tell("4" if campaign.plan("4").state != "cancelled" else "5", {"Dock": 1, "Shed": 0})
    play(campaign, ["2026-02-01", "2026-02-02"], {"Dock": 1, "Main gate": 0, "Shed": 1})
    late = campaign.ask(date="2026-02-03")
    campaign.tell(late.id, {"Dock": 1, "Main gate": 0}, amounts={"Dock": "0.75", "Main gate": 99})
    campaign.tell(late.id, {"Main gate": None, "Dock": 0}, correct=True)
    campaign.close_plan(late.id)
    found = campaign.record(by=by)
    truth = sums_from_history(campaign, PARTS[by](campaign.settings))
    assert {each.name for each in found.parts} == set(truth)
    for each in found.parts:
        mean, variance, happened, rounds = truth[each.name]
        assert (each.happened, each.rounds) == (happened, rounds)
        assert each.expected == pytest.approx(mean)
        reach = 1.6449 * math.sqrt(variance)
        assert (each.low, each.high) == pytest.approx((max(mean - reach, 0), mean + reach), rel=1e-4)
        assert each.inside is bool(each.low <= each.happened <= each.high)
    assert found.total.happened == sum(each[2] for each in truth.values())
    assert found.total.expected == pytest.approx(sum(each[0] for each in truth.values()))


def test_it_says_what_was_expected_and_what_happened(campaign):
    play(campaign, [f"2026-04-{day:02}" for day in range(1, 31)], {"Dock": 1, "Gate": 0, "Yard": 0})
    play(campaign, ["2026-05-01", "2026-05-02"])
    record = campaign.record()
    assert isinstance(record, TrackRecord)
    newest, all_of_it, inside = record.sentences()
    may = record.parts[1]
    assert newest.startswith("In May 2026, ")
    assert f"losses were expected ({math.ceil(may.low)} to {math.floor(may.high)}) and 0 happened." in newest
    assert all_of_it.startswith("In all, ") and "and 30 happened." in all_of_it
    assert inside == f"What happened was inside the 90 % band in {record.inside} of 2 months."
    columns, rows = record.table()
    assert columns[:2] == ["month", "rounds"] and [row[:2] for row in rows] == [
        ["Apr 2026", 30],
        ["May 2026", 2],
    ]
    assert record.columns()[0] == "month" and "cost" not in " ".join(record.columns())
    assert len(record.rows()[0]) == len(record.columns()) == record.to_frame().shape[1]
    assert record.to_dict()["parts"][0]["name"] == "2026-04" and record.to_dict()["inside"] == record.inside


def test_weeks_begin_on_monday(campaign):
    play(campaign, ["2026-03-01", "2026-03-02", "2026-03-08"])
    record = campaign.record(by="week")
    assert [(each.name, each.rounds) for each in record.parts] == [("2026-02-23", 1), ("2026-03-02", 2)]
    assert record.sentences()[0].startswith("In the week from 2 March 2026, ")


def test_dates_of_the_first_year_are_named(campaign):
    play(campaign, ["0001-01-01"])
    assert campaign.record().sentences()[0].startswith("In January 1, ")
    assert campaign.record(by="week").parts[0].name == "0001-01-01"


def test_a_report_that_a_plan_did_not_know_is_late(campaign):
    first, second = campaign.ask(date="2026-03-01"), campaign.ask(date="2026-03-02")
    campaign.tell(first.id, QUIET)
    assert campaign.record().total.late == 0  # the second plan has no report yet
    campaign.tell(second.id, QUIET)
    play(campaign, ["2026-03-03"])
    record = campaign.record()
    assert record.parts[0].late == record.total.late == 1
    said = record.sentences()[-1]
    assert said.startswith("1 of 3 rounds was planned while earlier reports were missing.")
    assert said.endswith("too narrow: March 2026.")


def test_in_time_reports_say_nothing_of_late_ones(campaign):
    play(campaign, ["2026-03-01", "2026-03-02"])
    assert not any("narrow" in each for each in campaign.record().sentences())


def test_a_late_report_of_another_month_leaves_the_band_of_this_month(campaign):
    """Each plan of April knew all reports of April, so the band of April is right."""
    march, april = campaign.ask(date="2026-03-31"), campaign.ask(date="2026-04-01")
    campaign.tell(march.id, QUIET)
    campaign.tell(april.id, QUIET)
    record = campaign.record()
    assert [each.late for each in record.parts] == [0, 0] and record.total.late == 1
    assert "too narrow: the total." in record.sentences()[-1]


def test_a_correction_counts_as_late(campaign):
    play(campaign, ["2026-03-01", "2026-03-02"])
    campaign.tell("1", {"Dock": 1}, correct=True)
    assert campaign.record().total.late == 1
    assert [each.late for each in campaign.record(by="place").parts] == [1, 0, 0]


def test_an_undone_report_and_a_cancelled_plan_do_not_count(campaign):
    play(campaign, ["2026-03-01", "2026-03-02"])
    before = campaign.record()
    campaign.tell(campaign.ask(date="2026-03-03").id, {"Dock": 1})
    campaign.cancel(campaign.ask(date="2026-03-04").id)
    assert campaign.record().total.happened == 1
    campaign.undo("3")
    assert campaign.record() == before


def test_severities_are_those_of_the_plan(campaign):
    campaign.change(severities={"Gate": 5})
    play(campaign, ["2026-03-01"], {"Dock": 1, "Gate": 1, "Yard": 0})
    campaign.change(severities={"Gate": 1})
    record = campaign.record()
    part = record.parts[0]
    assert record.weighted and (part.happened, part.cost) == (2, 6.0)
    expected = {each.name: each.expected for each in campaign.record(by="place").parts}
    assert part.expected_cost == pytest.approx(expected["Dock"] + 5 * expected["Gate"] + expected["Yard"])
    weights = {"Dock": 1, "Gate": 25, "Yard": 1}
    variance = sum(weights[name] * mean * (1 - mean) for name, mean in expected.items())
    assert part.cost_high - part.expected_cost == pytest.approx(1.64485 * math.sqrt(variance), rel=1e-4)
    assert "expected cost" in record.columns() and "A cost of " in record.sentences()[0]
    assert len(record.rows()[0]) == len(record.columns()) and len(record.plot().axes) == 2


def test_plans_without_tables_are_left_out_and_counted(tmp_path):
    own_copy(FIRST_FORMAT, tmp_path / "old.db")
    from allotment import campaigns

    said = []
    for name in campaigns(tmp_path / "old.db"):
        with Campaign.open(tmp_path / "old.db", name) as old:
            record = old.record()
            said += record.sentences() if record.without_tables else []
            if record.without_tables:
                assert record.parts == () and record.total is None
                assert record.sentences()[0] == "No round can be compared with what its plan expected."
    assert any("left out" in each and "stored no expectations by amount" in each for each in said)


def test_finds_are_compared_with_finds(tmp_path):
    settings = {"arms": ["A", "B"], "budget": 2, "unit": 1, "most": 2, "seed": 1, "sees": "finds"}
    with Campaign.create(tmp_path / "f.db", "f", **settings) as campaign:
        plan = campaign.ask(date="2026-03-01")
        campaign.tell(plan.id, {"A": 1, "B": 0}, amounts={"A": 1, "B": 0})
        payload = next(each.payload for each in campaign.history() if each.kind == "asked")
        finds = payload["losses"][0][0] - payload["losses"][0][1]
        record = campaign.record()
    assert record.sees == "finds" and record.parts[0].expected == pytest.approx(finds)
    reach = 1.64485 * math.sqrt(finds * (1 - finds))
    assert record.parts[0].high == pytest.approx(finds + reach, rel=1e-4)
    assert "expected finds" in record.columns() and "finds" in record.table()[0]
    assert "and 1 was reported." in record.sentences()[0] and "losses" not in str(record)


def test_situations_are_those_that_reports_count_for_now(tmp_path):
    calendar = {"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}], "default": "weekday"}
    settings = {"arms": ["A"], "budget": 1, "unit": 1, "most": 1, "seed": 1, "calendar": calendar}
    with Campaign.create(tmp_path / "s.db", "s", **settings, situations=["weekday", "weekend"]) as campaign:
        for day in ("2026-03-06", "2026-03-07", "2026-03-08"):
            campaign.tell(campaign.ask(date=day).id, {"A": 1})
        by_name = {each.name: each.rounds for each in campaign.record(by="situation").parts}
        assert by_name == {"weekday": 1, "weekend": 2}
        campaign.change(
            calendar={"rules": [{"days": ["Sun"], "situations": "weekend"}], "default": "weekday"}
        )
        campaign.rename_situation("weekend", "Sunday")
        by_name = {each.name: each.rounds for each in campaign.record(by="situation").parts}
        assert by_name == {"weekday": 2, "Sunday": 1}


def test_groups_and_places_have_their_present_names(campaign):
    play(campaign, ["2026-03-01"], {"Dock": 1, "Gate": 0, "Yard": 1})
    assert [each.name for each in campaign.record(by="group").parts] == ["no group"]
    campaign.change(groups={"north": {"arms": ["Yard", "Gate"]}})
    campaign.rename_arm("Gate", "Main gate")
    campaign.retire_arm("Yard")
    assert [(each.name, each.happened) for each in campaign.record(by="group").parts] == [
        ("north", 1),
        ("no group", 1),
    ]
    assert [each.name for each in campaign.record(by="place").parts] == ["Dock", "Main gate", "Yard"]
    assert "inside the 90 % band at 1 of 3 places" in str(campaign.record(by="place"))


def test_a_report_that_an_import_replaced_is_left_out(campaign, tmp_path):
    play(campaign, ["2026-03-01"], {"Dock": 1, "Gate": 0, "Yard": 0})
    log = tmp_path / "log.csv"
    log.write_text("date,place,amount,incidents\n2026-03-01,Dock,1,0\n")
    made = campaign.import_log(log, correct=True)
    record = campaign.record()
    assert (record.replaced, record.total.happened) == (1, 0)
    assert record.sentences()[-1] == "1 report is left out: an import replaced it."
    campaign.undo(made.id)
    assert campaign.record().replaced == 0


def test_an_empty_campaign_says_so(campaign):
    for by in ("month", "place"):
        campaign.record(by=by).plot()
        (said,) = campaign.record(by=by).sentences()
        assert said.startswith("No round has a report yet") and "`allotment tell`" in said
    campaign.ask()
    assert campaign.record().parts == () and str(campaign.record()).startswith("No round has a report yet")


@pytest.mark.parametrize("by", ["year", "", None, 3, ["month"]])
def test_a_wrong_grouping_is_refused(campaign, by):
    with pytest.raises(InputError, match="by is .*; expected one of month, week, situation, group, place"):
        campaign.record(by=by)


def test_a_picture_shows_what_one_can_read(tmp_path):
    many = PICTURED + 5
    names = [f"place {number}" for number in range(many)]
    settings = {"arms": names, "budget": 3, "unit": 1, "most": 2, "seed": 1}
    with Campaign.create(tmp_path / "m.db", "m", **settings) as campaign:
        campaign.tell(campaign.ask(date="2026-03-01").id, dict.fromkeys(names, 0))
        record = campaign.record(by="place")
    (panel,) = record.panels()
    assert len(panel.rows) == PICTURED and len(record.parts) == many
    note = f"The picture shows the {PICTURED} of {many} places with the most expected losses."
    assert record.picture_note() == note
    labels = record.plot().axes[0].get_yticklabels()
    assert len(labels) == PICTURED


def test_a_plan_that_cannot_be_read_is_an_error_in_words(campaign, monkeypatch):
    play(campaign, ["2026-03-01"])
    read = campaign.store.events_of

    def broken(*arguments):
        (found,) = read(*arguments)
        return [replace(found, text=json.dumps({**found.payload, "losses": None}))]

    monkeypatch.setattr(campaign.store, "events_of", broken)
    with pytest.raises(HistoryError, match="event 2 "):
        campaign.record()
