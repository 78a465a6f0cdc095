"""Who sees what over HTTP: the same answer in whatever order people ask, and to recorders what is allowed."""

import json
import re

import pytest
from starlette.testclient import TestClient

from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.settings import control
from allotment.web.application import make_application
from allotment.web.desk import Desk
from allotment.web.pages.report.view import report_view
from allotment.web.requests.open_campaigns import OpenCampaigns

API, PORT = "/api/v1", 8350
ROLES = {
    "owner": Rights("Ada", PLANNER),
    "viewer": Rights("Vi", VIEWER),
    "recorder of all": Rights("Eve", RECORDER, 1),
    "recorder of a group": Rights("Tom", RECORDER, 1, "town"),
}
PARTS = {"{campaign}": "1", "{plan_id}": "2"}
QUERIES = {
    "/explanation/place": {"name": "Dock"},
    "/places/history": {"name": "Dock"},
    "/forecast": {"rounds": 2},
    "/record": {"by": "place"},
}
FILES = ("/sheet", "/export")  # made anew each time, with the time of making; never kept
SEEN_BY_RECORDERS = {
    "plans/2": {
        *("id", "number", "date", "amounts", "state", "expected_losses", "expected_cost"),
        *("weighted", "budget", "rest", "unit", "explore", "told", "told_amounts", "by", "at"),
        *("orders", "replaces", "situation", "made_for", "note"),
    },
    "plans": {"id", "date", "state", "missing", "places", "situation"},
    "plans/2/report": {"plan_id", "date", "state", "places", "situation"},
}
OF_ALL_PLACES = {"orders"}


@pytest.fixture
def night(store, monkeypatch):
    """A campaign with control rounds, one of which is plan 2, with limited moves and orders of the day."""
    monkeypatch.setattr(control, "new_seed", lambda: "5" * 32)
    groups = {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"]}}
    given = {"budget": 6, "unit": 1, "most": 4, "moves": 2, "seed": 1, "control": {"share": 0.9}}
    given["note"] = "Meet at the east gate"
    with Campaign.create(store, "night", arms=["Dock", "Gate", "Yard"], groups=groups, **given) as made:
        made.ask(date="2026-01-01")
        made.tell("1", {"Dock": 1, "Gate": 0, "Yard": 0})
        made.ask(date="2026-01-02", require=["Gate"])
        made.tell("2", {"Dock": 1, "Gate": 0}, amounts={"Dock": 1, "Gate": 1})
        assert made.plan("2").control
        yield made


@pytest.fixture
def callers(night, store):
    """Programs of all roles on one server, or each on a server that has answered nobody yet."""
    desks, tokens = [], {}

    def callers(*, alone=False):
        found = {}
        for name, rights in ROLES.items():
            if alone or not found:
                desks.append(Desk(OpenCampaigns(str(store)), PORT, author="Ada"))
            if name not in tokens:
                tokens[name] = desks[-1].tokens.add(rights, by=Rights("root", PLANNER))[1]
            found[name] = TestClient(make_application(desks[-1]), base_url=desks[-1].address)
            found[name].headers["authorization"] = f"Bearer {tokens[name]}"
        return found

    yield callers
    for desk in desks:
        desk.close()


def questions(program):
    """All questions of the API's description with what they need, so that new ones are asked, too."""
    paths = program.get(f"{API}/openapi.json").json()["paths"]
    for path, operations in paths.items():
        if "get" in operations and "{campaign}" in path and not path.endswith(FILES):
            query = next((given for end, given in QUERIES.items() if path.endswith(end)), {})
            yield API + re.sub(r"\{\w+\}", lambda part: PARTS[part[0]], path), query


def asked(program, path, query):
    answer = program.get(path, params=query)
    assert answer.status_code in (200, 403, 404), (path, answer.text)
    return answer.status_code, answer.text


def test_nobody_gets_what_was_kept_for_somebody_else(callers):
    fresh = callers(alone=True)
    everything = list(questions(fresh["owner"]))
    assert len(everything) >= 20
    alone = {(path, who): asked(fresh[who], path, query) for path, query in everything for who in ROLES}
    for order in (list(ROLES), list(ROLES)[::-1]):  # of two, each asks first once
        together = callers()
        for path, query in everything:
            for who in order:
                assert asked(together[who], path, query) == alone[path, who], (path, order)


def test_the_answer_of_a_control_round_is_kept_for_each_role(callers):
    for order in (("viewer", "recorder of all"), ("recorder of all", "viewer")):
        together = callers()
        found = {who: together[who].get(f"{API}/campaigns/1/plans/2").json() for who in order}
        assert found["viewer"]["control"] and "the usual plan" in found["viewer"]["beside"]
        assert found["recorder of all"]["control"] is None and found["recorder of all"]["beside"] == {}


@pytest.mark.parametrize("who", ["recorder of all", "recorder of a group"])
def test_recorders_are_shown_what_is_allowed_and_nothing_else(callers, who):
    program = callers()[who]
    for path, allowed in SEEN_BY_RECORDERS.items():
        found = json.loads(asked(program, f"{API}/campaigns/1/{path}", {})[1])
        for record in found.get("items", [found]):
            shown = {name for name, value in record.items() if value not in (None, [], {})}
            assert shown <= allowed - (OF_ALL_PLACES if who == "recorder of a group" else set()), path
            assert record.keys() >= allowed - {"situation"}  # the form of the answer is the same for all


@pytest.mark.parametrize("who", ["recorder of all", "recorder of a group"])
def test_recorders_do_not_see_the_days_since_losses(callers, night, who):
    program, viewer = callers()[who], callers()["viewer"]
    path = f"{API}/campaigns/1/plans/2"
    assert viewer.get(path).json()["days_since_loss"] == {"Dock": 1, "Gate": None, "Yard": None}
    assert program.get(path).json()["days_since_loss"] == program.get(path).json()["days_since_find"] == {}


@pytest.mark.parametrize("who", ["recorder of all", "recorder of a group"])
def test_recorders_see_the_note_of_the_duty_sheet(callers, night, who):
    program = callers()[who]
    assert program.get(f"{API}/campaigns/1/plans/2").json()["note"] == "Meet at the east gate"
    assert report_view(night, "2", ROLES[who]).note == "Meet at the east gate"
    night.change(note=None)
    assert program.get(f"{API}/campaigns/1/plans/2").json()["note"] is None


def test_a_recorder_of_a_group_hears_of_its_places_only(callers, night):
    tom = callers()["recorder of a group"]
    night.ask(date="2026-01-03")
    told = tom.post(f"{API}/campaigns/1/plans/3/report", json={"losses": {"Gate": 0}})
    assert told.json() == {"untold": ["Yard"]}
    shown = report_view(night, "3", ROLES["recorder of a group"])
    assert [(row.index, row.place) for group in shown.groups for row in group.rows] == [
        (1, "Gate"),
        (2, "Yard"),
    ]
    assert tom.get(f"{API}/campaigns/1/plans/3").json()["amounts"].keys() == {"Gate", "Yard"}
