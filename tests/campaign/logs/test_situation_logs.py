"""Imports with situations: a column that states them, or the calendar by the dates."""

from datetime import date

import pytest

from allotment import Campaign, InputError
from allotment.campaign.logs import importing
from allotment.campaign.logs.import_report import RefusedError
from allotment.campaign.logs.log_format import OF_LOGS, by_name
from allotment.campaign.logs.log_looks import look_at, recognised

WEEK = {
    "rules": [
        {"dates": ["2026-03-31"], "situations": ["weekday", "weekend"]},
        {"days": ["Sat", "Sun"], "situations": "weekend"},
    ],
    "default": "weekday",
}


@pytest.fixture
def week(tmp_path):
    given = {"arms": ("Dock", "Gate"), "budget": 2, "unit": 1, "most": 2, "seed": 7, "timezone": "UTC"}
    situations = {"situations": ["weekday", "weekend"], "calendar": WEEK}
    with Campaign.create(tmp_path / "week.db", "week", **given, **situations, author="Ada") as made:
        yield made


@pytest.fixture
def log(tmp_path):
    def write(*rows, heading="date,place,amount,incidents,situation", name="log.csv"):
        path = tmp_path / name
        path.write_text("\n".join([heading, *rows]) + "\n")
        return path

    return write


def rows(campaign):
    return [tuple(row) for row in campaign.evidence()]


def test_a_row_states_its_situation_or_its_date_gives_it(week, log):
    path = log("2026-03-27,Dock,1,0,weekend", "2026-03-27,Dock,1,1,", "2026-03-28,Gate,0,0,")
    report = week.import_log(path)
    assert rows(week) == [
        ("Dock", 1, 1, 1, "weekday"),
        ("Dock", 1, 1, 0, "weekend"),
        ("Gate", 0, 1, 0, "weekend"),
    ]
    assert report.situations == {"weekday": 1, "weekend": 2}
    assert "Situations: weekday 1, weekend 2." in report.sentences()
    assert week.import_log(path).skipped == 3
    week.verify()


def test_rows_of_the_same_key_are_added_up(week, log):
    week.import_log(log("2026-03-27,Dock,1,0,weekday", "2026-03-27,Dock,1,1,", "2026-03-27,Dock,1,0,weekend"))
    assert rows(week) == [("Dock", 1, 2, 1, "weekday"), ("Dock", 1, 1, 0, "weekend")]


def test_a_date_with_several_situations_is_refused_by_line(week, log):
    with pytest.raises(RefusedError) as caught:
        week.import_log(log("2026-03-31,Dock,1,0,weekday", "2026-03-31,Gate,1,0,", "2026-03-30,Gate,1,0,"))
    (refused,) = caught.value.report.refused
    assert refused.line == 3
    assert refused.reason == (
        "its date, 2026-03-31, has several situations; expected one of weekday, weekend in a column situation"
    )
    with pytest.raises(RefusedError, match="no situation named 'wekend'. Did you mean weekend"):
        week.import_log(log("2026-03-31,Dock,1,0,wekend"))
    assert rows(week) == []


def test_reports_and_rows_have_the_same_key(week, log):
    week.tell(week.ask(date="2026-03-28", fix={"Dock": 1, "Gate": 1}).id, {"Dock": 0, "Gate": 1})
    week.import_log(log("2026-03-28,Dock,1,1,weekday", "2026-03-28,Gate,1,1,weekend", "2026-03-27,Dock,1,0,"))
    assert ("Dock", 1, 2, 1, "weekday") in rows(week)
    other = log("2026-03-28,Dock,2,0,")
    with pytest.raises(RefusedError, match="known otherwise"):
        week.import_log(other)
    assert week.import_log(other, correct=True).replaced == 1
    assert ("Dock", 2, 1, 0, "weekend") in rows(week)
    assert ("Dock", 1, 1, 0, "weekend") not in rows(week)
    week.verify()


