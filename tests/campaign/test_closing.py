"""Closing plans, taking things back, and which plan is the latest."""

import datetime

import pytest

from allotment import Campaign, ConflictError, HistoryError, InputError
from allotment.campaign.history.events import Draft, Event, Request
from allotment.campaign.history.snapshots import packed, unpacked
from allotment.campaign.history.state import State

QUIET = {"Dock": 0, "Gate": 0, "Yard": 0}


def test_a_closed_plan_awaits_nothing_and_still_takes_late_reports(campaign):
    campaign.ask(date="2026-03-30")
    campaign.tell("1", {"Dock": 1})
    campaign.close_plan("1")
    assert campaign.plan("1").state == "closed"
    assert campaign.open_plans() == ()
    assert [row.arm for row in campaign.evidence()] == ["Dock"]  # Gate and Yard stay unknown
    assert campaign.tell("1", {"Gate": 1}) == ("Yard",)
    assert campaign.plan("1").state == "closed"
    with pytest.raises(ConflictError, match="plan 1 is closed already"):
        campaign.close_plan("1")
    campaign.tell("1", {"Yard": 0})
    assert campaign.plan("1").state == "told"
    campaign.verify(plans=True)


def test_a_closed_plan_is_not_cancelled(campaign):
    campaign.ask()
    campaign.close_plan("1")
    with pytest.raises(ConflictError, match="plan 1 is closed; expected the closing to be undone first"):
        campaign.cancel("1")
    campaign.ask()
    campaign.cancel("2")
    with pytest.raises(ConflictError, match="plan 2 is cancelled already"):
        campaign.close_plan("2")


def test_undo_takes_back_a_cancellation_or_a_closing(campaign):
    campaign.ask()
    campaign.cancel("1")
    campaign.undo("1")
    assert campaign.plan("1").state == "waiting"
    campaign.close_plan("1")
    campaign.undo("1", what="closing")
    assert campaign.plan("1").state == "waiting"
    assert [event.payload["what"] for event in campaign.history() if event.kind == "undone"] == [
        "cancellation",
        "closing",
    ]
    campaign.verify()


def test_undo_never_takes_back_more_than_was_meant(campaign):
    campaign.ask()
    campaign.tell("1", {"Dock": 1})
    campaign.close_plan("1")
    with pytest.raises(ConflictError, match=r"plan 1 has a report and a closing; expected --what \(what=\)"):
        campaign.undo("1")
    with pytest.raises(InputError, match="what is 'all'"):
        campaign.undo("1", what="all")
    campaign.undo("1", what="closing", key="a")
    campaign.undo("1", what="closing", key="a")  # the same request
    with pytest.raises(ConflictError, match="plan 1 has no closing to undo; expected report"):
        campaign.undo("1", what="closing")
    assert campaign.plan("1").told == {"Dock": 1}


def test_the_latest_plan(campaign):
    assert campaign.latest() is None
    for date in ("2026-03-30", "2026-03-31", "2026-03-31", "2026-03-01"):
        campaign.ask(date=date)
    campaign.cancel("3")
    assert campaign.latest().id == "4"
    assert campaign.latest("2026-03-31").id == "2"
    assert campaign.latest(datetime.date(2026, 4, 1)) is None
    campaign.undo("3")
    assert campaign.latest("2026-03-31").id == "3"


def test_status_counts_open_plans_and_names_the_oldest(campaign):
    for day in range(1, 7):
        campaign.ask(date=f"2026-03-{7 - day:02}")
    campaign.tell("6", {"Dock": 1})
    campaign.tell("5", QUIET)
    status = campaign.status()
    assert status.waiting == ("6", "4", "3", "2", "1")
    assert (
        "5 plans await reports; the oldest: plan 6 of 2026-03-01 (2 of 3 places not reported), plan 4 of "
        "2026-03-03 (3 of 3 places not reported), plan 3 of 2026-03-04 (3 of 3 places not reported)."
        in str(status)
    )
    oldest = {"id": "6", "date": "2026-03-01", "state": "partly told", "missing": 2, "places": 3}
    assert status.to_dict()["open_plans"][0] == {**oldest, "situation": None}


def test_a_snapshot_keeps_what_is_closed_and_cancelled(campaign):
    for plan in ("1", "2", "3"):
        campaign.ask()
        if plan != "3":
            (campaign.cancel if plan == "1" else campaign.close_plan)(plan)
    state = State().follow(campaign.history())
    again = unpacked(packed(state))
    assert [plan.state for plan in again.plans] == ["cancelled", "closed", "waiting"]
    assert packed(again) == packed(state)


def test_earlier_code_refuses_what_it_does_not_know(campaign, tmp_path, monkeypatch):
    campaign.ask()
    campaign.close_plan("1")
    monkeypatch.setattr("allotment.campaign.history.state.VERSION", 1)
    with (
        Campaign.open(tmp_path / "night.db") as other,
        pytest.raises(HistoryError, match="was written by a newer allotment"),
    ):
        other.plan("1")


@pytest.mark.parametrize(
    ("kind", "payload", "sentence"),
    [
        ("closed", {"plan": "2"}, "there is no plan '2'"),
        ("closed", {"plan": "1", "why": "x"}, "the closing has 'why'"),
        ("undone", {"plan": "1", "what": "closing"}, "plan 1 has no closing to undo"),
        ("undone", {"plan": "1", "what": ["report"]}, "what is"),
        ("undone", {"plan": "1"}, "plan 1 has no report to undo"),
    ],
)
def test_forged_events_are_refused(campaign, kind, payload, sentence):
    campaign.ask()
    state = State().follow(campaign.history())
    event = Event.after(
        state.hash, 3, next(campaign.history()).at, Request("Ada", "k", "r"), Draft(kind, payload)
    )
    with pytest.raises(HistoryError, match=sentence):
        state.apply(event)
