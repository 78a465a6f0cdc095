"""The study of checks: what it draws and counts. A small version of it; `make soak` runs it in full."""

import numpy as np
import pytest

from studies.checks.study import AFTER, CAMPAIGNS, FRESH, LOOKS, Looked, Pool, calendar_tables, warned_by
from studies.checks.worlds import CHANGE, FEW_PLACES, KINDS, MANY_PLACES, Trouble, daily_curves, played
from studies.rehearsal import STEPS

WEEKEND, DRIFT = Trouble(weekend=1.8, weekday=0.68), Trouble(drift=2.5)
SEED = 77  # not one of the study's


@pytest.mark.parametrize("kind", KINDS)
def test_curves_fall_from_1_as_amounts_grow(kind):
    curves = daily_curves(kind, 40, np.random.default_rng(1))
    assert curves.shape == (40, STEPS + 1) and (curves[:, 0] == 1.0).all()
    assert (np.diff(curves, axis=1) <= 1e-12).all() and (curves >= 0.0).all()


def test_campaigns_with_the_same_seed_have_the_same_places():
    calm, busy = played("step", SEED, days=120), played("step", SEED, DRIFT, days=120)
    before, after = slice(0, CHANGE), slice(CHANGE, None)
    assert np.array_equal(calm.course.rounds.losses[before], busy.course.rounds.losses[before])
    assert busy.course.rounds.losses[after].sum() > calm.course.rounds.losses[after].sum()
    weekdays = {played("step", SEED + k, days=1).course.days[0] % 7 for k in range(7)}
    assert len(weekdays) == 7
    assert calm.until(30).rounds.losses.shape == (30, FEW_PLACES)


def test_weekends_raise_the_alarm_and_alike_nights_do_not():
    pool = Pool(8, SEED)
    assert sum(pool.false_alarms(kind) for kind in KINDS[:4]) <= 2
    days = pool.alarm_days(WEEKEND, MANY_PLACES)
    assert (days <= 42).mean() >= 0.8 and days.min() >= 15 + 6


def test_a_change_is_found_after_it_and_not_before():
    found = Pool(4, SEED).looked((90, 150), DRIFT)
    assert warned_by(found, (90, 150), 90) == 0 and warned_by(found, (90, 150), 150) >= 3


def test_warnings_are_counted_up_to_a_day():
    found = [Looked("step", (False, True), (True, False)), Looked("step", (False, False), (False, False))]
    assert [warned_by(found, (30, 60), day) for day in (30, 60)] == [0, 1]


def test_the_tables_have_a_row_for_each_world(monkeypatch):
    monkeypatch.setattr("studies.checks.study.WEEKENDS", ((1.8, 0.68, FEW_PLACES),))
    monkeypatch.setattr("studies.checks.study.MANY_PLACES", FEW_PLACES)
    rows = [line for part in calendar_tables(Pool(2, SEED)) for line in part.splitlines()]
    assert [row.split(" | ")[0] for row in rows[2:10]] == [f"| {kind}" for kind in KINDS]
    assert rows[-1].startswith("| 1.8, 0.68 | 15 |")


@pytest.mark.soak
def test_calendar_alarms_are_rarely_false():
    assert {kind: found for kind in KINDS if (found := Pool(CAMPAIGNS).false_alarms(kind)) > 4} == {}


@pytest.mark.soak
def test_busy_weekends_are_found_in_six_weeks():
    assert (Pool(CAMPAIGNS).alarm_days(WEEKEND, MANY_PLACES) <= 42).mean() >= 0.95


@pytest.mark.soak
def test_drift_warnings_are_rarely_false():
    assert warned_by(Pool(CAMPAIGNS, FRESH).looked(LOOKS), LOOKS, LOOKS[-1]) <= 15


@pytest.mark.soak
def test_changes_are_found_in_two_months():
    assert warned_by(Pool(CAMPAIGNS).looked(AFTER, DRIFT), AFTER, 150) >= 0.8 * CAMPAIGNS