def test_a_row_without_a_situation_is_the_round_of_a_report_that_states_another(week, log):
    plan = week.ask(date="2026-03-27", situation="weekend", fix={"Dock": 1, "Gate": 1})
    week.tell(plan.id, {"Dock": 0, "Gate": 1})
    reported = rows(week)
    same = log("2026-03-27,Dock,1,0", "2026-03-27,Gate,1,1", heading="date,place,amount,incidents")
    assert week.import_log(same).skipped == 2
    assert rows(week) == reported
    incidents = log("2026-03-27,Gate,1", "2026-03-28,Dock,1", heading="date,place,incidents")
    assert week.import_log(incidents, amount=1, period=("2026-03-27", "2026-03-28")).taken == 2
    assert {row[-1] for row in rows(week)} == {"weekend"}
    other = log("2026-03-27,Dock,2,1", heading="date,place,amount,incidents")
    with pytest.raises(RefusedError, match="known otherwise"):
        week.import_log(other)
    assert week.import_log(other, correct=True).situations == {"weekend": 1}
    assert week.import_log(other).skipped == 1  # although an import has replaced the report
    assert ("Dock", 2, 1, 1, "weekend") in rows(week) and ("Dock", 1, 1, 0, "weekend") not in rows(week)
    week.verify()


def test_a_log_that_names_both_situations_has_two_rounds(week, log):
    week.tell(week.ask(date="2026-03-27", situation="weekend", fix={"Dock": 1}).id, {"Dock": 0})
    assert week.import_log(log("2026-03-27,Dock,1,0,weekend", "2026-03-27,Dock,1,0,")).skipped == 1
    assert rows(week) == [("Dock", 1, 1, 0, "weekday"), ("Dock", 1, 1, 0, "weekend")]


def test_a_correction_stays_one_when_the_calendar_changes(week, log):
    week.tell(week.ask(date="2026-03-28", fix={"Dock": 1}).id, {"Dock": 1})
    week.change(calendar={"default": "weekday"})
    assert rows(week) == [("Dock", 1, 1, 1, "weekday")]
    week.import_log(log("2026-03-28,Dock,2,0,", "2026-03-29,Gate,0,0,"), correct=True)
    week.change(calendar=WEEK)
    assert rows(week) == [("Dock", 2, 1, 0, "weekend"), ("Gate", 0, 1, 0, "weekend")]
    week.undo("import-1")
    assert rows(week) == [("Dock", 1, 1, 1, "weekend")]
    week.verify()


def test_quiet_days_have_their_situations(week, log):
    path = log("2026-03-28,Dock,1", "2026-03-30,Dock,1", heading="date,place,incidents")
    week.import_log(path, amount=1, period=("2026-03-28", "2026-03-31"))
    assert rows(week) == [("Dock", 1, 2, 1, "weekday"), ("Dock", 1, 3, 1, "weekend")]


def test_a_day_whose_row_states_another_situation_is_not_quiet(week, log):
    path = log(
        "2026-03-27,Dock,1,weekend", "2026-03-31,Dock,1,weekend", heading="date,place,incidents,situation"
    )
    week.import_log(path, amount=1, period=("2026-03-27", "2026-03-31"))
    # Saturday and Sunday are quiet weekends; Monday and one situation of Tuesday are quiet weekdays.
    assert rows(week) == [("Dock", 1, 2, 0, "weekday"), ("Dock", 1, 4, 2, "weekend")]


def test_the_limit_of_quiet_rounds_counts_each_situation_of_a_day(week, log, monkeypatch):
    week.change(calendar=None)
    path = log("2026-03-30,Dock,1,weekday", heading="date,place,incidents,situation")
    monkeypatch.setattr(importing, "MOST_ROUNDS", 3)
    with pytest.raises(InputError, match="has 4 rounds for 1 place; expected at most 3 rounds"):
        week.import_log(path, amount=1, period=("2026-03-30", "2026-03-31"))


def test_the_column_is_known_by_other_names(week, log):
    assert by_name(["Datum", "Ort", "Schicht", "Vorfälle"], OF_LOGS)["situation"] == 2
    path = log("2026-03-27,Dock,0,weekend,1", heading="Datum,Ort,Vorfälle,Dienstart,Menge")
    look = look_at(path)
    assert recognised(look, week.settings)["situation"] == 3  # by what is in it
    columns = {"date": "Datum", "place": "Ort", "incidents": "Vorfälle", "situation": "Dienstart"}
    week.import_log(path, columns={**columns, "amount": "Menge"})
    assert rows(week) == [("Dock", 1, 1, 0, "weekend")]
    assert week.imports()[0].report.first == date(2026, 3, 27)


def test_without_situations_the_column_is_not_used(campaign, log):
    path = log("2026-03-27,Dock,1,0,night")
    report = campaign.import_log(path)
    assert report.ignored_columns == ("situation",)
    assert report.situations is None
    assert "situation" not in recognised(look_at(path), campaign.settings)
    with pytest.raises(InputError, match="no such column: this campaign has no situations"):
        campaign.import_log(path, columns={"situation": "situation"})
