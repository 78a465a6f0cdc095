"""Campaigns with situations: plans, shifts, evidence, a changed calendar, and files of before."""

from datetime import UTC, date, datetime, timedelta

import pytest

from allotment import Campaign, ConflictError, HistoryError, InputError
from allotment.campaign.answers.change_words import meaning_of
from allotment.campaign.forms import names
from allotment.campaign.history.snapshots import packed, unpacked
from allotment.campaign.history.state import State
from own_copies import FIRST_FORMAT, own_copy

FRIDAY, SATURDAY = date(2026, 3, 27), date(2026, 3, 28)
WEEK = {"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}], "default": "weekday"}
PLACES = {"arms": ("Dock", "Gate", "Yard"), "unit": 1, "most": 4, "seed": 7, "timezone": "UTC"}


@pytest.fixture
def week(tmp_path):
    given = {**PLACES, "budget": {"weekday": 6, "weekend": 4}, "calendar": WEEK, "author": "Ada"}
    with Campaign.create(tmp_path / "week.db", "week", **given, situations=["weekday", "weekend"]) as made:
        yield made


@pytest.fixture
def shifts(tmp_path):
    given = {**PLACES, "budget": 6, "situations": ["early", "late"], "author": "Ada"}
    with Campaign.create(tmp_path / "shifts.db", "shifts", **given) as made:
        yield made


def carried_out(campaign, day, **losses):
    plan = campaign.ask(date=day)
    campaign.tell(plan.id, {name: losses.get(name, 0) for name in plan.amounts})
    return plan


def seen(campaign):
    """Rounds and losses by place and situation."""
    found = {}
    for row in campaign.evidence():
        rounds, losses = found.get((row.arm, row.situation), (0, 0))
        found[row.arm, row.situation] = rounds + row.rounds, losses + row.losses
    return found


def test_the_calendar_gives_the_situation_and_its_budget(week):
    friday, saturday = carried_out(week, FRIDAY, Dock=1), carried_out(week, SATURDAY, Gate=1)
    assert (friday.situation, sum(friday.amounts.values())) == ("weekday", 6)
    assert (saturday.situation, sum(saturday.amounts.values())) == ("weekend", 4)
    assert seen(week)["Dock", "weekday"] == seen(week)["Gate", "weekend"] == (1, 1)
    assert seen(week)["Dock", "weekend"] == seen(week)["Gate", "weekday"] == (1, 0)
    assert "Plan 2 of 2026-03-28 (weekend), told" in str(week.plan("2"))
    week.verify(plans=True)


def test_someone_may_state_the_situation(week):
    plan = week.ask(date=FRIDAY, situation="weekend")
    assert (plan.situation, sum(plan.amounts.values())) == ("weekend", 4)
    assert week.latest(FRIDAY, "weekend").id == week.latest(FRIDAY).id == "1"
    assert week.latest(FRIDAY, "weekday") is None
    with pytest.raises(InputError, match="there is no situation named 'wekend'. Did you mean weekend?"):
        week.ask(situation="wekend")


def test_a_date_with_several_situations_needs_one(shifts):
    with pytest.raises(InputError, match="2026-03-27 has several situations; .* one of early, late"):
        shifts.ask(date=FRIDAY)
    assert shifts.situations_on(FRIDAY) == ("early", "late")
    assert shifts.ask(date=FRIDAY, situation="late").situation == "late"


def test_all_plans_of_a_date_are_made_once(shifts):
    made = shifts.plans_for(FRIDAY, key="k")
    assert [(each.plan.situation, each.made) for each in made] == [("early", True), ("late", True)]
    again = shifts.plans_for(FRIDAY, key="k")
    assert [each.plan for each in again] == [each.plan for each in made]
    assert [each.made for each in again] == [True, True]  # a key repeats its answer
    assert not any(each.made for each in shifts.plans_for(FRIDAY))
    assert len(shifts.plans_of(FRIDAY)) == 2
    shifts.tell("1", {"Dock": 0, "Gate": 0, "Yard": 0})
    later = shifts.plans_for(FRIDAY)
    assert [each.plan.state for each in later] == ["told", "waiting"]
    assert shifts.last_event == 4


def test_a_date_with_one_situation_has_one_plan(week):
    assert [each.plan.situation for each in week.plans_for(SATURDAY)] == ["weekend"]
    assert [each.made for each in week.plans_for(SATURDAY)] == [False]


def test_of_all_plans_none_is_made_if_one_cannot_be(shifts):
    shifts.change(most={"late": {"Dock": 1}})
    with pytest.raises(ConflictError, match="fix of 'Dock' is 2; expected at most 1, its most"):
        shifts.plans_for(FRIDAY, fix={"Dock": 2})
    assert shifts.plans_of(FRIDAY) == ()
    shifts.ask(date=FRIDAY, situation="late", exclude=["Dock"])
    with pytest.raises(ConflictError, match=r"plan 1 of 2026-03-27 \(late\) was made with Dock excluded"):
        shifts.plans_for(FRIDAY)
    assert len(shifts.plans_of(FRIDAY)) == 1


def test_plans_of_a_date_are_replaced_together(shifts):
    shifts.plans_for(FRIDAY)
    found = [each.plan for each in shifts.plans_for(FRIDAY, again=True)]
    assert [(each.situation, each.replaces) for each in found] == [("early", "1"), ("late", "2")]


def quiet(campaign, *plans):
    for plan in plans:
        campaign.tell(plan, {"Dock": 0, "Gate": 0, "Yard": 0})


@pytest.mark.parametrize("orders", [{"budget": 2}, {"exclude": ["Dock"]}, {"moves": 0}, {"again": True}])
def test_orders_for_plans_that_are_done_are_refused(shifts, orders):
    shifts.plans_for(FRIDAY)
    quiet(shifts, "1")
    shifts.close_plan("2")
    assert [each.plan.state for each in shifts.plans_for(FRIDAY)] == ["told", "closed"]
    with pytest.raises(
        ConflictError, match=r"plan 1 of 2026-03-27 \(early\) is told; expected --situation early --also"
    ):
        shifts.plans_for(FRIDAY, **orders)


def test_orders_apply_to_the_plans_that_are_not_done(shifts):
    shifts.ask(date=FRIDAY, situation="early")
    quiet(shifts, "1")
    early, late = shifts.plans_for(FRIDAY, budget=2)
    assert (early.plan.id, early.ignores_orders) == ("1", True)
    assert (late.plan.budget, late.ignores_orders) == (2, False)


def test_refusals_name_the_situation_where_a_date_has_several(shifts, week):
    shifts.plans_for(FRIDAY)
    shifts.tell("1", {"Dock": 0})
    wanted = (
        "expected --situation early --also for a second plan on that date, or --again with the --situation"
    )
    with pytest.raises(ConflictError, match=wanted):
        shifts.plans_for(FRIDAY, again=True)
    assert shifts.plan_for(FRIDAY, situation="early", also=True).made
    assert shifts.plan_for(FRIDAY, situation="late", again=True).plan.replaces == "2"
    week.tell(week.ask(date=FRIDAY).id, {"Dock": 0})
    with pytest.raises(
        ConflictError, match="cannot be replaced; expected --also for a second plan on that date$"
    ):
        week.plans_for(FRIDAY, again=True)


def test_a_key_means_one_request_for_all_plans_of_a_date(shifts):
    made = shifts.plans_for(FRIDAY, key="k", budget=2)
    quiet(shifts, "1", "2")
    again = shifts.plans_for(FRIDAY, key="k", budget=2)
    assert [each.plan.id for each in again] == [each.plan.id for each in made]
    with pytest.raises(ConflictError, match="key 'k/0/.*' was used for another request"):
        shifts.plans_for(FRIDAY, key="k", budget=3)


def test_a_key_may_be_as_long_as_for_one_plan(shifts):
    made = shifts.plans_for(FRIDAY, key=200 * "k")
    assert [each.plan.id for each in shifts.plans_for(FRIDAY, key=200 * "k")] == ["1", "2"]
    assert [each.made for each in made] == [True, True]
    with pytest.raises(InputError, match="key"):
        shifts.plans_for(FRIDAY, key=201 * "k")


def test_a_retry_after_midnight_is_the_same_request(shifts, monkeypatch):
    one = {"rules": [{"days": "Sat", "situations": "late"}], "default": ["early", "late"]}
    shifts.change(calendar=one)
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 3, 27, 23, 59, tzinfo=UTC))
    made = shifts.plans_for(key="k")
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 3, 28, 0, 1, tzinfo=UTC))
    assert [each.plan for each in shifts.plans_for(key="k")] == [each.plan for each in made]
    saturday = shifts.plans_for(key="one")
    assert [each.plan.situation for each in saturday] == ["late"]
    monkeypatch.setattr(names, "now", lambda: datetime(2026, 3, 29, 0, 1, tzinfo=UTC))
    assert [each.plan for each in shifts.plans_for(key="one")] == [saturday[0].plan]
    assert len(shifts.plans_of(FRIDAY)) == 2


