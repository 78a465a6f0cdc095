"""A day with two shifts in a real browser: planned at once, reported one after the other, on a phone."""

import re

from playwright.sync_api import expect

from allotment.campaign.campaign import Campaign
from web_serving import NARROW, flaws, serving, visiting


def test_a_day_with_two_shifts(browser, store):
    places = {"arms": ["Dock", "Gate"], "unit": 1, "most": 2, "seed": 1}
    with Campaign.create(store, "shifts", **places, budget=2, situations=["early", "late"]) as campaign:
        with serving(store) as served, visiting(browser, served, NARROW) as (page, watch):
            page.goto(f"{served.address}/c/1/today")
            page.get_by_role("button", name="Make all 2 plans").click()
            expect(page.get_by_role("heading", name="Plan 2, late")).to_be_visible()
            check_orders_of_the_late_shift(page)
            assert flaws(page) == []
            for plan, shift in (("1", "early"), ("2", "late")):
                report_a_shift(page, served.address, plan, shift)
            page.goto(f"{served.address}/c/1/places")
            page.get_by_role("navigation", name="Situations").get_by_role("link", name="late").click()
            expect(page.get_by_role("link", name="late", exact=True)).to_have_attribute(
                "aria-current", "page"
            )
            keep_a_calendar(page, served.address)
            assert watch.wrong == []
        assert [each.state for each in campaign.plans_of()] == ["told", "told"]
        assert campaign.situations_on("2026-01-31") == ("late",)


def check_orders_of_the_late_shift(page):
    """The answer stands in the form in which the orders were typed."""
    late = page.get_by_role("region", name="late", exact=True)
    late.get_by_text("Orders for the day").click()
    late.get_by_label("Budget for this plan").fill("1")
    expect(late.get_by_text(re.compile("These orders fit"))).to_be_visible()
    expect(page.get_by_text(re.compile("These orders fit"))).to_have_count(1)


def report_a_shift(page, address, plan, shift):
    page.goto(f"{address}/c/1/today")
    page.get_by_role("region", name=shift, exact=True).get_by_role("link", name="Report").click()
    expect(page.get_by_text(shift, exact=True).first).to_be_visible()
    page.get_by_role("button", name="All others quiet").click()
    page.get_by_role("button", name="Report them").click()
    expect(page.get_by_text("2 of 2 reported")).to_be_visible()
    expect(page).to_have_url(re.compile(f"/report/{plan}$"))
    # the report leaves the browser in its own time
    expect(page.locator("[data-state]").filter(has_text="Saved")).to_have_count(2)


def keep_a_calendar(page, address):
    page.goto(f"{address}/c/1/settings")
    first = page.get_by_role("group", name="Rule 1")
    first.get_by_label("Days").fill("Sat, Sun")
    first.get_by_label("Situations").fill("late")
    assert flaws(page) == []
    page.locator("#situations").get_by_role("button", name="Show what would change").click()
    page.get_by_role("button", name="Keep this change").click()
    expect(page.get_by_text(re.compile("^Kept: "))).to_be_visible()
