"""Histories for tests."""

from allotment.campaign.forms.read_only import changeable
from allotment.campaign.history.events import Draft, Event, Request


def lively(campaign, tmp_path):
    """A history in which everything happens."""
    campaign.ask(date="2026-01-01")
    campaign.tell("1", {"Dock": 1, "Gate": 0}, amounts={"Dock": "3.3"})
    campaign.ask(date="2026-01-02", exclude=["Gate"], budget=4.2)
    campaign.tell("2", {"Dock": 1, "Gate": 0, "Yard": 1})
    campaign.tell("2", {"Dock": 0}, correct=True)
    log = tmp_path / "log.csv"
    log.write_text("date,place,amount,incidents\n2024-01-01,Dock,2.5,1\n2024-01-02,Yard,0,0\n")
    campaign.import_log(log)
    campaign.change(half_life=45, groups={"north": {"arms": ["Dock", "Yard"], "most": 3}})
    campaign.rename_arm("Gate", "Main gate")
    campaign.add_arm("Shed", most=1)
    campaign.ask(date="2026-01-03", explore=False)
    campaign.cancel("3")
    campaign.undo("1")
    campaign.retire_arm("Yard")
    campaign.plan_for("2026-01-04")
    campaign.plan_for("2026-01-04", budget=2, again=True)
    campaign.close_plan("5")
    campaign.undo("3")
    campaign.change(day_starts="06:00")
    campaign.remark("Fair in town", date="2026-01-04")


def edited(payload, path, value):
    place = found = changeable(payload)
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return found


def rehashed(events, number, payload):
    """The same history with another payload, and with hashes that fit."""
    found, previous = [], ""
    for event in events:
        content = payload if event.number == number else event.payload
        request = Request(event.by, event.key, event.request)
        draft = Draft(event.kind, content, event.version)
        found.append(Event.after(previous, event.number, event.at, request, draft))
        previous = found[-1].hash
    return found