def test_a_report_finds_the_plan_of_its_situation(shifts):
    shifts.plans_for(FRIDAY)
    assert [each.situation for each in shifts.to_report(FRIDAY)] == ["early", "late"]
    assert [each.id for each in shifts.to_report(FRIDAY, "late")] == ["2"]
    with pytest.raises(InputError, match=r"there is no plan for 2026-03-28 \(late\)"):
        shifts.to_report(SATURDAY, "late")


def test_a_late_report_may_be_meant_for_each_situation_of_a_date(shifts):
    for each in shifts.plans_for(FRIDAY):
        shifts.tell(each.plan.id, dict.fromkeys(each.plan.amounts, 0))
    assert [each.situation for each in shifts.to_report(FRIDAY)] == ["early", "late"]
    assert [each.id for each in shifts.to_report(FRIDAY, "early")] == ["1"]


def test_a_new_calendar_reads_again_what_followed_from_dates(week):
    carried_out(week, FRIDAY, Dock=1)
    stated = week.ask(date=FRIDAY, situation="weekday")
    week.tell(stated.id, {"Dock": 0})
    before = list(week.history())
    week.change(calendar={"rules": [{"dates": [str(FRIDAY)], "situations": "weekend"}], "default": "weekday"})
    assert seen(week)["Dock", "weekend"] == (1, 1)  # which the date had given
    assert seen(week)["Dock", "weekday"] == (1, 0)  # which someone stated
    assert week.plan("1").situation == "weekend"
    assert week.explain("1").situation == "weekday"  # for which the plan was made
    both = "made for weekday, counts as weekend"
    assert f"({both})" in week.plan("1").title()
    assert f"({both})" in week.explain("1").title()
    assert f"({both})" in str(week.explain_place("1", "Dock"))
    assert both in week.sheet_content("1").decode()
    assert (week.plan("2").made_for, week.explain("2").counts_as) == (None, None)
    assert list(week.history())[: len(before)] == before
    week.change(calendar={"rules": [{"dates": [str(FRIDAY)], "situations": ["weekend", "weekday"]}]})
    assert seen(week)["Dock", "weekday"] == (2, 1)  # the date does not tell, so that the record does
    week.verify(plans=True)


