"""A day in a real browser."""

from allotment.web.navigation import SECTIONS
from web_serving import in_light_and_dark, wider_than_the_screen

TABLE = b"name,most,group\nDock,4,harbour\nGate,3,town\nYard,4,town\n"


def test_from_nothing_to_a_plan(phone_page):
    page = phone_page
    assert page.url.endswith("/new")
    assert in_light_and_dark(page) == []
    page.get_by_label("Table of places").set_input_files(
        {"name": "zones.csv", "mimeType": "text/csv", "buffer": TABLE}
    )
    page.get_by_label("Budget of a round").fill("6")
    page.get_by_role("button", name="Make the campaign").click()
    page.get_by_role("heading", name="No plan for today yet").wait_for()
    assert in_light_and_dark(page) == [] and not wider_than_the_screen(page)
    page.get_by_role("button", name="Make today's plan").click()
    page.get_by_role("heading", name="Plan 1").wait_for()
    page.get_by_text("Dock", exact=True).first.click()
    page.get_by_text("Dock gets").wait_for()
    assert in_light_and_dark(page) == [] and not wider_than_the_screen(page)


def test_pages_work_with_the_keyboard_alone(campaign, wide_page):
    wide_page.keyboard.press("Tab")
    assert wide_page.evaluate("document.activeElement.textContent") == "Skip to the content"
    wide_page.keyboard.press("Enter")
    for _ in range(20):
        wide_page.keyboard.press("Tab")
        if wide_page.evaluate("document.activeElement.textContent.trim()") == "Make today's plan":
            break
    wide_page.keyboard.press("Enter")
    wide_page.get_by_role("heading", name="Plan 1").wait_for()


def test_every_page_is_complete_on_a_phone(campaign, served, phone_page):
    campaign.ask()
    for section in SECTIONS:
        phone_page.goto(f"{served.address}/c/1/{section.path}")
        assert not wider_than_the_screen(phone_page), section.title
        assert in_light_and_dark(phone_page) == [], section.title
