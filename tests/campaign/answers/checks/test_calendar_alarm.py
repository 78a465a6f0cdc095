"""The calendar alarm: its evidence is exact, and it looks at whole weeks of alike nights only."""

import math
from collections import Counter
from datetime import date, timedelta
from itertools import combinations, permutations, product

import numpy as np
import pytest

from allotment import Campaign
from allotment.campaign.answers.checks.calendar_alarm import (
    BETAS,
    Night,
    Weeks,
    calendar_finding,
    finding_of,
    running_evidence,
    week_evidence,
    whole_weeks,
)
from allotment.campaign.settings.calendar import Calendar
from allotment.campaign.settings.situations import Situations

MONDAY = date(2026, 1, 5)
BUSY = np.array([0, 1, 0, 1, 0, 4, 5])


def nights(weeks, first=MONDAY):
    flat = np.ravel(weeks)
    return {first + timedelta(days=k): Night(float(x), ("same",)) for k, x in enumerate(flat)}


def test_the_evidence_of_a_week_is_the_formula():
    week = np.array([[3, 0, 1, 2, 0, 4, 1]])
    for beta, found in zip(BETAS, week_evidence(week)[0], strict=True):
        pairs = [math.exp(beta * (week[0, i] + week[0, j])) for i, j in combinations(range(7), 2)]
        assert len(pairs) == 21
        assert found == pytest.approx(math.log(math.exp(beta * 5) / (sum(pairs) / 21)))


def test_evidence_is_the_mean_of_products_over_weeks():
    weeks = np.array([[3, 0, 1, 2, 0, 4, 1], [0, 0, 0, 0, 1, 2, 2], [1, 1, 1, 1, 1, 1, 1]])
    products = np.exp(np.cumsum(week_evidence(weeks), axis=0)).mean(axis=1)
    assert running_evidence(weeks) == pytest.approx(np.log(products))
    assert running_evidence(np.zeros((0, 7))).size == 0


