"""What tests of pages share: an application in this process, a server in another, a browser."""

import re
import threading

import pytest
from starlette.testclient import TestClient

from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.campaign import Campaign
from allotment.web.application import make_application
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import OpenCampaigns
from allotment.web.work import jobs, kept_answers
from running import PATIENCE_SECONDS, skip_with_another_clock
from web_serving import chromium, serving

PORT = 8350
OWNER = Rights("root", PLANNER)


class Clock:
    """A clock that tests turn."""

    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


class Visitor(TestClient):
    """A browser without a screen: it sends its Origin, and knows the token of the page that it saw last."""

    def __init__(self, desk):
        # an error in a route becomes a page here as in a server, and does not end the test
        super().__init__(make_application(desk), base_url=desk.address, follow_redirects=False)
        self.headers["origin"] = desk.address
        self.desk = desk

    def sign_in(self):
        answer = self.post("/sign-in", data={"code": self.desk.codes.issue()})
        assert answer.status_code == 303
        return self

    def fields(self, path):
        """The hidden fields of a page: the token and a key."""
        text = self.get(path).text
        return {name: re.search(rf'name="{name}" value="([^"]+)"', text)[1] for name in ("csrf", "key")}

    def submit(self, path, data=None, *, seen, **options):
        """Post a form of a page that was `seen` just before."""
        return self.post(path, data={**self.fields(seen), **(data or {})}, **options)


class Program(TestClient):
    """A program that calls the API with a token."""

    def __init__(self, desk, text):
        super().__init__(make_application(desk), base_url=desk.address, raise_server_exceptions=True)
        self.headers["authorization"] = f"Bearer {text}"


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Routes in this process wait for long work, so that a test sees its result on a slow machine, too."""
    monkeypatch.setattr(jobs.follow, "__defaults__", (PATIENCE_SECONDS,))
    monkeypatch.setattr(kept_answers, "PATIENCE_SECONDS", PATIENCE_SECONDS)


@pytest.fixture
def slow_ask(monkeypatch):
    """Asks that wait until the test lets them go on. None of them outlives the test."""
    gate, ask, threads = threading.Event(), Campaign.plan_for, []

    def wait(self, *arguments, **options):
        threads.append(threading.current_thread())
        assert gate.wait(PATIENCE_SECONDS)
        return ask(self, *arguments, **options)

    monkeypatch.setattr(Campaign, "plan_for", wait)
    monkeypatch.setattr(jobs.follow, "__defaults__", (0.05,))
    yield gate
    gate.set()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path):
    return tmp_path / "night.db"


@pytest.fixture
def campaign(store):
    """Three places in two groups."""
    groups = {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"]}}
    settings = {"budget": 6, "unit": 1, "most": {"Dock": 4, "Gate": 3, "Yard": 4}, "seed": 1}
    with Campaign.create(store, "night", arms=["Dock", "Gate", "Yard"], groups=groups, **settings) as made:
        yield made


@pytest.fixture
def desk(store):
    made = Desk(OpenCampaigns(str(store)), PORT, author="Ada")
    yield made
    made.close()


@pytest.fixture
def stranger(desk):
    with Visitor(desk) as visitor:
        yield visitor


@pytest.fixture
def visitor(desk):
    """Somebody who is signed in. Ask for `campaign` first, if there is to be one."""
    with Visitor(desk) as visitor:
        yield visitor.sign_in()


@pytest.fixture
def program(campaign, desk):
    """Makes programs with rights of their own."""
    Campaign.create(campaign.store.name, "day", arms=["Hall"], budget=1, unit=1, most=1, seed=2).close()

    def program(rights):
        return Program(desk, desk.tokens.add(rights, by=OWNER)[1])

    return program


@pytest.fixture
def ada(program):
    return program(Rights("Ada", PLANNER))


@pytest.fixture(scope="session")
def browser():
    skip_with_another_clock()
    with chromium() as found:
        yield found


@pytest.fixture
def served(store):
    with serving(store) as found:
        yield found