def test_a_change_of_the_ninth_date_of_a_rule_is_named(week):
    dates = [str(FRIDAY + timedelta(days=each)) for each in range(10)]
    week.change(calendar={"rules": [{"dates": dates[:9], "situations": "weekend"}], "default": "weekday"})
    new = {"rules": [{"dates": [*dates[:8], dates[9]], "situations": "weekend"}], "default": "weekday"}
    (found,) = week.try_change(calendar=new)
    assert found.what == "calendar"
    assert dates[8] in found.old
    assert dates[9] in found.new
    assert any(dates[9] in each for each in meaning_of(week.settings, {"calendar": new}))


def test_what_if_reads_dates_by_the_tried_calendar(week):
    for day in range(8):
        carried_out(week, FRIDAY - timedelta(days=7 * day), Yard=1)
    before, last = seen(week), week.last_event
    friday, calendar = (
        FRIDAY + timedelta(days=7),
        {**WEEK, "rules": [{"days": ["Fri"], "situations": "weekend"}]},
    )
    tried = week.what_if(date=friday, calendar=calendar, explore=False)
    on_its_date = week.what_if(date=FRIDAY, calendar=calendar)
    assert (seen(week), week.last_event, week.plan("1").situation) == (before, last, "weekday")
    week.change(calendar=calendar)
    expected = week.what_if(date=friday, explore=False)
    assert (tried.situation, tried.amounts) == (expected.situation, expected.amounts)
    assert tried.expected_losses == expected.expected_losses
    assert on_its_date.current.id == "1"  # a plan of the weekend, by the tried calendar


