"""A planner's whole day in a real browser in one run, and a plan with its report by the keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from allotment.campaign.campaign import Campaign
from allotment.web.rendering.navigation import SECTIONS
from web_behind_nginx import behind_nginx
from web_serving import NARROW, WIDE, chosen_size, flaws, problems_found_by_axe, visiting

SCRIPT = "<script>document.title='planted'</script><img src=x onerror=\"document.title='planted'\">"
QUOTED = '"' + SCRIPT.replace('"', '""') + '"'
TABLE = f"name,most,group\nDock,4,harbour\nGate,3,town\nYard,4,town\n{QUOTED},1,town\n"
LOG = f"""Night log;;;;
Tag;Wo;Streifen;Vorfälle;Bemerkung
01.02.2026;Dock;1;0;{SCRIPT}
02.02.2026;Gate;2;1;quiet otherwise
"""
CUT = "ERR_INTERNET_DISCONNECTED"  # what the browser says of a connection that the test cuts


def test_the_whole_day(browser, served):
    go_through_the_day(browser, served)


@pytest.mark.soak
def test_the_whole_day_of_a_team_on_postgresql_behind_nginx(browser, postgres_address, tmp_path):
    with behind_nginx(postgres_address, tmp_path) as served:
        go_through_the_day(browser, served)


def go_through_the_day(browser, served):
    with visiting(browser, served) as (page, watch):
        watch.expected = (CUT, "422")
        make_the_campaign(page)
        with Campaign.open(served.store) as campaign:
            plan_with_orders(page, campaign)
            open_the_sheet(page)
            chosen_size(page, NARROW)
            report_with_a_lost_connection(page, campaign)
            import_a_log(page, campaign)
            chosen_size(page, WIDE)
            look_at_a_place(page, campaign)
            think_about_the_budget(page, campaign)
            change_a_setting(page, campaign)
            find_it_in_the_history(page)
            chosen_size(page, NARROW)
            for section in SECTIONS:
                page.goto(f"{served.address}/c/1/{section.path}")
                assert flaws(page) == [], section.title
            campaign.verify()
        assert "planted" not in page.title()
        assert watch.wrong == []


def make_the_campaign(page):
    expect(page).to_have_url(re.compile("/new$"))
    assert flaws(page) == []
    file = {"name": "zones.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    page.get_by_label("Table of places").set_input_files(file)
    page.get_by_label("Name of the campaign").fill("night")  # which a database does not suggest
    page.get_by_label("Budget of a round").fill("many")
    page.get_by_role("button", name="Make the campaign").click()
    page.get_by_text("Budget is 'many'").wait_for()  # and the table is still there
    page.get_by_label("Budget of a round").fill("6")
    page.get_by_role("button", name="Make the campaign").click()
    page.get_by_role("heading", name="No plan for today yet").wait_for()
    assert flaws(page) == []


def plan_with_orders(page, campaign):
    page.get_by_text("Orders for the day").click()
    page.get_by_label("Place", exact=True).fill("Dock")
    page.get_by_label("Order", exact=True).select_option("fix")
    page.get_by_label("Amount", exact=True).fill("9")
    expect(page.locator("[data-answer]")).to_contain_text("Dock")
    page.get_by_label("Amount", exact=True).fill("2")
    expect(page.locator("[data-answer]")).to_contain_text("These orders fit")
    assert flaws(page) == []
    page.get_by_role("button", name="Make today's plan").click()
    page.get_by_role("heading", name="Plan 1").wait_for()
    assert campaign.plan("1").amounts["Dock"] == 2
    page.get_by_text("Gate", exact=True).first.click()
    page.get_by_text("Gate gets").wait_for()
    assert flaws(page) == []


def open_the_sheet(page):
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open to print").click()
    sheet = opened.value
    expect(sheet.get_by_role("cell", name="Dock")).to_be_visible()
    expect(sheet.locator("td").first).to_have_css("border-top-style", "solid")
    assert problems_found_by_axe(sheet) == []  # it is for paper, and not for phones
    sheet.close()


def report_with_a_lost_connection(page, campaign):
    page.get_by_role("link", name="Report", exact=True).first.click()

    def row(name):
        return page.locator(f'[data-place="{name}"]')

    def tap(name, label):
        row(name).get_by_role("button", name=label, exact=True).click()

    tap("Dock", "Quiet")
    expect(row("Dock")).to_contain_text("Saved")
    page.context.set_offline(True)
    tap("Gate", "Quiet")
    expect(row("Gate")).to_contain_text("Not sent yet - waiting for a connection")
    assert campaign.plan("1").told == {"Dock": 0}
    page.context.set_offline(False)
    expect(row("Gate")).to_contain_text("Saved")
    tap("Gate", "Something happened")  # a correction
    expect(row("Gate")).to_contain_text("before: quiet")
    assert campaign.plan("1").told == {"Dock": 0, "Gate": 1}
    tap("Gate", "Undo")
    expect(row("Gate")).to_contain_text("before: something happened")
    assert campaign.plan("1").told == {"Dock": 0, "Gate": 0}
    page.get_by_role("button", name="All others quiet").click()
    expect(page.get_by_role("dialog")).to_contain_text("Report 2 places as quiet?")
    assert flaws(page) == []
    page.get_by_role("button", name="Report them").click()
    expect(page.get_by_text("4 of 4 reported")).to_be_visible()
    expect(page.get_by_text("2 saved as quiet.")).to_be_visible()
    assert campaign.plan("1").state == "told"


def import_a_log(page, campaign):
    page.get_by_role("link", name="Import").click()
    log = {"name": "night.csv", "mimeType": "text/csv", "buffer": LOG.encode("cp1252")}
    page.get_by_label("Log", exact=True).set_input_files(log)
    page.get_by_role("button", name="Look at the log").click()
    page.get_by_role("heading", name="The columns").wait_for()
    expect(page.get_by_label("Place", exact=True).locator("option:checked")).to_have_text("Wo")
    expect(page.get_by_label("Row of the heading")).to_have_value("2")
    page.get_by_label("Incidents", exact=True).select_option("")
    page.get_by_role("button", name="See what it would do").click()
    expect(page.get_by_role("main")).to_contain_text("No column is chosen for incidents")
    page.get_by_label("Incidents", exact=True).select_option(label="Vorfälle")
    assert flaws(page) == []
    page.get_by_role("button", name="See what it would do").click()
    page.get_by_text("From 2026-02-01 to 2026-02-02, 2 places.").wait_for()
    assert flaws(page) == []
    page.get_by_role("button", name="Keep it").click()
    page.get_by_text("night.csv is imported: 2 rows").wait_for()
    assert len(campaign.imports()) == 1


def look_at_a_place(page, campaign):
    page.get_by_role("link", name="Places").click()
    when_computed(page, page.locator(".place__rate small").first)
    page.get_by_role("link", name="Dock").click()
    when_computed(page, page.get_by_role("heading", name="How it responds"))
    page.get_by_role("img", name="Dock: Losses of a round against granted").wait_for()
    page.get_by_role("table", name="What each amount leads to").wait_for()
    assert flaws(page) == []
    page.get_by_label("Most", exact=True).fill("2")
    page.get_by_role("button", name="See what it means").click()
    page.get_by_text("Plans grant Dock at most 2 (now 4).").wait_for()
    keep_and_undo(page, "Kept: most of Dock 4 → 2.")
    assert campaign.settings.arms[0].most == 4


def think_about_the_budget(page, campaign):
    page.get_by_role("link", name="Budget", exact=True).click()
    when_computed(page, page.get_by_role("img", name="Losses of a round against budget"))
    page.get_by_label("Expected losses of a round, at most").fill("0")
    page.get_by_role("button", name="Find the budget").click()
    when_computed(page, page.get_by_text("not reachable with what the places can use"))
    page.get_by_label("Rounds ahead").fill("3")
    page.get_by_role("button", name="Compute the forecast").click()
    page.get_by_role("img", name="Losses to expect, added up against rounds from now").wait_for()
    assert flaws(page) == []
    page.get_by_role("textbox", name="Budget of a round").fill("8")
    page.locator("summary", has_text="Bounds and crews of places").click()
    page.get_by_label("Place 1", exact=True).fill("Yard")
    page.get_by_label("Crew of place 1").fill("2")
    page.get_by_role("button", name="See the plan").click()
    page.get_by_text("Yard gets nothing, or at least a crew of 2.").wait_for()
    assert flaws(page) == []
    page.get_by_role("button", name="Keep this change").click()
    page.get_by_text("Kept: 2 settings changed.").wait_for()
    assert (campaign.settings.budget, campaign.settings.arms[2].crew) == (8, 2)


def change_a_setting(page, campaign):
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Moves", exact=True).fill("3")
    page.get_by_label("Moves", exact=True).press("Enter")
    page.get_by_text("Units that places may gain together").wait_for()
    keep_and_undo(page, "Kept: moves none → 3.")
    assert campaign.settings.moves is None
    page.get_by_role("link", name="Crew", exact=True).click()
    page.get_by_role("heading", name="Crew of each place").wait_for()
    assert flaws(page) == []


def find_it_in_the_history(page):
    page.get_by_role("link", name="History").click()
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Kind").select_option(label="Import")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("1 event that fit").wait_for()
    page.get_by_text("import-1 (night.csv)").wait_for()
    assert flaws(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="these events as a table (CSV)").click()
    assert download.value.suggested_filename.endswith("history.csv")


def when_computed(page, wanted):
    """Wait for a part of a page, which the page offers in a link if it takes long to compute."""
    computed = page.get_by_role("link", name="Show what was computed")
    wanted.or_(computed).first.wait_for()
    if not wanted.is_visible():
        computed.first.click()
        wanted.wait_for()


def keep_and_undo(page, said):
    page.get_by_role("button", name="Keep this change").click()
    page.get_by_text(said).wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Changed back").wait_for()


def test_a_plan_and_its_report_with_the_keyboard_alone(campaign, browser, served):
    Campaign.create(served.store, "day", arms=["Dock", "Gate", "Yard"], budget=6, unit=1, most=4).close()
    with visiting(browser, served) as (page, watch), Campaign.open(served.store, "day") as other:
        plan_and_report_with("Enter", page, f"{served.address}/c/1", campaign)
        plan_and_report_with("Space", page, f"{served.address}/c/2", other)
        assert watch.wrong == []


def plan_and_report_with(key, page, address, campaign):
    def press(label):
        """Go on to a button or a link, and press it."""
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent.trim()") == label:
                page.keyboard.press(key if label != "Report" else "Enter")  # a link knows Enter only
                return
        raise AssertionError(f"Tab never comes to {label}")

    page.goto(f"{address}/today")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    press("Make today's plan")
    page.get_by_role("heading", name="Plan 1").wait_for()
    press("Report")  # the tab; the button beside the date is the same link
    dock = page.locator('[data-place="Dock"]')
    dock.wait_for()
    press("Quiet")
    expect(dock).to_contain_text("Saved")
    press("Something happened")
    expect(dock).to_contain_text("before: quiet")
    press("All others quiet")
    press("Report them")
    expect(page.get_by_text("3 of 3 reported")).to_be_visible()
    expect(page.get_by_text("2 saved as quiet.")).to_be_visible()
    assert campaign.plan("1").told == {"Dock": 1, "Gate": 0, "Yard": 0}
