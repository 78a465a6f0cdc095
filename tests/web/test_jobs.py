"""Long work goes on while the visitor looks at other pages."""

import threading
import time

import pytest

from allotment.errors import InputError
from allotment.web import jobs


@pytest.fixture
def slow_ask(monkeypatch):
    """Asks that wait until the test lets them go on."""
    from allotment.campaign.campaign import Campaign

    gate, ask = threading.Event(), Campaign.plan_for

    def wait(self, *arguments, **options):
        assert gate.wait(10)
        return ask(self, *arguments, **options)

    monkeypatch.setattr(Campaign, "plan_for", wait)
    monkeypatch.setattr(jobs.follow, "__defaults__", (0.05,))
    yield gate
    gate.set()


def test_a_slow_ask_has_a_page_and_blocks_nobody(campaign, visitor, slow_ask):
    path = visitor.submit("/c/1/plans", seen="/c/1/today").headers["location"]
    assert "/jobs/" in path
    assert "Making today&#39;s plan" in visitor.get(path).text
    assert visitor.get(f"{path}/state").json()["ended"] is False
    assert f'href="{path}"' in visitor.get("/c/1/today").text  # which answers meanwhile
    slow_ask.set()
    patience = time.monotonic() + 60
    while not visitor.get(f"{path}/state").json()["ended"] and time.monotonic() < patience:
        time.sleep(0.02)
    assert visitor.get(path).headers["location"] == "/c/1/today"
    assert campaign.latest() is not None


def test_the_same_request_joins_the_work_and_another_one_is_a_conflict(campaign, visitor, slow_ask):
    fields = visitor.fields("/c/1/today")
    first = visitor.post("/c/1/plans", data=fields).headers["location"]
    assert visitor.post("/c/1/plans", data=fields).headers["location"] == first
    answer = visitor.submit("/c/1/plans", seen="/c/1/today")
    assert answer.status_code == 409 and "still being computed" in answer.text


def test_work_belongs_to_its_session(campaign, visitor, slow_ask, desk):
    path = visitor.submit("/c/1/plans", seen="/c/1/today").headers["location"]
    visitor.sign_in()  # anew
    assert visitor.get(path).status_code == 404


def test_an_error_of_long_work_is_a_sentence(campaign, visitor, monkeypatch):
    def fail(*_, **__):
        raise InputError("the orders cannot be met", "fewer of them")

    monkeypatch.setattr("allotment.campaign.campaign.Campaign.plan_for", fail)
    answer = visitor.submit("/c/1/plans", seen="/c/1/today")
    assert answer.status_code == 422
    assert "The orders cannot be met; expected fewer of them." in answer.text
