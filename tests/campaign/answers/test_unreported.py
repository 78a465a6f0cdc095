"""Places without a report: by the dates of plans, and only where there was something to report."""

from datetime import UTC, date, datetime, timedelta

import pytest

from allotment import Campaign
from allotment.campaign.answers.unreported import unreported_in
from allotment.campaign.forms import names
from allotment.errors import InputError

TODAY = date(2026, 3, 31)
ALL = {"Dock": 0, "Gate": 0, "Yard": 0}


@pytest.fixture
def night(tmp_path, monkeypatch):
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 3, 31, 12, tzinfo=UTC))
    settings = {"budget": 3, "unit": 1, "most": 2, "seed": 1, "timezone": "UTC"}
    with Campaign.create(tmp_path / "night.db", "night", arms=[*ALL], **settings) as made:
        yield made


def planned(campaign, ago, **losses):
    """A plan of some days ago, and its report."""
    plan = campaign.ask(date=TODAY - timedelta(days=ago), explore=False)
    if losses:
        campaign.tell(plan.id, losses)
    return plan.id


def named(campaign, days=7):
    return [(each.place, each.days, each.plans) for each in campaign.unreported(days).places]


def test_a_place_counts_from_the_first_plan_after_its_last_report(night):
    planned(night, 20, **ALL)
    planned(night, 12, Dock=0, Gate=1)
    planned(night, 9, Dock=0)
    planned(night, 3)
    assert named(night) == [("Yard", 12, 3), ("Gate", 9, 2)]
    assert named(night, 3) == [("Yard", 12, 3), ("Gate", 9, 2), ("Dock", 3, 1)]
    assert named(night, 9) == [("Yard", 12, 3), ("Gate", 9, 2)] and named(night, 13) == []
    (yard, _), found = night.unreported().places, night.unreported()
    assert (yard.last_report, yard.since) == (date(2026, 3, 11), date(2026, 3, 19))
    assert found.rows()[0] == ("Yard", date(2026, 3, 11), date(2026, 3, 19), 12, 3)
    assert "2 of 3 active places have had no report for at least 7 days, although plans had them." in str(
        found
    )


def test_a_late_report_belongs_to_the_date_of_its_plan(night):
    old = planned(night, 20)
    planned(night, 10, Dock=0, Gate=0)
    assert named(night) == [("Yard", 20, 2)]
    night.tell(old, ALL)  # it comes today, and is about a day twenty days ago
    assert named(night) == [("Yard", 10, 1)]
    assert night.unreported().places[0].last_report == date(2026, 3, 11)


def test_where_nothing_was_planned_nothing_is_missing(night):
    planned(night, 30, **ALL)
    found = night.unreported()
    assert found.places == () and found.unplanned == ("Dock", "Gate", "Yard")
    assert found.sentences()[1] == "In no plan since their last report: Dock, Gate, Yard."
    night.ask(date=TODAY + timedelta(days=1))  # a plan ahead has nothing to report yet
    assert named(night, 1) == []


def test_a_campaign_without_plans_misses_nothing(night):
    found = night.unreported()
    assert (found.places, found.unplanned) == ((), ())
    assert str(found) == "No active place has waited 7 days or longer for a report."


def test_retired_and_new_places(night):
    planned(night, 9, Dock=0, Gate=0)
    night.add_arm("Shed", most=1)
    night.retire_arm("Yard")
    planned(night, 2, Dock=0, Gate=0)
    assert named(night) == [] and named(night, 2) == [("Shed", 2, 1)]
    assert night.unreported(2).places[0].last_report is None and "never" in str(night.unreported(2))
    night.restore_arm("Yard")
    night.rename_arm("Yard", "Court")
    assert named(night) == [("Court", 9, 1)]


def test_closed_plans_count_and_cancelled_ones_do_not(night):
    night.cancel(planned(night, 15))
    night.close_plan(planned(night, 10, Dock=0))
    assert named(night) == [("Gate", 10, 1), ("Yard", 10, 1)]


def test_an_amount_alone_is_no_report_and_what_is_undone_is_none(night):
    plan = planned(night, 10)
    night.tell(plan, {"Dock": 0, "Gate": 0}, amounts={"Yard": 1})
    assert named(night) == [("Yard", 10, 1)]
    night.undo(plan)
    assert [name for name, *_ in named(night)] == [*ALL]


def test_a_log_is_a_report_until_it_is_undone(night, tmp_path):
    planned(night, 10)
    log = tmp_path / "log.csv"
    log.write_text("date,place,amount,incidents\n2026-03-29,Dock,1,0\n")
    made = night.import_log(log)
    assert [name for name, *_ in named(night)] == ["Gate", "Yard"]
    night.undo(made.id)
    assert [name for name, *_ in named(night)] == [*ALL]


def test_one_of_several_shifts_is_enough(tmp_path, night):
    night.change(situations=["early", "late"])
    for name in ("early", "late"):
        night.ask(date=TODAY - timedelta(days=10), situation=name)
    night.tell("1", {"Dock": 0})
    assert named(night) == [("Gate", 10, 2), ("Yard", 10, 2)]


@pytest.mark.parametrize("days", [0, -1, 1.5, 10_001, "many", None, True])
def test_other_numbers_of_days_are_refused(night, days):
    with pytest.raises(InputError, match="days is"):
        night.unreported(days)


def test_the_answer_is_the_same_from_a_snapshot(night):
    planned(night, 12, Dock=0)
    from allotment.campaign.history.snapshots import packed, unpacked

    assert unreported_in(unpacked(packed(night._current()))) == night.unreported()