def test_the_evidence_of_exchangeable_nights_is_1_in_expectation():
    # Every order of the same nights is equally likely, in one week and in two weeks that follow each other.
    orders = sorted(set(permutations((0, 0, 0, 0, 1, 2, 5))))
    week = np.exp(week_evidence(np.array(orders)))
    assert week.mean(axis=0) == pytest.approx(np.ones(6))
    some = orders[:: len(orders) // 20]
    second = np.array(list(product(orders, some[:3])))
    assert np.exp(running_evidence(second[0])).size == 2
    ends = np.array([np.exp(running_evidence(pair)[-1]) for pair in second])
    firsts = np.array([np.exp(week_evidence(pair[1:])) for pair in second])
    assert ends.mean() == pytest.approx((week.mean(axis=0) * firsts[:3].mean(axis=0)).mean(), rel=1e-9)


def test_large_counts_do_not_overflow():
    assert np.isfinite(running_evidence(np.array([[0, 0, 0, 0, 0, 9000, 9000]] * 50))).all()


def test_alike_nights_raise_nothing_and_busy_weekends_do():
    alike = whole_weeks(nights([[1, 0, 2, 1, 0, 1, 1]] * 12), Situations(), MONDAY)
    assert alike.raised is None and finding_of(alike).state == "nothing found"
    busy = whole_weeks(nights([BUSY] * 12), Situations(), MONDAY)
    found = finding_of(busy)
    assert found.is_raised and found.is_alarm and found.result == "alarm"
    assert "a weekend night has 4.5 losses on average, another night 0.4" in found.sentence
    assert "situations" in found.remedy and found.command.startswith("allotment change STORE --situations")
    assert found.numbers["weeks"] == 10


def test_a_raised_alarm_stays_raised():
    quiet = [[5, 4, 0, 1, 0, 1, 0]] * 30
    weeks = whole_weeks(nights([BUSY] * 12 + quiet), Situations(), MONDAY)
    assert running_evidence(weeks.losses)[-1] < math.log(100)
    assert weeks.raised is not None and weeks.raised.weekday() == 6
    assert weeks.raised == whole_weeks(nights([BUSY] * 12), Situations(), MONDAY).raised


@pytest.mark.parametrize("begins", range(7))
def test_weeks_count_from_day_15_on(begins):
    first = MONDAY + timedelta(days=begins)
    weeks = whole_weeks(nights([BUSY] * 6, first), Situations(), first)
    assert all(monday.weekday() == 0 for monday in weeks.mondays)
    days = (weeks.mondays[0] - first).days + 1
    assert 15 <= days < 22


def test_weeks_with_missing_or_different_nights_are_left_out():
    known = nights([BUSY] * 6)
    del known[MONDAY + timedelta(days=23)]
    known[MONDAY + timedelta(days=30)] = Night(3.0, ("another place",))
    weeks = whole_weeks(known, Situations(), MONDAY)
    assert weeks.mondays == (MONDAY + timedelta(days=14), MONDAY + timedelta(days=35)) and weeks.left_out == 2
    assert "2 weeks are left out" in finding_of(weeks).sentence


def test_situations_that_tell_weekends_apart_are_not_tested():
    data = {"rules": [{"days": ["Sat", "Sun"], "situations": ["b"]}], "default": ["a"]}
    situations = Situations().with_names(("a", "b"))
    apart = situations.with_calendar(data)
    assert isinstance(apart.calendar, Calendar)
    found = finding_of(whole_weeks(nights([BUSY] * 12), apart, MONDAY))
    assert found.state == "too early" and "10 weeks are left out" in found.sentence
    seasons = {"rules": [{"months": ["July"], "situations": ["b"]}], "default": ["a"]}
    assert whole_weeks(nights([BUSY] * 12), situations.with_calendar(seasons), MONDAY).raised


def test_the_first_and_the_last_date_that_there_are_do_no_harm():
    for ends in ((date.min, date.max), (date.max, date.max)):
        known = dict.fromkeys(ends, Night(1.0, ("same",)))
        assert whole_weeks(known, Situations(), min(known)).mondays == ()


def test_without_whole_weeks_it_is_too_early():
    assert finding_of(Weeks((), np.zeros((0, 7)), 0)).state == "too early"
    assert whole_weeks({}, Situations(), None).mondays == ()


@pytest.fixture
def weekly(tmp_path):
    settings = {"arms": ["Dock", "Gate"], "budget": 1, "unit": 1, "most": 1, "losses": "counts", "seed": 1}
    with Campaign.create(tmp_path / "w.db", "w", **settings) as made:
        for day in range(42):
            plan = made.ask(date=MONDAY + timedelta(days=day))
            lost = {5: 3, 6: 4}.get(day % 7, 0)
            made.tell(plan.id, {"Dock": lost, "Gate": lost // 2})
        yield made


def calendar(campaign):
    return calendar_finding(campaign._current())


def test_a_campaign_raises_the_alarm_in_its_status_too(weekly):
    found = calendar(weekly)
    assert found.is_raised
    assert found.numbers["weekend_mean"] == 5.0 and found.numbers["weekday_mean"] == 0.0
    assert any(each.startswith("Calendar alarm: weekends differ") for each in weekly.status().warnings)


def test_reports_count_as_they_finally_stand(weekly):
    before = Counter(calendar(weekly).numbers)
    weekly.tell("20", {"Dock": 0}, correct=True)
    assert calendar(weekly).numbers["weekend_mean"] < before["weekend_mean"]
    weekly.tell("27", {"Gate": None}, correct=True)
    assert calendar(weekly).numbers["weeks"] == before["weeks"] - 1
    weekly.undo("41")
    assert calendar(weekly).numbers["weeks"] == before["weeks"] - 2


def test_a_cancelled_plan_does_not_count_and_two_shifts_add_up(weekly):
    sunday = MONDAY + timedelta(days=20)
    weekly.cancel(weekly.ask(date=sunday).id)
    assert calendar(weekly).numbers["weeks"] == 4
    extra = weekly.ask(date=sunday)
    weekly.tell(extra.id, {"Dock": 0, "Gate": 0})
    assert calendar(weekly).numbers["weeks"] == 3  # this night has two plans, the others have one
    for day in range(14, 20):
        weekly.tell(weekly.ask(date=MONDAY + timedelta(days=day)).id, {"Dock": 1, "Gate": 0})
    assert calendar(weekly).numbers["weeks"] == 4


def test_an_import_that_corrects_a_report_counts(weekly, tmp_path):
    log = tmp_path / "log.csv"
    rows = ("2026-01-24,Dock,0,9", "2026-03-01,Dock,0,7", "2026-03-02,Dock,0,0")
    log.write_text("\n".join(("date,place,amount,incidents", *rows)), encoding="utf-8")
    before = calendar(weekly).numbers
    weekly.import_log(log, correct=True)
    after = calendar(weekly).numbers
    assert after["weekend_mean"] == before["weekend_mean"] + 6 / 8 and after["weeks"] == before["weeks"]


def test_a_new_calendar_answers_the_alarm(weekly):
    week = {"rules": [{"days": ["Sat", "Sun"], "situations": ["weekend"]}], "default": ["weekday"]}
    weekly.change(situations=["weekday", "weekend"], calendar=week)
    assert calendar(weekly).state == "not needed" and weekly.status().warnings == ()
    weekly.change(calendar={"rules": [{"days": ["Sun"], "situations": ["weekend"]}], "default": ["weekday"]})
    assert calendar(weekly).state == "too early"  # Saturdays are like other nights
