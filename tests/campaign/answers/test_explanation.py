"""The officer's note: orders of the day are named, and never blamed on reports."""

import pytest

from allotment import Campaign
from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.history.plan_payload import PlanPayload
from allotment.campaign.planning.plan import Plan


def test_orders_of_the_day_are_named_as_reasons(campaign):
    campaign.ask(date="2026-01-01", explore=False)
    plan = campaign.ask(
        date="2026-01-02", explore=False, fix={"Dock": 2}, exclude=["Gate"], require=["Yard"], budget=3
    )
    why = campaign.explain(plan.id)
    assert why.orders == ("Dock fixed at 2", "Gate excluded", "Yard required", "budget 3 instead of 6")
    said = str(why)
    assert "Dock gets 2, which prevents" in said
    assert "That is an order of the day." in said
    assert "Gate gets nothing: an order of the day excludes it." in said
    # the best known plan without orders is the same: nothing was reported
    assert why.moved == ()
    assert why.because == ()
    assert "The best known plan has not changed since plan 1. Nothing was reported since then." in said


def test_a_plan_after_orders_is_compared_without_them(campaign):
    campaign.ask(date="2026-01-01", explore=False)
    campaign.ask(date="2026-01-02", explore=False, fix={"Dock": 0.5}, budget=2)
    after = campaign.explain(campaign.ask(date="2026-01-03", explore=False).id)
    assert after.since == "2"
    assert after.moved == ()
    assert after.because == ()


def test_reports_that_move_the_best_known_plan_are_named(campaign):
    campaign.ask(date="2026-01-01")
    campaign.tell("1", {"Dock": 1, "Gate": 0, "Yard": 0})
    why = campaign.explain(campaign.ask(date="2026-01-02").id)
    assert any(name == "Dock" and now > then for name, then, now in why.moved)
    assert f"Since plan {why.since}, the best known plan moved: Dock " in str(why)
    assert "Reason: plan 1 was reported for 3 places (1 loss: Dock)." in str(why)
    assert why.because == ("plan 1 was reported for 3 places (1 loss: Dock)",)


def test_places_are_told_by_what_their_grant_prevents_and_why_others_get_nothing(tmp_path):
    arms = [f"Zone {i}" for i in range(6)]
    with Campaign.create(tmp_path / "z.db", "z", arms=arms, budget=2, unit=1, most=2, seed=1) as campaign:
        plan = campaign.ask(explore=False)
        campaign.tell(plan.id, {name: int(name == "Zone 3") for name in arms})
        plan = campaign.ask(explore=False)
        why = campaign.explain(plan.id)
    lines = [line for line in str(why).splitlines() if line.startswith("Zone")]
    assert len(lines) == 6
    prevented = {reason.arm: reason.prevents_cost for reason in why.reasons}
    granted = [line.split(" gets ")[0] for line in lines if "gets nothing" not in line]
    assert granted == sorted(granted, key=lambda name: -prevented[name])
    for reason in why.reasons:
        if not reason.amount:
            assert f"{reason.arm} gets nothing: {reason.next_amount} there would prevent" in str(why)
            assert reason.elsewhere_cost >= reason.next_cost - 1e-6  # or the plan would not be the best


def test_nothing_is_said_above_the_most_of_a_place(tmp_path):
    settings = {"arms": ["Dock", "Gate"], "budget": 3, "unit": 1, "most": {"Dock": 2, "Gate": 5}, "seed": 1}
    with Campaign.create(tmp_path / "m.db", "m", **settings) as campaign:
        plan = campaign.ask(explore=False, fix={"Dock": 2})
        dock = campaign.explain(plan.id).reasons[0]
        assert (dock.one_more_losses, dock.next_amount) == (None, None)
        status = campaign.status().arms[0]
        assert len(status.expected_losses) == len(status.low) == len(status.prevented_losses) == 3
        assert len(campaign.status().to_dict()["arms"][0]["expected_costs"]) == 3


@pytest.mark.parametrize("explore", [True, False])
def test_spare_units_are_named(tmp_path, explore):
    with Campaign.create(tmp_path / "s.db", "s", arms=["A"], budget=9, unit=1, most=3, seed=1) as campaign:
        plan = campaign.ask(explore=explore)
        assert plan.amounts == {"A": 3}
        assert "A gets 3, which prevents" in str(campaign.explain(plan.id))


def test_spare_units_make_up_for_what_was_held_back(campaign):
    campaign.ask(date="2026-01-01")
    payload = next(event.payload for event in campaign.history() if event.kind == "asked")
    reasons = {**payload["reasons"], "held_back": [3, 1, 0]}
    why = Explanation.of(PlanPayload.of({**payload, "spare": [1, 2, 0], "reasons": reasons}))
    assert why.held_back == (("Dock", 1),)  # 3 units of 0.5 less than is best, of which 1 came back
    dock, gate, _ = map(why.why, why.reasons)
    assert "That is 1 less than is best today, to learn what less does. 0.5 of it is spare" in dock
    assert "less than is best" not in gate


def test_explain_leaves_what_the_plan_expects_to_the_last_digit(campaign):
    plan = campaign.ask(date="2026-01-01")
    payload = next(event.payload for event in campaign.history() if event.kind == "asked")
    # the tables are stored in few digits, so that their sum can fall on the other side of a rounding edge
    for shift in (-0.004, 0.0, 0.004):
        total = round(plan.expected_losses + shift, 9)
        edited = {**payload, "expected_losses": total, "expected_cost": total}
        shown = Plan.of(PlanPayload.of(edited)).ways()["this plan"]
        assert (
            Explanation.of(PlanPayload.of(edited))
            .sentences()[0]
            .endswith(f" in a round, and to leave {shown}.")
        )


def test_the_story_of_a_place_says_nothing_twice_and_nothing_that_does_not_matter(campaign):
    campaign.ask(date="2026-01-01", fix={"Dock": 1})
    said = campaign.explain_place("1", "Dock").sentences()
    assert said[0].startswith("Plan 1 of 2026-01-01: Dock gets 1, which prevents ")
    assert sum("0.5 more would prevent" in each for each in said) == 1
    assert not any("The next amount that would matter" in each for each in said)  # it is 0.5 more


def test_one_unit_more_is_not_offered_where_a_crew_is_excluded(campaign):
    campaign.change(crew={"Dock": 1})
    campaign.ask(date="2026-01-01", exclude=["Dock"])
    said = campaign.explain_place("1", "Dock").sentences()
    assert said[0] == "Plan 1 of 2026-01-01: Dock gets nothing: an order of the day excludes it."
    assert not any("0.5 more" in each for each in said)
