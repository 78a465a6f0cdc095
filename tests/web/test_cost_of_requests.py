"""The cost of a request does not grow with the length of the history: it is counted, and not timed."""

from collections import Counter

import pytest

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.history import ledger
from allotment.campaign.history.state import State
from allotment.campaign.history.store import event_rows
from web.conftest import Visitor

BASE = "/api/v1/campaigns/1"
READS = (
    "",
    "/plans/latest",
    "/plans/latest/report",
    "/places",
    "/history?limit=20",
    "/status",
    "/evidence",
    "/frontier",
    "/plans?state=reportable",
)


@pytest.fixture
def program(campaign, desk):
    _, token = desk.tokens.add(Rights("Program", PLANNER), by=Rights("root", PLANNER))
    with Visitor(desk) as found:
        found.headers["authorization"] = f"Bearer {token}"
        yield found


@pytest.fixture
def work(monkeypatch):
    """Counts events that are read and applied, and rows of reports and imports that are gathered."""
    counted = Counter()

    def count(holder, name, size):
        inner = getattr(holder, name)

        def counting(*arguments):
            found = inner(*arguments)
            counted[name] += size(found)
            return found

        monkeypatch.setattr(holder, name, counting)

    count(event_rows, "event_of", lambda event: 1)
    count(State, "apply", lambda nothing: 1)
    count(ledger, "joined", len)
    return counted


def some_days(campaign, many):
    """Plans that are reported in full."""
    for _ in range(many):
        plan = campaign.ask(explore=False)
        campaign.tell(plan.id, dict.fromkeys(plan.amounts, 0))


def day_of_work(program, campaign, work, number):
    """What each request of a day costs, after a report that makes earlier answers old."""
    found = {}

    def cost(path, send):
        work.clear()
        answer = send()
        assert answer.is_success, answer.text
        found[path] = dict(work)

    orders = {"explore": False, "also": True}
    cost("ask", lambda: program.post(f"{BASE}/plans", json=orders, headers={"idempotency-key": f"a{number}"}))
    plan = campaign.latest().id
    body = {"losses": {"Dock": 1}}
    cost("report", lambda: program.post(f"{BASE}/plans/{plan}/report", json=body))
    program.desk.answers.__init__()  # as after ten seconds: a status may be as old
    for path in READS:
        cost(path, lambda path=path: program.get(f"{BASE}{path}".replace("latest/", f"{plan}/")))
    program.post(f"{BASE}/plans/{plan}/close", json={})
    return found


def test_no_request_costs_more_after_a_longer_history(campaign, program, work):
    some_days(campaign, 12)
    day_of_work(program, campaign, work, 0)  # reads the history
    first = day_of_work(program, campaign, work, 1)
    some_days(campaign, 36)
    program.get(f"{BASE}/evidence")  # takes in what is new
    assert day_of_work(program, campaign, work, 2) == first
    assert all(sum(each.values()) <= 60 for each in first.values()), first
    assert first["report"]["apply"] == 1 and first["/status"].get("joined", 0) == 0
