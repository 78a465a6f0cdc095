"""What-if: the difference from the current plan, place by place."""

import threading

from allotment.campaign import campaign as trying


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


def test_a_place_that_comes_in_meanwhile_does_not_disturb_a_trial(campaign, monkeypatch):
    """Another thread adds a place, and reports it, after the trial has begun."""
    done, checked = [], trying.check_usable_amounts

    def meanwhile():
        other = campaign.signed("Bob")
        other.add_arm("Hall", most=2, least=1)
        other.tell(other.ask().id, {"Hall": 1})
        done.append(other)

    def check(*given):
        checked(*given)
        monkeypatch.setattr(trying, "check_usable_amounts", checked)
        thread = threading.Thread(target=meanwhile)
        threads.append(thread)
        thread.start()
        thread.join(0.5)  # it waits until the trial has read the state

    threads = []
    monkeypatch.setattr(trying, "check_usable_amounts", check)
    tried = campaign.what_if(budget=7)
    threads[0].join()
    assert done and "Hall" not in tried.amounts
    assert "Hall" in campaign.what_if(budget=7).amounts
