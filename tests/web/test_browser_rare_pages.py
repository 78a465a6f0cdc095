"""Pages that a planner sees rarely, in a real browser: axe finds no serious problem, and phones show all."""

import re
import threading

import pytest
from playwright.sync_api import expect

from allotment.campaign.campaign import Campaign
from allotment.errors import InputError
from allotment.web.work import jobs
from running import PATIENCE_SECONDS
from web_serving import flaws

SETTINGS = {"budget": 2, "unit": 1, "most": 2}


@pytest.fixture
def look_at(browser, visitor):
    """Shows an answer of the application in this process, where a test can make things go wrong."""
    page = browser.new_page()

    def answer(route, found):
        kept = {name: value for name, value in found.headers.items() if name != "content-length"}
        route.fulfill(status=found.status_code, headers=kept, body=found.content)

    def look(found):
        page.unroute_all()
        page.route("**/*", lambda route: answer(route, visitor.get(route.request.url)))
        page.route("**/shown", lambda route: answer(route, found))
        page.goto(f"{visitor.desk.address}/shown")
        return page

    yield look
    page.close()


def broken(error):
    def fail(*_, **__):
        raise error

    return fail


def test_errors(campaign, visitor, look_at, monkeypatch):
    statuses = []
    with monkeypatch.context() as wrong:
        answers = [visitor.get("/c/1/nowhere"), visitor.post("/c/1/plans", data={})]
        answers.append(visitor.get("/", headers={"host": "elsewhere.example"}))
        wrong.setattr(Campaign, "plan_for", broken(InputError("the orders cannot be met", "fewer")))
        answers.append(visitor.submit("/c/1/plans", seen="/c/1/today"))
        wrong.setattr(Campaign, "plan_for", broken(RuntimeError("inside")))
        answers.append(visitor.submit("/c/1/plans", seen="/c/1/today"))
    for each in answers:
        page = look_at(each)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert flaws(page) == [], each.text
        statuses.append(each.status_code)
    assert statuses == [404, 403, 403, 422, 500]


def test_before_the_first_plan(campaign, visitor, stranger, look_at):
    Campaign.create(campaign.store.name, "day", arms=["Hall", "Roof"], **SETTINGS).close()
    pages = {
        "Sign in": [stranger.get("/sign-in"), stranger.get("/sign-in?code=a")],
        "Campaigns": [visitor.get("/")],
        "New campaign": [visitor.get("/new")],
        "Add a place": [visitor.get("/c/1/places/new")],
    }
    for title, answers in pages.items():
        for each in answers:
            page = look_at(each)
            expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
            assert flaws(page) == [], title


def test_the_record_to_print_fits_on_one_page(campaign, visitor, look_at):
    campaign.change(severities={"Dock": 3})
    for month in range(1, 13):
        plan = campaign.ask(date=f"2026-{month:02}-01")
        campaign.tell(plan.id, {"Dock": 1, "Gate": 0, "Yard": month % 2})
    page = look_at(visitor.get("/c/1/record/print"))
    expect(page.get_by_role("heading", level=2, name="The worth of the next unit")).to_be_visible()
    assert flaws(page) == []
    page.emulate_media(color_scheme="dark")  # paper is light all the same
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    assert b"/MediaBox [0 0 594.95" in printed or b"/MediaBox [0 0 595" in printed


def test_a_map_says_which_place_was_chosen(campaign, visitor, look_at):
    campaign.change(shapes={"Dock": [16.3, 48.2], "Gate": [16.4, 48.3]})
    page = look_at(visitor.get("/c/1/settings"))
    picture = page.get_by_role("img", name="Places on the map")
    expect(page.get_by_text("Choose a place on the map to see its name.")).to_be_visible()
    picture.locator("circle").nth(1).click()
    expect(page.locator(".map__said")).to_have_text("Gate")
    assert flaws(page) == []


def test_long_work(campaign, visitor, look_at, monkeypatch):
    gate = threading.Event()

    def wait(*_, **__):
        gate.wait(PATIENCE_SECONDS)
        raise InputError("the orders cannot be met", "fewer")

    monkeypatch.setattr(Campaign, "plan_for", wait)
    monkeypatch.setattr(jobs.follow, "__defaults__", (0.0,))
    path = visitor.submit("/c/1/plans", seen="/c/1/today").headers["location"]
    (job,) = visitor.desk.jobs._going.values()
    job.say(jobs.COMPILING)
    page = look_at(visitor.get(path))
    expect(page.get_by_role("status")).to_contain_text("Compiling the planner")
    assert flaws(page) == []
    page = look_at(visitor.get("/c/1/today"))
    expect(page.get_by_role("link", name="See how far it is")).to_be_visible()
    assert flaws(page) == []
    gate.set()
    assert job.done.wait(PATIENCE_SECONDS)
    page = look_at(visitor.get(path))
    expect(page.get_by_role("alert")).to_contain_text("The orders cannot be met")
    assert flaws(page) == []
