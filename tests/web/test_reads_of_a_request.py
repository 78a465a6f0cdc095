"""A request reads the state once, and parses no event twice: queries and JSON parses are counted."""

import json
from collections import Counter
from types import SimpleNamespace

import pytest
import sqlalchemy

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.history import events
from web.conftest import Visitor

MOST_QUERIES = 3


class Reads:
    """All queries, and how often the text of each event was parsed."""

    def __init__(self):
        self.queries = []
        self.parses = Counter()

    def clear(self):
        self.queries.clear()
        self.parses.clear()

    def check(self, others=0):
        """At most three queries for events; and others, such as for the token or for long work."""
        of_events = [each for each in self.queries if "allotment_events" in each]
        assert 1 <= len(of_events) <= MOST_QUERIES, of_events
        assert len(self.queries) - len(of_events) == others, self.queries
        assert max(self.parses.values(), default=0) <= 1, self.parses


@pytest.fixture
def reads(monkeypatch):
    counted = Reads()

    def loads(text):
        counted.parses[text] += 1
        return json.loads(text)

    def listen(connection, cursor, statement, *_):
        if statement.startswith("SELECT"):
            counted.queries.append(statement)

    monkeypatch.setattr(events, "json", SimpleNamespace(loads=loads, dumps=json.dumps))
    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", listen)
    yield counted
    sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", listen)


@pytest.fixture
def plan(campaign):
    """A plan that waits, after one that is reported in part."""
    first = campaign.ask(date="yesterday", explore=False)
    campaign.tell(first.id, {"Dock": 1})
    return campaign.ask(explore=False)


def test_today(plan, visitor, reads):
    visitor.get("/c/1/today")  # opens the campaign
    reads.clear()
    assert "Plan 2" in visitor.get("/c/1/today").text
    reads.check(others=1)


def test_the_latest_plan_over_the_api(plan, desk, reads):
    _, token = desk.tokens.add(Rights("Program", PLANNER), by=Rights("root", PLANNER))
    with Visitor(desk) as program:
        program.headers["authorization"] = f"Bearer {token}"
        program.get("/api/v1/campaigns/1/plans/latest")
        program.post("/api/v1/campaigns/1/plans/1/report", json={"losses": {"Gate": 0}})
        reads.clear()
        assert program.get("/api/v1/campaigns/1/plans/latest").json()["id"] == "2"
        reads.check(others=1)


def test_the_history_in_words(plan, campaign, visitor, reads):
    """It asks for the events of a page at once, however many there are."""
    for day in range(1, 11):
        made = campaign.ask(date=f"2026-01-{day:02}", explore=False)
        campaign.tell(made.id, {"Dock": 0})
    visitor.get("/c/1/history")
    reads.clear()
    assert "Plan 12" in visitor.get("/c/1/history").text
    reads.check(others=1)


def test_a_report_over_the_api(plan, desk, reads):
    _, token = desk.tokens.add(Rights("Program", PLANNER), by=Rights("root", PLANNER))
    with Visitor(desk) as program:
        program.headers["authorization"] = f"Bearer {token}"
        program.get("/api/v1/campaigns/1/plans/latest")
        reads.clear()
        told = program.post("/api/v1/campaigns/1/plans/2/report", json={"losses": {"Gate": 0}})
        assert told.status_code == 200
        reads.check(others=1)


def test_a_report(plan, campaign, reads):
    """It reads what is new, the last event under the lock of the store, and the plan whose report it is."""
    reads.clear()
    campaign.tell("2", {"Dock": 0})
    reads.check()


def test_a_request_of_others_is_seen_by_the_next(plan, campaign):
    """One state belongs to one request, and what it writes itself it sees."""
    request = campaign.reading_once()
    assert request.last_event == 4
    campaign.tell("2", {"Dock": 0})
    with campaign.open(campaign.store.name) as elsewhere:
        elsewhere.close_plan("1")
    assert request.last_event == 5  # as far as this process has read
    request.read_anew()
    assert request.last_event == 6
    request.tell("2", {"Gate": 1})
    assert request.last_event == 7 and request.plan("2").told == {"Dock": 0, "Gate": 1}
