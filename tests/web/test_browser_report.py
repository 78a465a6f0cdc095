"""Reports from a phone in a real browser: corrections, undo, no connection, reloads, closed tabs, finds."""

import re

import pytest
from playwright.sync_api import expect

from allotment import Campaign
from web_serving import NARROW, flaws, serving, visiting

NAMES = [f"Place {number}" for number in range(1, 13)]
OFFLINE = "Not sent yet - waiting for a connection"
CAUSED = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")  # by cutting the connection


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Counts, with one plan for each test."""
    store = tmp_path_factory.mktemp("reports") / "night.db"
    with Campaign.create(
        store, "night", arms=NAMES, budget=12, unit=1, most=3, losses="counts", seed=1, timezone="Asia/Tokyo"
    ) as made:
        for _ in range(4):
            made.ask(date="today", fix=dict.fromkeys(NAMES, 1))
        yield made


@pytest.fixture(scope="module")
def phone(browser, campaign):
    with (
        serving(campaign.store.name) as served,
        visiting(browser, served, NARROW) as (page, watch),
    ):
        watch.expected = CAUSED
        yield page
        assert watch.wrong == []


def opened(page, plan):
    page.goto(f"{page.url.partition('/c/')[0]}/c/1/report/{plan}")
    return lambda name: page.locator(f'[data-place="{name}"]')


def tap(row, label):
    row.get_by_role("button", name=label, exact=True).click()


def told_events(campaign, plan):
    return [each for each in campaign.history() if each.kind == "told" and each.plan_id == plan]


def test_report_correct_and_undo(campaign, phone):
    row = opened(phone, "1")
    phone.get_by_label("Only places to report").check()
    expect(phone.get_by_text("12 to report")).to_be_visible()
    tap(row("Place 1"), "Quiet")
    expect(row("Place 1").locator("[data-state]")).to_have_text(re.compile(r"^Saved \d\d:\d\d\."))
    expect(phone.get_by_text("11 to report")).to_be_visible()  # and Place 1 can still be undone
    phone.get_by_label("Only places to report").uncheck()
    tokyo = campaign.report("1").places[0].at.astimezone(campaign_zone(campaign))
    expect(row("Place 1").locator("[data-state]")).to_contain_text(f"Saved {tokyo:%H:%M}")
    tap(row("Place 1"), "2")
    expect(row("Place 1")).to_contain_text("before: quiet")
    assert campaign.plan("1").told == {"Place 1": 2}
    tap(row("Place 1"), "Undo")
    expect(row("Place 1")).to_contain_text("before: 2")
    assert campaign.plan("1").told == {"Place 1": 0}
    tap(row("Place 2"), "More")
    row("Place 2").get_by_label("How many losses?").fill("7")
    row("Place 2").get_by_label("Really granted").fill("2,5")
    phone.keyboard.press("Enter")
    expect(row("Place 2")).to_contain_text("Granted 2.5 instead of 1")
    expect(row("Place 2").get_by_role("button", name="7", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    tap(row("Place 2"), "Not reported")
    expect(row("Place 2")).to_contain_text("Withdrawn")
    tap(row("Place 2"), "Undo")
    expect(row("Place 2").locator("[data-state]")).to_contain_text("Saved")
    assert campaign.plan("1").told == {"Place 1": 0, "Place 2": 7}
    assert campaign.plan("1").told_amounts["Place 2"] == 2.5
    phone.get_by_role("button", name="All others quiet").click()
    expect(phone.get_by_role("dialog")).to_contain_text("Report 10 places as quiet?")
    assert flaws(phone) == []
    phone.get_by_role("button", name="Report them").click()
    expect(phone.get_by_text("12 of 12 reported")).to_be_visible()
    expect(phone.get_by_text("10 saved as quiet.")).to_be_visible()
    assert campaign.plan("1").state == "told"
    assert flaws(phone) == []
    phone.locator("[data-bar-note]").get_by_role("button", name="Undo").click()
    expect(phone.get_by_text("2 of 12 reported")).to_be_visible()
    expect(row("Place 3")).to_contain_text("Withdrawn")
    assert campaign.plan("1").told == {"Place 1": 0, "Place 2": 7}


def test_a_lost_connection_a_reload_and_a_closed_tab_lose_and_double_nothing(campaign, phone):
    row = opened(phone, "2")
    context = phone.context
    for _ in range(2):
        row("Place 1").get_by_role("button", name="Quiet").dblclick()  # a double tap
    expect(row("Place 1")).to_contain_text("Saved")
    context.set_offline(True)
    tap(row("Place 2"), "1")
    expect(row("Place 2")).to_contain_text(OFFLINE)
    tap(row("Place 3"), "2")
    tap(row("Place 3"), "1")  # which was never sent: the later value counts
    tap(row("Place 4"), "Quiet")
    row("Place 4").get_by_role("button", name="Undo").click()  # nothing to send
    row("Place 5").get_by_role("button", name="More", exact=True).click()
    row("Place 5").get_by_label("How many losses?").fill("4")  # typed, not saved
    expect(row("Place 3")).to_contain_text(OFFLINE)
    assert campaign.plan("2").told == {"Place 1": 0}
    context.route("**/entries", lambda route: route.abort())  # pages load again, and reports do not pass
    context.set_offline(False)
    phone.reload()
    expect(row("Place 2")).to_contain_text(OFFLINE)
    expect(row("Place 5").get_by_label("How many losses?")).to_have_value("4")
    url = phone.url
    phone.goto("about:blank")  # as good as a closed tab
    context.unroute("**/entries")
    lost = []  # the answer to the first try, after the server has recorded the report

    def lose(route):
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()

    context.route("**/entries", lose)
    later = context.new_page()
    later.goto(url)
    for name in ("Place 2", "Place 3"):
        expect(later.locator(f'[data-place="{name}"]')).to_contain_text("Saved")
    context.unroute("**/entries")
    assert lost == [200]
    assert campaign.plan("2").told == {"Place 1": 0, "Place 2": 1, "Place 3": 1}
    assert len(told_events(campaign, "2")) == 3
    assert later.evaluate("Object.keys(localStorage).filter((each) => each.includes(':report:')).length") == 0
    later.close()
    phone.goto(url)


def test_a_conflict_is_a_choice(campaign, phone):
    row = opened(phone, "3")
    with Campaign.open(campaign.store.name, "night", author="Bob") as bob:
        bob.tell("3", {"Place 1": 1, "Place 2": 2, "Place 4": 3})
        for name in ("Place 1", "Place 2", "Place 4"):
            tap(row(name), "Quiet")
        expect(row("Place 4")).to_contain_text("Replace with quiet")
        bob.tell("3", {"Place 4": None}, correct=True)
    phone.reload()  # Bob took his report of Place 4 back, so that there is nothing to choose
    expect(row("Place 4").locator("[data-state]")).to_contain_text("Saved")
    expect(row("Place 1")).to_contain_text("by Bob). You chose: quiet.")
    assert flaws(phone) == []
    tap(row("Place 1"), "Keep 1")
    expect(row("Place 1").get_by_role("button", name="1", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    tap(row("Place 2"), "Replace with quiet")
    expect(row("Place 2")).to_contain_text("before: 2")
    assert campaign.plan("3").told == {"Place 1": 1, "Place 2": 0, "Place 4": 0}
    row("Place 3").get_by_role("button", name="More", exact=True).click()
    row("Place 3").get_by_label("How many losses?").fill("some")
    tap(row("Place 3"), "Save")
    expect(row("Place 3")).to_contain_text("expected a whole number")
    expect(row("Place 3").get_by_label("How many losses?")).to_have_value("some")  # where it can be mended
    phone.get_by_role("link", name="Today", exact=True).click()
    phone.get_by_role("link", name="Open plan 3").click()
    tap(row("Place 3"), "Discard")
    expect(row("Place 3").locator("[data-state]")).to_be_empty()


def test_an_undo_expires(campaign, phone):
    phone.clock.install()
    row = opened(phone, "4")("Place 1")
    tap(row, "Quiet")
    expect(row).to_contain_text("Saved")  # only then do the ten seconds begin
    undo = row.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    phone.clock.fast_forward(11_000)
    expect(undo).to_be_hidden()
    expect(row).to_contain_text("Saved")
    phone.goto(phone.url.replace("/report/4", "/plans/4"))
    phone.locator("summary", has_text="Close the plan").click()
    phone.get_by_role("button", name="Close the plan").click()
    toast = phone.get_by_text("Plan 4 is closed.")
    toast.wait_for()
    phone.wait_for_load_state()  # scripts have run, so that the ten seconds have begun
    phone.clock.fast_forward(11_000)
    expect(toast).to_be_hidden()
    assert campaign.plan("4").told == {"Place 1": 0}


def test_a_campaign_that_sees_finds(campaign, phone):
    settings = {"budget": 2, "unit": 1, "most": 2, "losses": "counts", "sees": "finds", "seed": 1}
    with Campaign.create(campaign.store.name, "traps", arms=["Dock", "Gate"], **settings) as traps:
        traps.tell(traps.ask(date="yesterday").id, {"Dock": 2, "Gate": 0})
        traps.ask(fix={"Dock": 1, "Gate": 1})
        phone.goto(f"{phone.url.partition('/c/')[0]}/c/{traps.store.find('traps')}/report/2")
        gate = phone.locator('[data-place="Gate"]')
        tap(gate, "More")
        gate.get_by_label("How many finds?").fill("3")
        tap(gate, "Save")
        expect(gate).to_contain_text("Saved")
        phone.get_by_role("button", name="All others nothing found").click()
        phone.get_by_role("button", name="Report them").click()
        expect(phone.get_by_text("2 of 2 reported")).to_be_visible()
        expect(phone.get_by_text("1 saved as nothing found.")).to_be_visible()
        assert flaws(phone) == []
        assert traps.plan("2").told == {"Dock": 0, "Gate": 3}


def campaign_zone(campaign):
    from zoneinfo import ZoneInfo

    return ZoneInfo(campaign.settings.timezone)


def test_the_outboxes_of_people_whose_names_hold_colons_are_apart(campaign, phone):
    """Or Ann would send the reports that wait for Ann:2."""
    opened(phone, "4")
    waiting = phone.evaluate(
        """async () => {
          const script = document.querySelector("script[src*='report.js']").src;
          const { Outbox } = await import(new URL("outbox.js", script));
          const of = (author) => {
            const box = document.createElement("p");
            Object.assign(box.dataset, { outbox: "Shift", author, path: "/c/1", csrf: "x" });
            return new Outbox(box);
          };
          const [one, other] = [of("Ann"), of("Ann:2")];
          other.drafts_.put("key", { made: 1, count: 1 });
          const found = [one, other].map((each) => each.drafts().length);
          other.drafts_.remove("key");
          return found;
        }"""
    )
    assert waiting == [0, 1]
