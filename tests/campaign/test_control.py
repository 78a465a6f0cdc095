"""Control rounds in campaigns: the lot, the comparison plan, what is stored, and what nobody can find out."""

import datetime
import itertools
from dataclasses import replace

import numpy as np
import pytest

from allotment import Campaign, ConflictError, HistoryError, InputError, NotFoundError
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.sight import seen_by
from allotment.campaign.answers.change_words import changes_back, meaning_of, real_changes
from allotment.campaign.answers.checks.calendar_alarm import nights_of
from allotment.campaign.answers.effect.effect import Awaiting
from allotment.campaign.answers.event_words import Before, words_of
from allotment.campaign.history.state import State
from campaign_histories import edited, rehashed

PLACES = ["Dock", "Gate", "Yard", "Mill", "Pier"]
FIRST = datetime.date(2026, 1, 1)


@pytest.fixture(autouse=True)
def known_seeds(monkeypatch):
    """Secret seeds that are the same in every run of the tests."""
    seeds = itertools.count(7_123_456_789_012_345)
    monkeypatch.setattr("allotment.campaign.settings.control.new_seed", lambda: f"{next(seeds):x}")


@pytest.fixture
def make(tmp_path):
    made = []

    def made_with(**given):
        settings = {"arms": PLACES, "budget": 7, "unit": 1, "most": 4, "seed": 3, "control": 0.5, **given}
        made.append(Campaign.create(tmp_path / f"{len(made)}.db", "night", **settings))
        return made[-1]

    yield made_with
    for each in made:
        each.close()


def on(day):
    return FIRST + datetime.timedelta(day)


def control_of(campaign, plan):
    return next(
        e.payload.get("control") for e in campaign.history() if e.kind == "asked" and e.plan_id == plan
    )


def nights(campaign, count, start=0):
    luck = np.random.default_rng(5)
    for day in range(start, start + count):
        plan = campaign.ask(date=on(day))
        lost = {name: int(luck.random() < 0.3 / (1 + amount)) for name, amount in plan.amounts.items()}
        campaign.tell(plan.id, lost)
        yield plan


def test_plans_are_the_comparison_plan_by_lot_and_can_be_verified(make):
    night = make()
    plans = list(nights(night, 20))
    drawn = [plan for plan in plans if plan.control]
    assert 4 <= len(drawn) <= 16
    for plan in drawn:
        assert sorted(plan.amounts.values()) == [1, 1, 1, 2, 2]
        assert plan.control == {"comparison": "equal split", "share": 0.5}
        assert "the usual plan" in plan.beside
        assert "equal split" not in plan.beside
        assert "control round" in str(plan)
        why = night.explain(plan.id)
        assert "control round" in str(why)
        assert not any(each.to_learn or each.held_back for each in why.reasons)
    extra = {tuple(name for name in PLACES if plan.amounts[name] == 2) for plan in drawn}
    assert len(extra) > 1  # ties fall differently from night to night
    assert {control_of(night, plan.id)["below"] for plan in plans} == {control_of(night, "1")["below"]}
    night.verify(plans=True)


def test_a_campaign_without_control_rounds_plans_as_before(make):
    with_control, without = make(), make(control=None)
    for plan, other in zip(nights(with_control, 6), nights(without, 6), strict=True):
        usual = control_of(with_control, plan.id)["planned"]
        if plan.id == "1":  # later plans know other reports
            assert usual == list(other.amounts.values())
        assert control_of(without, other.id) is None
    assert all(event.version < 4 for event in without.history())


def test_the_share_is_the_probability_of_a_control_round(make):
    """Of 400 draws with share 0.3, 120 are expected; 120 ± 37 is four standard deviations."""
    night = make(control=0.3)
    settings = night.settings
    from allotment.campaign.planning.comparison import lot_of

    state = State(_settings=settings)
    lots = [lot_of(state, None, on(day), 0) for day in range(400)]
    assert abs(sum(lot.drawn for lot in lots) - 120) <= 37
    assert [lot.drawn for lot in lots] != [lot_of(state, None, on(day), 1).drawn for day in range(400)]