def test_what_if_reads_dates_by_tried_situations(campaign):
    for day in range(4):
        carried_out(campaign, FRIDAY + timedelta(days=day), **{campaign.settings.arms[0].name: day % 2})
    new = {"situations": ["weekday", "weekend"], "calendar": WEEK}
    saturday = SATURDAY + timedelta(days=7)
    tried = campaign.what_if(date=saturday, **new, explore=False)
    campaign.change(**new)
    expected = campaign.what_if(date=saturday, explore=False)
    assert (tried.amounts, tried.expected_losses) == (expected.amounts, expected.expected_losses)


def test_situations_are_renamed_and_added(week):
    carried_out(week, SATURDAY)
    with pytest.raises(InputError, match="expected a name without , = @"):
        week.rename_situation("weekend", "Sat, Sun")
    week.rename_situation("weekend", "Wochenende")
    week.change(situations=["weekday", "Wochenende", "holiday"])
    assert week.plan("1").situation == week.latest(situation="weekend").situation == "Wochenende"
    assert week.ask(date=SATURDAY, situation="holiday").situation == "holiday"
    found = list(week.history_items(situation="weekend"))
    assert [each.entry.kind for each in found] == ["asked", "told"]
    assert str(found[1].words) == "plan 1 of 2026-03-28 (weekend): Dock 0, Gate 0, Yard 0"
    week.verify(plans=True)


def test_moves_count_from_the_previous_plan_of_the_same_situation(week):
    week.ask(date=FRIDAY, exclude=["Dock"])
    friday = week.ask(date=FRIDAY - timedelta(days=1))
    week.ask(date=SATURDAY)
    monday = week.ask(date=FRIDAY + timedelta(days=3), moves=1)
    assert monday.calm["since"] == friday.id
    week.verify()


def test_copies_snapshots_and_undoing_keep_situations(week, tmp_path):
    carried_out(week, FRIDAY, Dock=1)
    carried_out(week, SATURDAY, Gate=1)
    before = week.evidence()
    week.tell("2", {"Gate": 0}, correct=True)
    week.undo("2")
    assert ("Gate", "weekend") not in seen(week)
    week.tell("2", {"Dock": 0, "Gate": 1, "Yard": 0})
    assert week.evidence() == before
    week.export(tmp_path / "week.jsonl")
    week.backup(tmp_path / "copy.db")
    with Campaign.replay(tmp_path / "week.jsonl", tmp_path / "other.db") as other:
        assert other.evidence() == before
        other.verify(plans=True)
    with Campaign.open(tmp_path / "copy.db") as copy:
        assert copy.plan("2").situation == "weekend"
    state = State().follow(week.history())
    again = unpacked(packed(state))
    assert packed(again) == packed(state)
    assert again.tallies() == state.tallies()
    assert [plan.situation for plan in again.plans] == [0, 1]


