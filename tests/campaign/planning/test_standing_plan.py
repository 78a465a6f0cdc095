"""The plan that a date has: made once, shown again, replaced in one step, whatever else happens meanwhile."""

import threading
from contextlib import nullcontext

import pytest

from allotment import Campaign, ConflictError, HistoryError
from allotment.campaign import campaign as campaign_module
from allotment.campaign.history.events import Draft, Event, Request
from allotment.campaign.history.state import State


@pytest.mark.parametrize("queue", [True, False])
def test_two_that_ask_at_once_get_one_plan(campaign, tmp_path, monkeypatch, queue):
    if not queue:  # as on a system without file locks
        monkeypatch.setattr(campaign_module, "in_turn", lambda *store: nullcontext())
    both, found = threading.Barrier(2), []
    with Campaign.open(tmp_path / "night.db") as other:

        def ask(asker):
            both.wait()
            found.append(asker.plan_for("2026-03-31"))

        threads = [threading.Thread(target=ask, args=(each,)) for each in (campaign, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [each.plan.id for each in found] == ["1", "1"]
    assert sorted(each.made for each in found) == [False, True]


def test_a_report_that_comes_while_a_plan_is_made_anew_is_not_lost(campaign, monkeypatch):
    campaign.ask(date="2026-03-31")
    compute = campaign_module.planned

    def slowly(*inputs, **options):
        campaign.tell("1", {"Dock": 1})
        return compute(*inputs, **options)

    monkeypatch.setattr(campaign_module, "planned", slowly)
    with pytest.raises(ConflictError, match="plan 1 is partly told; expected its report to be undone first"):
        campaign.plan_for("2026-03-31", again=True)
    assert campaign.plan("1").told == {"Dock": 1}
    assert campaign.latest().id == "1"


def test_orders_are_compared_by_place_and_amount(campaign):
    campaign.ask(date="2026-03-31", exclude=["Dock"], fix={"Gate": 1})
    campaign.rename_arm("Dock", "Pier")
    again = campaign.plan_for("2026-03-31", exclude=["Pier"], fix={"Gate": "1.0"}, budget=6)
    assert (again.plan.id, again.made, again.changes) == ("1", False, ("Dock was renamed",))


def test_what_was_recorded_since_is_named(campaign, tmp_path):
    campaign.ask(date="2026-03-30")
    campaign.tell("1", {"Dock": 1, "Gate": 0})
    (tmp_path / "log.csv").write_text("date,place,amount,incidents\n2024-01-01,Dock,2.5,0\n")
    campaign.import_log(tmp_path / "log.csv")
    campaign.ask(date="2026-03-31")
    assert campaign.plan_for("2026-03-31").changes == ()
    campaign.tell("1", {"Yard": 1})
    campaign.undo("import-1")
    campaign.add_arm("Shed", most=1)
    campaign.close_plan(campaign.ask(date="2026-03-29").id)
    assert campaign.plan_for("2026-03-31").changes == (
        "plan 1 was reported for 1 place (1 loss)",
        "import-1 was undone",
        "Shed was added",
    )


@pytest.mark.parametrize(
    ("replaces", "sentence"),
    [("2", "there is no plan '2'"), (1, "replaces is 1"), ("1", "plan 1 is partly told")],
)
def test_a_forged_replacement_is_refused(campaign, replaces, sentence):
    campaign.ask()
    campaign.tell("1", {"Dock": 1})
    first, asked, _ = campaign.history()
    state = State().follow(campaign.history())
    payload = {**asked.payload, "plan": "2", "knew": 3, "replaces": replaces}
    event = Event.after(state.hash, 4, first.at, Request("Ada", "k", "r"), Draft("asked", payload))
    with pytest.raises(HistoryError, match=sentence):
        state.apply(event)