def test_cancelling_and_asking_again_keep_the_lot_and_what_it_fixed(make):
    night = make()
    fixed = (
        "id",
        "first",
        "share",
        "drawn",
        "plan",
        "expected_plan",
        "expected_comparison",
        "below",
        "above",
    )
    for day in range(6):
        first = night.ask(date=on(day))
        night.cancel(first.id)
        second = night.plan_for(on(day)).plan
        third = night.plan_for(on(day), budget=5, again=True).plan
        further = night.ask(date=on(day), exclude=["Dock"])
        before = control_of(night, first.id)
        for plan in (second, third, further):
            after = control_of(night, plan.id)
            assert {name: after[name] for name in fixed} == {name: before[name] for name in fixed}
            assert bool(plan.control) == before["drawn"]
        assert further.amounts["Dock"] == 0
        assert sum(third.amounts.values()) == 5
        night.undo(first.id)
        assert bool(night.plan(first.id).control) == before["drawn"]
    night.verify(plans=True)


def test_a_lot_outlives_the_setting_and_a_date_planned_before_has_none(make):
    night = make(control=None)
    night.ask(date=on(0))
    night.change(control={"share": 0.9, "plan": "hot-spots"})
    assert control_of(night, night.plan_for(on(0), again=True).plan.id) is None
    made = [night.ask(date=on(day)) for day in range(1, 8)]
    drawn = next(plan for plan in made if plan.control)
    night.change(control=None)
    again = night.plan_for(drawn.date, again=True).plan
    assert again.control == {"comparison": "hot spots", "share": 0.9}
    assert control_of(night, night.ask(date=on(20)).id) is None
    night.verify(plans=True)


def test_nothing_tells_the_lot_before_the_plan_is_made(make):
    """Two campaigns that differ in the secret seed alone answer alike, and then draw differently."""
    one, other = make(), make()
    for night in (one, other):
        night.ask(date=on(-1))
        night.cancel("1")

    def answers(night):
        tried = [night.what_if(date=on(day), budget=6) for day in range(6)]
        return [(each.to_dict(), str(each)) for each in (*tried, night.forecast(5), night.status())]

    assert answers(one) == answers(other)
    drawn = [[bool(night.ask(date=on(day)).control) for day in range(6)] for night in (one, other)]
    assert drawn[0] != drawn[1]


def test_no_answer_holds_the_secret_seed(make, tmp_path):
    night = make()
    list(nights(night, 3))
    night.change(control={"share": 0.25, "plan": {"Dock": 3, "Mill": 2.5}})
    seeds = [e.payload["control"]["seed"] for e in night.history() if e.kind == "created"]
    seeds += [e.payload["settings"]["control"]["seed"] for e in night.history() if e.kind == "changed"]
    assert len(set(seeds)) == 2
    shown = [str(each) for each in night.history_items()] + [str(night.status()), str(night.overview())]
    change = real_changes(night.settings, {"control": 0.5})
    shown += [str(change), str(meaning_of(night.settings, change)), str(changes_back(night.settings, change))]
    shown += [str(night.try_change(control=0.5))]
    night.export(tmp_path / "redacted.jsonl", redacted=True)
    shown.append((tmp_path / "redacted.jsonl").read_text())
    assert not any(str(seed) in text for seed in seeds for text in shown)
    night.export(tmp_path / "whole.jsonl")
    assert str(seeds[1]) in (tmp_path / "whole.jsonl").read_text()
    with Campaign.replay(tmp_path / "whole.jsonl", tmp_path / "copy.db") as copy:
        copy.verify(plans=True)
        assert copy.settings.control == night.settings.control


