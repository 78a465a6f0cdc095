"""Days since losses: by the dates of rounds, before the date of the plan, and as all rows would say it."""

from datetime import date, timedelta

import numpy as np
import pytest

from allotment import Campaign
from allotment.campaign.history.last_losses import days_since_losses
from allotment.campaign.history.ledger import all_rows
from allotment.campaign.history.snapshots import packed, unpacked

DAY = date(2026, 3, 2)
PLACES = ["Dock", "Gate", "Yard"]


@pytest.fixture
def night(tmp_path):
    settings = {"budget": 6, "unit": 1, "most": 4, "seed": 1, "timezone": "UTC"}
    with Campaign.create(tmp_path / "night.db", "night", arms=PLACES, **settings) as made:
        yield made


def planned(campaign, day, **losses):
    plan = campaign.ask(date=DAY + timedelta(days=day), explore=False)
    if losses:
        campaign.tell(plan.id, losses)
    return plan.id


def since(campaign, plan):
    return [*campaign.plan(plan).days_since_loss.values()]


def by_all_rows(state, arms, day):
    """The same from every row that counts."""
    rows = all_rows(state.plans, state.imports)
    found = []
    for arm in arms:
        days = rows.day[(rows.arm == arm) & (rows.losses > 0) & (rows.day < day.toordinal())]
        found.append(day.toordinal() - int(days.max()) if days.size else None)
    return found


def test_days_count_from_the_last_loss_before_the_plan(night):
    planned(night, 0, Dock=1, Gate=0, Yard=1)
    planned(night, 2, Dock=0, Gate=0, Yard=1)
    plan = planned(night, 5, Gate=1)  # a loss of its own date is not before it
    assert night.plan(plan).days_since_loss == {"Dock": 5, "Gate": None, "Yard": 3}
    assert since(night, "1") == [None, None, None] and since(night, "2") == [2, None, 2]
    assert night.plan(plan).days_since_find == {}


def test_reports_count_whenever_they_come_and_until_they_are_taken_back(night):
    first, second = planned(night, 0), planned(night, 4)
    assert since(night, second) == [None, None, None]
    night.tell(first, {"Dock": 1})
    assert since(night, second) == [4, None, None]
    night.tell(first, {"Dock": 0, "Gate": 1}, correct=True)
    assert since(night, second) == [None, 4, None]
    night.undo(first)
    assert since(night, second) == [None, None, None]
    assert night.report(second).plan_id == second


def test_logs_count_until_they_are_undone_also_where_they_correct_reports(night, tmp_path):
    planned(night, 0, Dock=1)
    log = tmp_path / "log.csv"
    log.write_text("date,place,amount,incidents\n2026-02-28,Gate,1,1\n2026-03-01,Yard,0,0\n")
    first = night.import_log(log)
    plan = planned(night, 1)
    assert since(night, plan) == [1, 3, None]
    night.undo(first.id)
    assert since(night, plan) == [1, None, None]
    night.import_log(log)
    log.write_text("date,place,amount,incidents\n2026-03-02,Dock,1,0\n2026-02-28,Gate,1,0\n")
    made = night.import_log(log, correct=True)
    assert since(night, plan) == [None, None, None]
    night.undo(made.id)
    assert since(night, plan) == [1, 3, None]


def test_a_campaign_of_finds_says_so(tmp_path):
    with Campaign.create(
        tmp_path / "it.db", "it", arms=PLACES, budget=6, unit=1, most=4, sees="finds", losses="counts", seed=1
    ) as it:
        planned(it, 0, Dock=3)
        plan = it.plan(planned(it, 3))
    assert (plan.days_since_find["Dock"], plan.days_since_loss) == (3, {})
    assert plan.columns() == ("place", "amount", "days since find")
    assert "none yet" in str(plan)


def test_the_column_stands_last_with_and_without_reports(night):
    planned(night, 0, Dock=1)
    plan = night.plan(planned(night, 7, Gate=0))
    assert plan.columns() == ("place", "amount", "told", "granted", "days since loss")
    assert [row[-1] for row in plan.rows()] == [7, None, None]
    assert [row[-1] for row in plan.table()[1]] == [7, "none yet", "none yet"]
    assert night.plan("1").columns()[-1] == "days since loss"


def test_it_is_shown_and_not_stored(night):
    planned(night, 0, Dock=1)
    plan = planned(night, 7)
    before = [event.text for event in night.history()]
    assert "days_since" not in "".join(before)
    night.plan(plan)
    night.verify(plans=True)
    assert [event.text for event in night.history()] == before


def test_a_name_of_that_day_and_a_place_that_came_later(night):
    planned(night, 0, Dock=1)
    night.rename_arm("Dock", "Pier")
    night.add_arm("Shed", most=1)
    plan = night.plan(planned(night, 2))
    assert plan.days_since_loss == {"Pier": 2, "Gate": None, "Yard": None, "Shed": None}
    assert night.plan("1").days_since_loss.keys() == {"Dock", "Gate", "Yard"}


@pytest.mark.parametrize("seed", range(3))
def test_any_history_gives_what_all_rows_say(night, tmp_path, seed):
    rng = np.random.default_rng(seed)
    plans = [planned(night, int(day)) for day in rng.integers(0, 20, 8)]
    for step in range(24):
        told = {name: int(rng.random() < 0.3) for name in rng.choice(PLACES, 2, replace=False)}
        night.tell(str(rng.choice(plans)), told, correct=True)
        if step % 8 == 7:
            rows = {(f"2026-03-{rng.integers(1, 28):02}", rng.choice(PLACES)) for _ in range(6)}
            log = tmp_path / f"{step}.csv"
            lines = [f"{day},{name},1,{int(rng.random() < 0.5)}" for day, name in sorted(rows)]
            log.write_text("\n".join(["date,place,amount,incidents", *lines]))
            night.import_log(log, correct=True)
        state, arms = night._current(), np.arange(3)
        for each in (state, unpacked(packed(state))):
            for day in (DAY, DAY + timedelta(days=9), DAY + timedelta(days=30)):
                assert days_since_losses(each, arms, day) == by_all_rows(each, arms.tolist(), day)
