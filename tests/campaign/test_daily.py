"""Asking and telling: states of plans, late and partial reports, corrections, keys."""

import datetime
import threading
from decimal import Decimal

import pytest

from allotment import Campaign, ConflictError, InputError, NotFoundError, campaigns


def test_a_plan_goes_from_waiting_to_told(campaign):
    plan = campaign.ask(date="2026-03-31")
    assert (plan.id, plan.number, plan.date, plan.state) == ("1", 1, datetime.date(2026, 3, 31), "waiting")
    assert list(plan.amounts) == ["Dock", "Gate", "Yard"]
    assert sum(plan.amounts.values()) == 6
    assert campaign.tell("1", {"Dock": 1}) == ("Gate", "Yard")
    assert campaign.plan("1").state == "partly told"
    assert campaign.tell("1", {"Gate": 0, "Yard": False}) == ()
    assert campaign.plan("1").state == "told"
    assert campaign.plan("1").told == {"Dock": 1, "Gate": 0, "Yard": 0}
    amounts = plan.amounts
    assert sorted(campaign.evidence()) == [
        ("Dock", amounts["Dock"], 1, 1),
        ("Gate", amounts["Gate"], 1, 0),
        ("Yard", amounts["Yard"], 1, 0),
    ]


def test_reports_come_late_and_out_of_order(campaign):
    campaign.ask()
    campaign.ask()
    assert campaign.tell("2", {"Dock": 1, "Gate": 1, "Yard": 1}) == ()
    assert campaign.plan("1").state == "waiting"
    assert campaign.tell("1", {"Dock": 0, "Gate": 0, "Yard": 0}) == ()
    assert sum(row.rounds for row in campaign.evidence()) == 6


def test_what_was_granted_in_truth_is_never_refused(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1, "Gate": 0}, amounts={"Dock": 3.3, "Gate": 17, "Yard": Decimal("0.1")})
    rows = {row.arm: row.amount for row in campaign.evidence()}
    assert rows == {"Dock": 3.3, "Gate": 17}
    campaign.tell("1", {"Yard": 0})
    assert {row.arm: row.amount for row in campaign.evidence()}["Yard"] == 0.1


def test_a_contradiction_is_refused_and_a_correction_is_not(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1, "Gate": 1}, amounts={"Dock": 2})
    assert campaign.tell("1", {"Dock": 1}, amounts={"Dock": 2}) == ("Yard",)  # the same again
    before = campaign.evidence()
    with pytest.raises(ConflictError, match="plan 1 was told 1 for Dock before, and now 0; expected"):
        campaign.tell("1", {"Dock": 0, "Yard": 1})
    with pytest.raises(ConflictError, match="was told amount 2 for Dock before, and now amount 3"):
        campaign.tell("1", {"Dock": 1}, amounts={"Dock": 3})
    assert campaign.evidence() == before
    campaign.tell("1", {"Dock": 0}, correct=True)
    rows = {row.arm: row[1:] for row in campaign.evidence()}
    assert rows["Dock"] == (2, 1, 0)  # the amount stays as told before
    assert rows["Gate"][2] == 1
    assert campaign.tell("1", {"Dock": None}, correct=True) == ("Dock", "Yard")
    assert "Dock" not in {row.arm for row in campaign.evidence()}


def test_undo_takes_back_the_whole_report(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1, "Gate": 1, "Yard": 0}, amounts={"Dock": 2})
    campaign.undo("1")
    assert campaign.plan("1").state == "waiting"
    assert campaign.evidence() == []
    with pytest.raises(ConflictError, match="plan 1 has no report to undo"):
        campaign.undo("1")
    campaign.tell("1", {"Dock": 0})
    assert campaign.evidence()[0].amount == campaign.plan("1").amounts["Dock"]


def test_cancelled_plans_are_not_told_and_told_ones_not_cancelled(campaign):
    campaign.ask()
    campaign.cancel("1")
    assert campaign.plan("1").state == "cancelled"
    with pytest.raises(ConflictError, match="plan 1 was cancelled"):
        campaign.tell("1", {"Dock": 1})
    campaign.ask()
    campaign.tell("2", {"Dock": 1})
    with pytest.raises(ConflictError, match="plan 2 is partly told; expected its report to be undone first"):
        campaign.cancel("2")
    campaign.undo("2")
    campaign.cancel("2")


def test_a_key_makes_it_safe_to_say_something_again(campaign):
    plan = campaign.ask(key="a")
    assert campaign.ask(key="a") == plan
    assert campaign.tell("1", {"Dock": 1}, key="b") == ("Gate", "Yard")
    assert campaign.tell("1", {"Dock": 1}, key="b") == ("Gate", "Yard")
    with pytest.raises(ConflictError, match="key 'b' was used for another request"):
        campaign.tell("1", {"Dock": 0}, key="b")
    with pytest.raises(ConflictError, match="key 'a' was used for another request"):
        campaign.ask(key="a", budget=3)
    assert len(list(campaign.history())) == 3