def test_given_amounts_are_made_feasible(make):
    night = make(control={"share": 0.9, "plan": {"Dock": 9, "Gate": 2, "Mill": 1.6}}, crew={"Gate": 3})
    plan = next(plan for plan in nights(night, 8) if plan.control)
    assert plan.control["comparison"] == "given amounts"
    # Dock can use 4, Gate gets its crew of 3 or nothing, and 7 units are spent in all: the nearest plan.
    assert plan.amounts == {"Dock": 3, "Gate": 3, "Yard": 0, "Mill": 1, "Pier": 0}


def test_given_amounts_below_the_budget_leave_the_rest(make):
    night = make(control={"share": 0.9, "plan": {"Dock": 2, "Mill": 2}})
    plan = next(plan for plan in nights(night, 8) if plan.control)
    assert plan.amounts == {"Dock": 2, "Gate": 0, "Yard": 0, "Mill": 2, "Pier": 0}
    assert not plan.spare


def test_moves_bind_no_comparison_plan_and_are_counted_from_usual_plans(make):
    night = make(moves=1, control=0.5)
    usual = None
    for plan in nights(night, 14):
        assert plan.control is None or plan.calm is None
        if plan.control is None:
            if usual is not None:
                assert plan.calm["since"] == usual.id
            usual = plan
    night.verify(plans=True)


def test_each_situation_of_a_date_has_a_lot_of_its_own(make):
    night = make(situations=["early", "late"], control=0.5)
    lots = []
    for day in range(12):
        lots.append([each.plan.control is not None for each in night.plans_for(on(day))])
    assert any(early != late for early, late in lots)
    night.verify(plans=True)


def test_the_same_setting_goes_on_and_another_starts_anew(make):
    night = make()
    before = night.settings.control
    assert str(before.seed) not in repr(before)
    night.change(control={"share": "0.50", "plan": "equal"})
    assert night.settings.control == before
    night.change(control={"share": 0.5, "plan": "hot-spots"})
    assert night.settings.control.id != before.id
    assert night.settings.control.seed != before.seed
    assert real_changes(night.settings, {"control": {"share": 0.5, "plan": "hot-spots"}}) == {}
    night.change(control=0.4)
    assert (str(night.settings.control.share), night.settings.control.plan) == ("0.4", "hot-spots")
    night.rename_arm("Dock", "Quay")
    night.change(control={"share": 0.5, "plan": {"Quay": 2}})
    assert night.settings.to_dict()["control"]["plan"] == {"Quay": "2"}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (0, "the share of control rounds"),
        (1, "0.01 to 0.9"),
        ("x", "such as 0.25"),
        ({"share": 0.2, "plan": "other"}, "equal"),
        ({"share": 0.2, "plan": {"Shed": 1}}, "Shed"),
        ({"share": 0.2, "plan": {"Dock": -1}}, "Dock"),
        ({"share": 0.2, "plan": 3}, "amounts by the names of places"),
        ({"part": 0.2}, "share"),
        ({"share": 0.2, "plan": {}}, "at least a unit of 1"),
        ({"share": 0.2, "plan": {"Dock": 0.5}}, "at least a unit of 1"),
    ],
)
def test_wrong_control_rounds_get_a_sentence(make, value, sentence):
    with pytest.raises(InputError, match=sentence):
        make(control=value)


def test_finds_have_no_control_rounds(make):
    with pytest.raises(ConflictError, match="records finds"):
        make(sees="finds")
    with pytest.raises(ConflictError, match="records finds"):
        make(sees="finds", control=None).effect_duration()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["control", "drawn"], 1),
        (["control", "share"], "1.5"),
        (["control", "plan"], "other"),
        (["control", "plan"], {"Shed": "1"}),
        (["control", "planned"], [1]),
        (["control", "compared"], [0, 0, 0, 0, -1]),
        (["control", "below"], 0),
        (["control", "expected_plan"], -1),
        (["control", "id"], "=1"),
        (["control", "other"], 1),
    ],
)
def test_a_forged_lot_is_refused(make, path, value):
    night = make()
    night.ask(date=on(0))
    history = list(night.history())
    with pytest.raises(HistoryError, match="event 2"):
        State().follow(rehashed(history, 2, edited(history[1].payload, path, value)))


