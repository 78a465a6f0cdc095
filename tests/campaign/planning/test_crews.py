"""Crews: a place gets nothing, or at least its crew."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment import Campaign, ConflictError
from allotment.campaign.planning.plan_bounds import fewest_units

COUNTS = st.integers(0, 5)


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), min_size=1, max_size=4), COUNTS, st.none() | COUNTS)
def test_the_fewest_units_of_a_group_are_those_of_all_ways(arms, floor, cap):
    least, crew, most = (np.array(column) for column in zip(*map(sorted, arms), strict=True))
    least = np.where(least > 0, np.maximum(least, crew), 0)
    ways = itertools.product(
        *(
            [units for units in range(low, high + 1) if units == 0 or units >= need]
            for low, need, high in zip(least, crew, most, strict=True)
        )
    )
    sums = [sum(way) for way in ways if sum(way) >= floor and (cap is None or sum(way) <= cap)]
    assert fewest_units(least, most, crew, floor, cap) == min(sums, default=None)


@pytest.fixture
def crewed(tmp_path):
    places = {"arms": ["Dock", "Gate", "Yard"], "most": 4, "crew": {"Dock": 2, "Gate": 3}}
    with Campaign.create(tmp_path / "crews.db", "crews", **places, budget=6, unit=0.5, seed=1) as made:
        yield made


def test_plans_and_answers_keep_crews(crewed, tmp_path):
    for day in range(1, 9):
        plan = crewed.ask(date=f"2026-03-{day:02}")
        crewed.tell(plan.id, {"Dock": day % 2, "Gate": day % 3 == 0, "Yard": 1})
        for amounts in (plan.amounts, crewed.what_if(budget=2.5).amounts):
            assert amounts["Dock"] == 0 or amounts["Dock"] >= 2
            assert amounts["Gate"] == 0 or amounts["Gate"] >= 3
    crewed.verify(plans=True)
    losses = [point.expected_losses for point in crewed.frontier().points]
    assert losses == sorted(losses, reverse=True)
    assert {each.plans_by for each in crewed.forecast(3).outlooks} >= {"this policy", "hot spots"}
    crewed.export(tmp_path / "history.jsonl")
    with Campaign.replay(tmp_path / "history.jsonl", tmp_path / "other.db") as other:
        assert other.settings == crewed.settings
        assert other.settings.arms[1].crew == 3


def test_a_required_place_and_one_with_a_least_get_their_crew(crewed):
    assert crewed.ask(require=["Gate"]).amounts["Gate"] >= 3
    crewed.change(least={"Dock": 0.5})
    assert crewed.ask(budget=2).amounts == {"Dock": 2, "Gate": 0, "Yard": 0}
    assert crewed.ask(exclude=["Dock"]).amounts["Dock"] == 0
    assert crewed.ask(fix={"Dock": 0}).amounts["Dock"] == 0
    assert crewed.ask(fix={"Dock": 2}).amounts["Dock"] == 2


@pytest.mark.parametrize(
    ("orders", "sentence"),
    [
        ({"fix": {"Gate": 2.5}}, "fix of 'Gate' is 2.5; expected 0, or at least 3, its crew"),
        ({"require": ["Dock", "Gate"], "budget": 4.5}, "must get 5 together"),
    ],
)
def test_orders_that_break_crews_are_refused(crewed, orders, sentence):
    with pytest.raises(ConflictError, match=sentence):
        crewed.ask(**orders)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"crew": {"Dock": 4.5}},
            "the crew of 'Dock' is 4.5; expected whole units of 0.5, and at most 4, its",
        ),
        ({"crew": {"Dock": 0.7}}, "the crew of 'Dock' is 0.7; expected whole units of 0.5"),
        ({"most": {"Gate": 2.5}}, "the crew of 'Gate' is 3; expected whole units of 0.5, and at most 2.5"),
        ({"unit": 2}, "the crew of 'Gate' is 3; expected whole units of 2"),
        (
            {"groups": {"north": {"arms": ["Dock", "Gate"], "least": 1, "most": 1.5}}},
            "the places of group 'north', each with nothing or its crew, cannot get 1 to 1.5 together",
        ),
    ],
)
def test_crews_that_nothing_can_keep_are_refused(crewed, change, sentence):
    events = crewed.last_event
    with pytest.raises(ConflictError, match=sentence):
        crewed.change(**change)
    assert crewed.last_event == events


def test_no_amount_below_the_crew_is_spoken_of(crewed):
    plan = crewed.ask(exclude=["Yard"], budget=2)
    dock, gate, yard = crewed.explain(plan.id).reasons
    assert (dock.amount, dock.binds) == (2, "crew")
    assert dock.one_less_losses is None
    assert dock.one_more_losses > 0.0
    assert gate.amount == 0
    assert gate.one_more_losses is None
    assert gate.next_amount >= 3
    assert gate.elsewhere_cost is None  # Dock has fewer units than Gate's crew
    assert "nothing or at least its crew of 3" in str(crewed.explain_place(plan.id, "Gate"))
    assert yard.binds == "excluded"


def test_crews_change_from_the_next_plan_on(crewed):
    crewed.change(crew={"Gate": 0, "Dock": 0, "Yard": 4})
    crewed.add_arm("Shed", most=2, crew=1)
    assert [str(arm.crew) for arm in crewed.settings.arms] == ["0", "0", "4", "1"]
    amounts = crewed.ask().amounts
    assert amounts["Yard"] in (0, 4)
    assert amounts["Shed"] != 0.5
