"""A planner looks at a place, changes it, and thinks about the budget, in a real browser."""

from web_serving import NARROW, in_light_and_dark, wider_than_the_screen


def fine(page):
    """No serious problem for people with disabilities, and nothing wider than a phone."""
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert not wider_than_the_screen(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    return in_light_and_dark(page) == []


def wait_until_computed(page, wanted):
    """Wait for a part of a page, which the page offers in a link if it takes long to compute."""
    computed = page.get_by_role("link", name="Show what was computed")
    wanted.or_(computed).first.wait_for()
    if computed.is_visible():
        computed.click()
        wanted.wait_for()


def test_a_place_and_the_budget(campaign, served, wide_page):
    campaign.tell(campaign.ask(date="yesterday").id, {"Dock": 1, "Gate": 0, "Yard": 0})
    campaign.ask()
    page = wide_page
    page.goto(f"{served.address}/c/1/places")
    wait_until_computed(page, page.locator(".place__rate small").first)
    page.get_by_role("link", name="Dock").click()
    wait_until_computed(page, page.get_by_role("heading", name="How it responds"))
    page.get_by_role("img", name="Dock: Losses of a round against granted").wait_for()
    page.get_by_text("Dock gets").wait_for()
    page.get_by_role("table", name="What each amount leads to").wait_for()
    assert fine(page)

    page.get_by_label("Most", exact=True).fill("2")
    page.get_by_role("button", name="See what it means").click()
    page.get_by_text("Plans grant Dock at most 2 (now 4).").wait_for()
    assert fine(page)
    page.get_by_role("button", name="Keep this change").click()
    page.get_by_text("Kept: ").wait_for()
    assert campaign.settings.arms[0].most == 2
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Changed back").wait_for()
    assert campaign.settings.arms[0].most == 4

    page.get_by_role("link", name="Budget", exact=True).click()
    wait_until_computed(page, page.get_by_role("img", name="Losses of a round against budget"))
    page.get_by_label("Expected losses of a round, at most").fill("0")
    page.get_by_role("button", name="Find the budget").click()
    wait_until_computed(page, page.get_by_text("not reachable with what the places can use"))
    page.get_by_role("textbox", name="Budget of a round").fill("8")
    page.locator("summary", has_text="Bounds and crews of places").click()
    page.get_by_label("Place 1", exact=True).fill("Yard")
    page.get_by_label("Crew of place 1").fill("2")
    page.get_by_role("button", name="See the plan").click()
    page.get_by_text("Yard gets nothing, or at least a crew of 2.").wait_for()
    page.get_by_role("button", name="Keep this change").click()
    page.get_by_text("Kept: ").wait_for()
    assert (campaign.settings.budget, campaign.settings.arms[2].crew) == (8, 2)