def test_units_must_be_those_of_the_plan_that_was_drawn(make):
    night = make()
    plan = next(plan for plan in nights(night, 8) if plan.control)
    history = list(night.history())
    event = next(e for e in history if e.kind == "asked" and e.plan_id == plan.id)
    forged = edited(event.payload, ["control", "drawn"], False)
    with pytest.raises(HistoryError, match="drawn"):
        State().follow(rehashed(history, event.number, forged))


def test_the_effect_is_that_of_the_stored_rounds(make):
    """The estimate equals the mean of the formula, from the events alone."""
    night = make()
    list(nights(night, 40))
    told = {e.plan_id: sum(e.payload["losses"].values()) for e in night.history() if e.kind == "told"}
    terms, share = [], 0.5
    for event in night.history():
        if event.kind != "asked":
            continue
        control, lost = event.payload["control"], told[event.plan_id]
        m0, m1 = control["expected_comparison"], control["expected_plan"]
        pulled = (lost - m0) / share if control["drawn"] else -(lost - m1) / (1 - share)
        terms.append(m0 - m1 + pulled)
    found = night.effect()
    assert found.estimate == pytest.approx(np.mean(terms), abs=1e-12)
    assert found.rounds == 40
    assert found.control_rounds == sum(control_of(night, str(n + 1))["drawn"] for n in range(40))
    assert found.exact.low < found.estimate < found.exact.high
    assert found.compared_with == "an equal split"


def test_the_effect_stops_at_the_first_open_plan_and_counts_closed_and_cancelled_nights(make):
    night = make()
    list(nights(night, 30))
    closed = night.ask(date=on(30))
    night.tell(closed.id, dict.fromkeys(PLACES[1:], 0))
    night.close_plan(closed.id)
    cancelled = night.ask(date=on(31))
    night.cancel(cancelled.id)
    open_plan = night.ask(date=on(32))
    list(nights(night, 2, start=33))
    found = night.effect()
    assert (found.rounds, found.awaiting) == (32, Awaiting(open_plan.id, open_plan.date, 2))
    assert found.missing == 1 + len(PLACES)  # the closed one lacks a place, the cancelled one all
    assert found.worst_case.low <= found.exact.low
    assert found.worst_case.high >= found.exact.high
    night.tell(open_plan.id, dict.fromkeys(PLACES, 0))
    assert (night.effect().rounds, night.effect().awaiting) == (35, None)


def test_a_second_plan_and_another_comparison_do_not_count(make):
    night = make()
    list(nights(night, 10))
    further = night.ask(date=on(9))
    night.tell(further.id, dict.fromkeys(PLACES, 1))
    assert night.effect().rounds == 10
    before = night.effect()
    night.change(control={"share": 0.5, "plan": "hot-spots"})
    assert night.effect() == replace(before, has_ended=True)  # nothing was planned since
    list(nights(night, 3, start=10))
    assert night.effect().rounds == 3
    assert night.effect().compared_with == "hot spots"
    night.change(control=None)
    list(nights(night, 2, start=13))
    assert night.effect().rounds == 3


def test_without_control_rounds_there_is_no_effect(make):
    night = make(control=None)
    with pytest.raises(NotFoundError, match="no control rounds"):
        night.effect()
    list(nights(night, 2))
    with pytest.raises(NotFoundError, match="allotment change STORE --control"):
        night.effect()
    assert {row.share for row in night.effect_duration(share=0.2).courses} == {0.1, 0.2, 0.25, 0.5}
    with pytest.raises(InputError, match="control rounds is 2; expected 0.01 to 0.9"):
        night.effect_duration(share=2)


