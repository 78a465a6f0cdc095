"""Which rounds the warnings look at: with a half-life, with retired places, and with many rounds a day."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from allotment import Campaign
from allotment.campaign.answers.checks import check as past
from allotment.campaign.answers.checks.check import course_of, drift_finding, too_early
from allotment.campaign.answers.checks.simulated import ALLOWED, SIMULATED, Comparison

FOUND = Comparison(9.0, ALLOWED, SIMULATED)


@pytest.fixture
def begin(tmp_path):
    """Create a campaign with reports on some days that end some days ago, every some days."""
    made = []

    def begun(days, ago=0, every=1, **settings):
        given = {"arms": ["Dock", "Gate"], "budget": 2, "unit": 1, "most": 2, "seed": 4, **settings}
        made.append(Campaign.create(tmp_path / f"{len(made)}.db", "past", **given))
        told(made[-1], days, ago, every)
        return made[-1]

    yield begun
    for each in made:
        each.close()


def told(campaign, days, ago=0, every=1):
    first = campaign.day() - timedelta(days=ago + days * every)
    for day in range(days):
        plan = campaign.ask(date=first + timedelta(days=day * every))
        campaign.tell(plan.id, {name: int(day % 5 == 0) for name in plan.amounts})


def looked_at(campaign):
    return course_of(campaign._current())


@pytest.mark.parametrize(
    ("half_life", "days", "every", "count"),
    [
        (10, 40, 1, 28),  # two half-lives are 20 days, so 28 days with reports count
        (1, 40, 1, 28),
        (0.5, 40, 1, 28),
        (10, 40, 7, 28),  # with weekly reports, these are half a year
        (16, 40, 1, 33),  # the last report, and the reports of the 32 days before it
        (30, 40, 1, 40),
        (None, 40, 1, 40),
    ],
)
def test_the_longer_of_two_half_lives_and_28_days_with_reports_counts(begin, half_life, days, every, count):
    course = looked_at(begin(days, every=every, half_life=half_life))
    assert course.reported_days == count and course.is_long_enough and course.breaks.size


@pytest.mark.parametrize("half_life", [10, 30])
def test_reports_that_ended_long_ago_count_as_on_the_day_of_the_last(begin, half_life):
    old, new = (looked_at(begin(90, ago=ago, half_life=half_life)) for ago in (365, 0))
    assert old.reported_days == new.reported_days >= 28
    assert list(old.aged) == list(new.aged) and list(old.before) == list(new.before)


def test_days_are_counted_as_they_are_with_a_short_half_life(begin):
    course = looked_at(begin(21, half_life=5))
    assert (
        not course.is_long_enough and "21 days with reports of active places" in too_early(course)[0].sentence
    )


def test_rounds_without_a_report_of_an_active_place_are_left_out(begin):
    campaign = begin(30)
    campaign.add_arm("Shed", most=2)
    for name in ("Dock", "Gate"):
        campaign.retire_arm(name)
    assert looked_at(campaign) is None
    drift, fit = campaign.checkup().findings[1:]
    assert drift.state == fit.state == "too early" and drift.sentence.startswith(
        "0 days with reports of active"
    )
    told(campaign, 3)
    course = looked_at(campaign)
    assert course.names == ["Shed"] and course.reported_days == 3 and course.rounds.losses.shape == (3, 1)


def test_rounds_of_retired_places_do_not_use_up_the_28_days(begin):
    campaign = begin(30, ago=30, half_life=5)
    campaign.add_arm("Shed", most=2)
    first = campaign.day() - timedelta(days=20)
    for day in range(20):
        plan = campaign.ask(date=first + timedelta(days=day))
        campaign.tell(plan.id, {"Shed": 0})
    campaign.retire_arm("Shed")
    course = looked_at(campaign)
    assert course.names == ["Dock", "Gate"] and course.reported_days == 28
    assert course.days[-1] < first.toordinal()


def test_28_days_count_even_if_they_have_more_rounds_than_otherwise_count(begin, monkeypatch):
    campaign = begin(30)
    told(campaign, 30)
    monkeypatch.setattr(past, "MOST_ROUNDS", 40)
    course = looked_at(campaign)
    assert course.reported_days == 28 and course.days.size == 56
    monkeypatch.setattr(past, "MOST_ROUNDS", 58)
    assert looked_at(campaign).days.size == 58


@pytest.mark.parametrize(("half_life", "command"), [("10", "--half-life 5"), ("1", ""), ("0.5", "")])
def test_a_half_life_that_cannot_be_shortened_has_no_command(begin, half_life, command):
    course = looked_at(begin(40))
    settings = replace(course.settings, half_life=Decimal(half_life))
    found = drift_finding(replace(course, settings=settings), FOUND)
    assert found.is_raised and found.command.endswith(command) and bool(found.command) == bool(command)
    assert half_life in found.remedy
