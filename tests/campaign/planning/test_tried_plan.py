"""What-if: the difference from the current plan, place by place."""


def test_a_trial_is_compared_with_the_plan_of_its_date(campaign):
    plan = campaign.ask(date="2026-01-01")
    tried = campaign.what_if(date="2026-01-01", budget=3)
    assert tried.state == "tried"
    assert "waiting" not in str(tried)
    assert tried.differences == {name: tried.amounts[name] - plan.amounts[name] for name in plan.amounts}
    assert "plan 1 " in str(tried)
    assert tried.to_dict()["current"]["id"] == "1"
    assert tried.columns() == ("place", "amount", "current", "difference")


def test_without_a_plan_it_is_compared_with_what_would_come(campaign):
    tried = campaign.what_if(date="2026-01-02", exclude=["Dock"])
    usual = campaign.ask(date="2026-01-02")
    assert tried.current.amounts == usual.amounts
    assert tried.differences["Dock"] == -usual.amounts["Dock"]
    assert "the plan as things are" in str(tried)