def test_a_new_calendar_takes_the_lots_of_plans_along(make):
    """Situations that come later, and a calendar that is changed and changed back, draw nothing anew."""
    night = make()
    drawn = {day: bool(night.ask(date=on(day)).control) for day in range(8)}
    night.change(situations=["a", "b"], calendar={"default": "b"})
    for calendar in ({"default": "b"}, {"default": "a"}, {"default": "b"}):
        night.change(calendar=calendar)
        for day, was in drawn.items():
            assert bool(night.plan_for(on(day), again=True).plan.control) == was
    for day in drawn:
        night.tell(night.latest(on(day)).id, dict.fromkeys(PLACES, 0))
    assert night.effect().rounds == len(drawn)
    assert night.effect().missing == 0
    night.verify(plans=True)


def test_a_far_date_that_was_cancelled_stops_nothing(make):
    night = make()
    list(nights(night, 25))
    night.cancel(night.ask(date="2062-01-01").id)
    list(nights(night, 5, start=25))
    assert night.effect().rounds == 31
    assert night.effect().missing == len(PLACES)


def test_a_second_plan_does_not_stand_in_for_the_first(make):
    night = make()
    list(nights(night, 30))
    first = night.ask(date=on(30))
    further = night.ask(date=on(30))
    night.tell(further.id, dict.fromkeys(PLACES, 0))
    night.cancel(first.id)
    assert night.effect().missing == len(PLACES)
    later = night.ask(date=on(30))
    night.tell(later.id, dict.fromkeys(PLACES, 0))
    assert night.effect().missing == 0


def test_a_place_that_leaves_a_compared_round_is_missing(make):
    night = make()
    list(nights(night, 30))
    night.ask(date=on(30))
    night.retire_arm("Dock")
    again = night.plan_for(on(30), again=True).plan
    night.tell(again.id, dict.fromkeys(PLACES[1:], 0))
    assert night.effect().missing == 1


def test_corrections_by_an_import_count(make, tmp_path):
    night = make(losses="counts")
    list(nights(night, 12))
    before = night.effect()
    log = tmp_path / "log.csv"
    amount = night.plan("3").amounts["Gate"]
    log.write_text(f"date,place,amount,incidents\n{on(2)},Gate,{amount},4\n")
    night.import_log(log, correct=True)
    after = night.effect()
    told = night.plan("3").told["Gate"]
    assert after.course[2].losses - before.course[2].losses == 4 - told
    assert after.missing == 0


def test_who_only_reports_does_not_see_control_rounds(make):
    night = make()
    plan = next(plan for plan in nights(night, 8) if plan.control)
    seen = {
        role: seen_by(Rights("Eve", role, 1)).of(plan, night.settings) for role in (RECORDER, VIEWER, PLANNER)
    }
    assert seen[RECORDER].control is None
    assert "the usual plan" not in seen[RECORDER].beside
    assert seen[VIEWER] == seen[PLANNER] == plan


def test_given_amounts_give_way_to_floors_without_losing_their_own(make):
    night = make(control={"share": 0.9, "plan": {"Gate": 4}}, least={"Dock": 2})
    plan = next(plan for plan in nights(night, 8) if plan.control)
    assert plan.amounts == {"Dock": 2, "Gate": 4, "Yard": 0, "Mill": 0, "Pier": 0}
    capped = make(control={"share": 0.9, "plan": {"Gate": 6}})
    plan = next(plan for plan in nights(capped, 8) if plan.control)
    assert plan.amounts == {"Dock": 0, "Gate": 4, "Yard": 0, "Mill": 0, "Pier": 0}