def test_wishes(campaign):
    plan = campaign.ask(exclude=["Dock"], fix={"Gate": 1.5}, budget="3.7")
    assert plan.amounts["Dock"] == 0
    assert plan.amounts["Gate"] == 1.5
    assert plan.amounts["Yard"] == 2
    assert (plan.budget, plan.rest) == (3.7, 0.2)
    assert "0.2 of the budget is less than a unit" in str(plan)
    assert campaign.ask(require=["Yard"], budget=0.5).amounts["Yard"] == 0.5
    for wishes, sentence in [
        ({"fix": {"Gate": 5}}, "fix of 'Gate' is 5; expected at most 4, its most"),
        ({"fix": {"Gate": 0.7}}, "fix of 'Gate' is 0.7; expected whole units of 0.5"),
        (
            {"fix": {"Gate": 4, "Dock": 3}},
            r"places must get 7 together \(Dock 3, Gate 4\); expected at most 6",
        ),
        ({"exclude": ["Gate"], "require": ["Gate"]}, "'Gate' is excluded, and required or fixed too"),
        ({"exclude": ["Shed"]}, "there is no place named 'Shed'; expected one of Dock, Gate, Yard"),
        ({"budget": float("nan")}, "budget is nan"),
        ({"budget": -1}, "budget is -1; expected a finite number of at least 0"),
        ({"date": "soon"}, "date is 'soon'; expected a date such as"),
        ({"exclude": 3}, "exclude is 3; expected names of places"),
        ({"exclude": [["Dock"]]}, "there is no place named"),
        ({"fix": 3}, "fix is 3; expected amounts by the names of places"),
        ({"explore": "no"}, "explore is 'no'; expected true or false"),
    ]:
        with pytest.raises(InputError, match=sentence):
            campaign.ask(**wishes)
    assert len(list(campaign.history())) == 3


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        ({"Shed": 1}, "there is no place named 'Shed'"),
        ({"Dock": -1}, "losses of 'Dock' is -1; expected 0 or 1"),
        ({"Dock": 2}, r"Dock=2, but this campaign records yes or no \(0 or 1\)"),
        ({"Dock": 0.5}, "losses of 'Dock' is 0.5"),
        ({"Dock": float("nan")}, "losses of 'Dock' is nan"),
        ({"Dock": "1"}, "losses of 'Dock' is '1'"),
        ({}, "nothing is told"),
        ([1, 0, 0], "losses is"),
    ],
)
def test_bad_reports_are_refused_and_leave_the_history_as_it_was(campaign, report, sentence):
    campaign.ask()
    with pytest.raises(InputError, match=sentence):
        campaign.tell("1", report)
    with pytest.raises(InputError, match="the amount of 'Dock' is nan"):
        campaign.tell("1", {"Dock": 1}, amounts={"Dock": float("nan")})
    with pytest.raises(NotFoundError, match="there is no plan '2'; expected one of 1 to 1"):
        campaign.tell("2", {"Dock": 1})
    assert len(list(campaign.history())) == 2


def test_counts(tmp_path):
    with Campaign.create(
        tmp_path / "a.db", "a", arms=["A", "B"], budget=1, unit=1, most=1, losses="counts"
    ) as campaign:
        campaign.ask()
        campaign.tell("1", {"A": 7, "B": 0})
        assert {row.arm: row.losses for row in campaign.evidence()} == {"A": 7, "B": 0}


def test_history_names_everything(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 0})
    campaign.change(budget=3)
    events = list(campaign.history())
    assert [event.kind for event in events] == ["created", "asked", "told", "changed"]
    assert [event.plan_id for event in events] == [None, "1", "1", None]
    assert {event.by for event in events} == {"Ada"}
    assert all(event.at.utcoffset() == datetime.timedelta(0) for event in events)


def test_two_objects_and_threads_share_a_campaign(campaign, tmp_path):
    with Campaign.open(tmp_path / "night.db") as other:
        assert other.name == "night"
        campaign.ask()
        assert other.tell("1", {"Dock": 1, "Gate": 0, "Yard": 0}) == ()
        assert campaign.plan("1").state == "told"
        threads = [threading.Thread(target=each.ask) for each in (campaign, other, campaign, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert other.plan("5").number == 5
        campaign.verify(plans=True)


def test_answers_are_plain_data_frames_and_tables(campaign):
    import json

    campaign.ask()
    for answer in (
        campaign.plan("1"),
        campaign.explain("1"),
        campaign.status(),
        campaign.frontier(),
        campaign.forecast(2),
    ):
        assert json.loads(json.dumps(answer.to_dict())) is not None
        frame = answer.to_frame()
        assert len(frame) == len(answer.rows()) > 0
        assert list(frame.columns) == list(answer.columns())
        assert len(str(answer).splitlines()) > len(frame)


def test_what_if_writes_nothing(campaign):
    before = campaign.last_event
    plan = campaign.what_if(
        budget=2, groups={"north": {"arms": ["Dock"], "most": 0.5}}, half_life=9, require=["Yard"]
    )
    assert plan.budget == 2
    assert plan.amounts["Dock"] <= 0.5
    assert plan.amounts["Yard"] >= 0.5
    assert campaign.what_if(date="2026-01-01").amounts == campaign.ask(date="2026-01-01").amounts
    with pytest.raises(InputError, match="'colour' cannot be changed"):
        campaign.what_if(colour="red")
    assert campaign.last_event == before + 1


def test_several_campaigns_in_a_store(campaign, tmp_path):
    path = tmp_path / "night.db"
    with Campaign.create(path, "day", arms=["A"], budget=1, unit=1, most=1):
        pass
    assert campaigns(path) == ("night", "day")
    with pytest.raises(NotFoundError, match="holds 2 campaigns; expected the name of one: night, day"):
        Campaign.open(path)
    with pytest.raises(ConflictError, match="already holds a campaign named 'day'"):
        Campaign.create(path, "day", arms=["A"], budget=1, unit=1, most=1)
    with Campaign.open(path, "day") as day:
        assert day.settings.unit == 1
