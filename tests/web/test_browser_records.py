"""Import, History and Settings in a real browser: what was recorded, and how the campaign is set up."""

from web_serving import in_light_and_dark, wider_than_the_screen

SCRIPT = "<script>document.title='planted'</script><img src=x onerror=\"document.title='planted'\">"
LOG = f"""Night log;;;;
Tag;Wo;Streifen;Vorfälle;Bemerkung
01.02.2026;Dock;1;0;{SCRIPT}
02.02.2026;Gate;2;1;quiet otherwise
02.02.2026;{SCRIPT};1;0;
"""


def fine(page):
    """Whether a page is complete on a phone, and for people with disabilities."""
    return in_light_and_dark(page) == [] and not wider_than_the_screen(page)


def test_a_log_is_imported_found_in_the_history_and_settings_are_changed(campaign, served, phone_page):
    page = phone_page
    campaign.add_arm(SCRIPT, most=1)
    page.goto(f"{served.address}/c/1/import")
    log = {"name": "night.csv", "mimeType": "text/csv", "buffer": LOG.encode("cp1252")}
    page.get_by_label("Log", exact=True).set_input_files(log)
    page.get_by_role("button", name="Look at the log").click()
    page.get_by_role("heading", name="The columns").wait_for()
    assert page.get_by_label("Place", exact=True).locator("option:checked").inner_text() == "Wo"
    assert page.get_by_label("Row of the heading").input_value() == "2"
    page.get_by_label("Incidents", exact=True).select_option("")
    page.get_by_role("button", name="See what it would do").click()
    page.get_by_text("No column is chosen for incidents").wait_for()
    page.get_by_label("Incidents", exact=True).select_option(label="Vorfälle")
    assert fine(page)
    page.get_by_role("button", name="See what it would do").click()
    page.get_by_text("From 2026-02-01 to 2026-02-02, 3 places.").wait_for()
    assert fine(page)
    page.get_by_role("button", name="Keep it").click()
    page.get_by_text("night.csv is imported: 3 rows").wait_for()
    assert len(campaign.imports()) == 1

    page.get_by_role("link", name="History").click()
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Kind").select_option(label="Import")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("1 event that fit").wait_for()
    page.get_by_text("import-1 (night.csv)").wait_for()
    assert fine(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="these events as a table (CSV)").click()
    assert download.value.suggested_filename == "night history.csv"

    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Budget of a round").fill("8")
    page.get_by_label("Budget of a round").press("Enter")
    page.get_by_text("The budget of a round becomes 8 (now 6).").wait_for()
    assert fine(page)
    page.get_by_role("button", name="Keep this change").click()
    page.get_by_text("Kept: budget 6 → 8.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Changed back").wait_for()
    assert campaign.settings.budget == 6 and "planted" not in page.title()