BY_WEEK = {
    "situations": ["weekday", "weekend"],
    "calendar": {"default": "weekday", "rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}]},
}


@pytest.mark.parametrize("stated", ["plan", "log"])
def test_a_correction_counts_whoever_states_the_situation(make, tmp_path, stated):
    night = make(losses="counts", **BY_WEEK)
    for day in range(6):
        situation = night.settings.situations.names[0] if stated == "plan" and day == 0 else None
        plan = night.ask(date=on(day), situation=situation)
        night.tell(plan.id, dict.fromkeys(PLACES, 0))
    assert on(0).weekday() < 5
    log = tmp_path / "log.csv"
    rows = f"date,place,amount,incidents{',situation' if stated == 'log' else ''}\n{on(0)},Gate,1,4"
    log.write_text(rows + (",weekday\n" if stated == "log" else "\n"))
    night.import_log(log, correct=True)
    night.change(calendar={"default": "weekend"})
    effect = night.effect()
    assert (effect.missing, effect.course[0].losses) == (0, 4)
    assert nights_of(night._current())[0][on(0)].losses == 4
    night.undo("import-1")
    assert night.effect().course[0].losses == 0


def test_a_round_that_was_imported_before_it_was_told_counts_once(make, tmp_path):
    night = make(losses="counts")
    list(nights(night, 1))
    plan = night.ask(date=on(1))
    log = tmp_path / "log.csv"
    log.write_text(f"date,place,amount,incidents\n{on(0)},Dock,1,3\n{on(1)},Dock,1,2\n{on(1)},Gate,1,0\n")
    night.import_log(log, correct=True)
    night.tell(plan.id, {**dict.fromkeys(PLACES, 0), "Dock": 2})
    assert night.effect().course[1].losses == 2
    assert nights_of(night._current())[0][on(1)].losses == 2


def test_a_correction_of_a_correction_counts(make, tmp_path):
    night = make(losses="counts")
    list(nights(night, 2))
    for number, incidents in enumerate((5, 1)):
        log = tmp_path / f"{number}.csv"
        log.write_text(f"date,place,amount,incidents\n{on(0)},Dock,1,{incidents}\n")
        night.import_log(log, correct=True)
    told = night.plan("1").told
    assert night.effect().course[0].losses == sum(told.values()) - told["Dock"] + 1


def test_a_situation_with_a_lot_of_its_own_keeps_it_under_a_new_calendar(make):
    night = make(situations=["a", "b"], calendar={"default": "a"})
    lots = []
    for day in range(12):
        night.ask(date=on(day))
        lots.append(control_of(night, night.ask(date=on(day), situation="b").id)["drawn"])
    night.change(calendar={"default": "b"})
    again = [night.plan_for(on(day), situation="b", again=True).plan for day in range(12)]
    assert [control_of(night, plan.id)["drawn"] for plan in again] == lots
    assert len(set(lots)) == 2


def test_a_comparison_plan_cannot_become_empty(make):
    night = make(control={"share": 0.5, "plan": {"Dock": 2}})
    with pytest.raises(ConflictError, match=r"would grant 0 in all to active places.*change the plan first"):
        night.retire_arm("Dock")
    night.change(control={"plan": {"Dock": 2, "Gate": 1}})
    night.retire_arm("Dock")
    with pytest.raises(ConflictError, match="at least a unit of 1"):
        night.change(control={"plan": {"Dock": 2}})


def test_an_older_comparison_says_that_it_has_ended(make):
    night = make()
    list(nights(night, 3))
    ended = "This comparison has ended: control rounds were changed or turned off."
    assert ended not in night.effect().sentences()
    night.change(control={"plan": "hot-spots"})
    assert ended in night.effect().sentences()
    night.change(control=None)
    assert ended in night.effect().sentences()


def test_the_history_says_that_a_campaign_began_with_control_rounds(make):
    made = next(make(control={"share": 0.1, "plan": {"Dock": 2}}).history())
    words = words_of(made.kind, made.payload, None, Before())
    assert words.lead.endswith(", unit 1, control 0.1 of rounds (given amounts: Dock 2)")