def test_answers_name_the_situation(week):
    carried_out(week, FRIDAY, Dock=1)
    carried_out(week, SATURDAY, Gate=1)
    status = {name: week.status(situation=name) for name in ("weekday", "weekend")}
    assert [each.budget for each in status.values()] == [6, 4]
    assert {name: each.arms[0].losses for name, each in status.items()} == {"weekday": 1, "weekend": 0}
    assert status["weekend"].arms[1].granted == week.plan("2").amounts["Gate"]
    assert week.frontier(situation="weekend").budget == 4
    assert "a round (weekend);" in week.frontier(situation="weekend").sentences()[0]
    assert week.what_if(date=SATURDAY, budget={"weekend": 3}).budget == 3
    assert week.what_if(date=SATURDAY).current.id == "2"
    assert week.forecast(14).situations == {"weekday": 10, "weekend": 4}
    assert "This is the first plan for weekend." in week.explain("2").sentences()
    story = week.explain_place("2", "Gate")
    assert (story.situation, sum(each.losses for each in story.amounts)) == ("weekend", 1)
    assert [each.situation for each in week.place_history("Dock").rounds] == ["weekend", "weekday"]
    assert week.report("2").situation == "weekend"
    assert b"weekend" in week.sheet_content("2")


def test_an_overview_names_the_situations_of_today(shifts):
    shifts.change(budget={"late": 5})
    shifts.ask(situation="early")
    found = shifts.overview()
    assert found.sentences()[0].endswith("6 (early) or 5 (late) to grant in a round.")
    assert ("Make the plan for late", f"allotment ask {found.store}") in found.next_steps()


def test_older_code_refuses_situations(week, tmp_path, monkeypatch):
    monkeypatch.setattr("allotment.campaign.history.state.VERSION", 2)
    with (
        Campaign.open(tmp_path / "week.db") as other,
        pytest.raises(HistoryError, match="event 1 was written by a newer allotment"),
    ):
        other.plan("1")


def test_campaigns_without_situations_write_nothing_of_them(campaign):
    campaign.plans_for(FRIDAY)
    campaign.tell("1", {"Dock": 1})
    campaign.change(budget=5)
    assert {event.version for event in campaign.history()} == {2}
    assert not any("situation" in event.text for event in campaign.history())
    assert campaign.plan("1").situation is None
    assert campaign.situations_on(FRIDAY) == ()
    with pytest.raises(InputError, match="this campaign has none; expected the names of situations first"):
        campaign.ask(situation="night")


def test_a_file_of_the_first_format_may_get_situations(tmp_path):
    with Campaign.open(own_copy(FIRST_FORMAT, tmp_path / "first.db")) as campaign:
        before = campaign.evidence()
        day = campaign.plan("1").date
        campaign.change(
            situations=["weekday", "weekend", "holiday"],
            calendar={"rules": [{"dates": [str(day)], "situations": "holiday"}], "default": "weekday"},
        )
        assert campaign.plan("1").situation == "holiday"
        found = campaign.evidence()
        assert sorted(row[:4] for row in found) == sorted(before)
        assert {row.situation for row in found} == {"weekday", "holiday"}
        assert campaign.ask(situation="weekend").situation == "weekend"
        campaign.verify(plans=True)


def test_half_a_year_of_two_situations(week):
    for number in range(26):
        friday = FRIDAY + timedelta(weeks=number)
        carried_out(week, friday, Dock=1)
        carried_out(week, friday + timedelta(days=1), Gate=1)
    found = seen(week)
    assert found["Dock", "weekday"] == found["Gate", "weekend"] == (26, 26)
    assert found["Dock", "weekend"] == found["Gate", "weekday"] == (26, 0)
    weekday, weekend = week.plan("51"), week.plan("52")
    assert (weekday.situation, weekend.situation) == ("weekday", "weekend")
    assert weekday.amounts["Dock"] > weekday.amounts["Gate"]
    assert weekend.amounts["Gate"] > weekend.amounts["Dock"]
    week.verify(plans=True)
