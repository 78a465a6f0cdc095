"""Two workers that share a store agree on what people have begun, whoever answers the next request."""

import re
import threading
from types import SimpleNamespace

import pytest

from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, Rights
from allotment.web.api.turns import turn
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import OpenCampaigns
from allotment.web.requests.problems import BusyError
from allotment.web.security.front import Front
from running import PATIENCE_SECONDS, wait_until
from web.conftest import PORT, Visitor

BUSY = 3  # programs that are refused
OWNER = Rights("root", PLANNER)
LOG = b"date,place,amount,incidents\n2026-01-01,Dock,1,0\n2026-01-02,Dock,1,1\n"


@pytest.fixture
def shared(address):
    with Campaign.create(address, "night", arms=["Dock", "Gate"], budget=3, unit=1, most=2, seed=1) as made:
        yield made


@pytest.fixture
def workers(shared, address):
    """Ada's browser at each of two workers, with one session."""
    desks = [Desk(OpenCampaigns(address), PORT) for _ in range(2)]
    for each in desks:
        each.open_to(Front.of_team(["station.example"], 443, lasting_https=True))
    _, token = desks[0].team.tokens.add(Rights("Ada", PLANNER), by=OWNER)
    with Visitor(desks[0]) as one, Visitor(desks[1]) as other:
        assert one.post("/sign-in", data={"token": token}).status_code == 303
        other.cookies = one.cookies
        for each in (one, other):
            each.token = token
        yield one, other
    for each in desks:
        each.close()


def test_a_log_is_sent_checked_and_kept_by_whoever_answers(workers, shared):
    one, other = workers
    path = one.submit("/c/1/import", seen="/c/1/import", files={"log": ("log.csv", LOG)}).headers["location"]
    assert "log.csv" in other.get("/c/1/import").text and other.get(path).status_code == 200
    columns = {name: str(at) for at, name in enumerate(("date", "place", "amount", "incidents"))}
    report = other.submit(path, {**columns, "several": "count"}, seen=path).headers["location"]
    assert report == f"{path}/report" and f'action="{path}/keep"' in one.get(report).text
    assert one.submit(f"{path}/keep", seen=report).headers["location"] == "/c/1/import"
    assert len(shared.imports()) == 1 and other.get(path).status_code == 404
    assert "log.csv is imported" in other.get("/c/1/import").text


def test_a_plan_is_asked_for_once(workers, shared, slow_ask):
    one, other = workers
    fields = one.fields("/c/1/today")
    path = one.post("/c/1/plans", data=fields).headers["location"]
    assert "Making today&#39;s plan" in other.get(path).text
    assert f'href="{path}"' in other.get("/c/1/today").text
    assert other.post("/c/1/plans", data=fields).headers["location"] == path  # joins it
    assert other.submit("/c/1/plans", seen="/c/1/today").status_code == 409
    program = {"authorization": f"Bearer {other.token}"}
    busy = other.post("/api/v1/campaigns/1/plans", json={}, headers=program)
    assert busy.status_code == 503 and busy.headers["retry-after"]
    slow_ask.set()
    assert one.desk.jobs._going[path.rpartition("/")[2]].done.wait(PATIENCE_SECONDS)
    assert other.get(path).headers["location"] == "/c/1/today"
    assert "Plan 1 is ready." in other.get("/c/1/today").text and shared.latest().id == "1"


def test_one_computes_and_one_waits_whatever_the_worker(workers, shared):
    gate, computing, heard = threading.Event(), [], []

    def compute(number):
        desk = workers[number % 2].desk
        rights = Rights(f"Program {number}", PLANNER)
        call = SimpleNamespace(desk=desk, number=1, rights=rights, campaign=shared)
        try:
            with turn(call, "forecast"):
                computing.append(number)
                assert gate.wait(PATIENCE_SECONDS) and len(computing) == len(heard) - BUSY + 1
                heard.append("done")
        except BusyError:
            heard.append("busy")

    threads = [threading.Thread(target=compute, args=(number,)) for number in range(BUSY + 2)]
    for each in threads:
        each.start()
    wait_until(lambda: len(heard) >= BUSY)
    assert heard == ["busy"] * BUSY  # whichever they are
    gate.set()
    for each in threads:
        each.join()
    assert heard[BUSY:] == ["done", "done"]


def test_a_change_is_tried_here_and_kept_there(workers, shared):
    one, other = workers
    path = one.submit("/c/1/budget/what-if", {"budget": "2"}, seen="/c/1/budget").headers["location"]
    assert "The budget of a round becomes 2 (now 3)." in other.get(path).text
    other.submit(f"{path}/keep", seen=path)
    assert shared.settings.budget == 2
    back = re.search(r'action="(/c/1/trials/[\w-]+/back)"', one.get("/c/1/budget").text)[1]
    one.submit(back, seen="/c/1/budget")
    assert shared.settings.budget == 3


def test_an_answer_is_computed_once_for_all(workers, shared, monkeypatch):
    workers[0].submit("/c/1/budget/forecast", {"rounds": "3"}, seen="/c/1/budget")
    monkeypatch.setattr(Campaign, "forecast", None)  # it is not computed again
    monkeypatch.setattr(Campaign, "frontier", None)
    charts = [re.findall(r"<svg.*?</svg>", each.get("/c/1/budget").text, re.S) for each in workers]
    assert charts[0] == charts[1] and len(charts[0]) == 2  # the frontier and the forecast
