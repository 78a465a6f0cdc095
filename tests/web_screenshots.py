"""`make screenshots`: every page, wide and narrow, light and dark, with 3, 24 and 300 places and with shifts.

A page that the navigation names is found by itself. A page of another kind gets a line in `OTHERS`.
"""

import datetime
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from allotment.campaign.campaign import Campaign
from allotment.web.rendering.navigation import SECTIONS
from web_serving import NARROW, WIDE, chromium, serving, visiting

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "screenshots"
SIZES = {"wide": WIDE, "narrow": NARROW}
GROUPS = ("Harbour", "Old town", "Station", "Market", "Hospital", "University", "Riverside", "Airport")
INSIDE = {
    "report-plan": "/c/1/report/8",
    "record-print": "/c/1/record/print",
    "place": "/c/1/places?name=Harbour+1",
}  # of a tab
OTHERS = {"new": "/new", "not-found": "/c/1/nowhere", "sign-in": "/sign-in"}
OTHERS |= {"new-place": "/c/1/places/new"}
ROWS = "01.02.2026;Harbour 1;1;0\n02.02.2026;Harbour 2;2;1\n02.02.2026;Harbor 3;1;0\n"
LOG = {
    "name": "night.csv",
    "mimeType": "text/csv",
    "buffer": f"Tag;Wo;Streifen;Vorfälle\n{ROWS}".encode("cp1252"),
}
CASES = {
    "3": (3, {}),
    "24": (24, {}),
    "300": (300, {"mapped": False}),
    "shifts": (24, {"situations": ("early", "late", "night")}),
}
TALLEST = 4000  # pixels of a picture


def make_campaign(
    store: Path, places: int, *, mapped: bool = True, situations: tuple[str, ...] | None = None
) -> None:
    """A campaign after a week. Yesterday's plans are half reported. If mapped, places have outlines."""
    names = [f"{GROUPS[number % len(GROUPS)]} {number // len(GROUPS) + 1}" for number in range(places)]
    groups = {group: {"arms": [name for name in names if name.startswith(group)]} for group in GROUPS}
    shapes = {name: _square(number) for number, name in enumerate(names)} if mapped else None
    with Campaign.create(
        store,
        "Night patrol",
        arms=names,
        groups={name: each for name, each in groups.items() if each["arms"]} if places > 3 else None,
        budget=max(4, places),
        unit=1,
        most=4,
        shapes=shapes,
        situations=situations,
        timezone="Europe/Vienna",
        seed=7,
        author="Ada Lovelace",
    ) as made:
        today = made.day()
        for back in range(7, 0, -1):
            told = names if back > 1 else names[: len(names) // 2]
            losses = {n: int((i * 7 + back * 5) % 11 == 0) for i, n in enumerate(told)}
            for each in made.plans_for(today - datetime.timedelta(days=back)):
                made.tell(each.plan.id, losses)
        made.plans_for()


def _square(number: int) -> dict[str, object]:
    x, y = 16.30 + 0.02 * (number % 6), 48.18 + 0.014 * (number // 6)
    corners = [(0, 0), (0.018, 0.001), (0.0185, 0.012), (0.001, 0.013), (0, 0)]
    return {"type": "Polygon", "coordinates": [[[x + a, y + b] for a, b in corners]]}


def main() -> None:
    """Write all pictures."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        for case, (places, options) in CASES.items():
            store = Path(temporary, f"{case}.db")
            make_campaign(store, places, **options)
            paths = {each.path: f"/c/1/{each.path}" for each in SECTIONS} | INSIDE
            if case == "3":
                paths |= OTHERS
            for size_name, size in SIZES.items():
                with serving(store) as served, visiting(browser, served, size) as (page, _):
                    for page_name, path in paths.items():
                        computed(page, served.address + path)
                        _shoot(page, f"{page_name}-{case}-{size_name}", size)
                    for page_name in _behind_forms(page, served.address) if case == "24" else ():
                        _shoot(page, f"{page_name}-{case}-{size_name}", size)
    print(f"{len(list(FOLDER.iterdir()))} pictures are in {FOLDER.relative_to(ROOT)}.")


def computed(page, address: str) -> None:
    """Open a page, and again until its numbers are computed."""
    page.goto(address)
    while page.locator("[data-pending]").count():
        page.get_by_role("link", name="Show what was computed").first.click()
        page.wait_for_load_state()


def _behind_forms(page, address: str) -> Iterator[str]:
    """Pages that only a form leads to, one after the other."""
    page.goto(f"{address}/c/1/budget")
    page.get_by_role("textbox", name="Budget of a round").fill("30")
    page.get_by_role("button", name="See the plan").click()
    page.get_by_role("button", name="Keep this change").wait_for()
    yield "trial"
    page.goto(f"{address}/c/1/settings/places/most")
    yield "table"
    page.goto(f"{address}/c/1/import")
    page.get_by_label("Log", exact=True).set_input_files(LOG)
    page.get_by_role("button", name="Look at the log").click()
    page.get_by_role("heading", name="The columns").wait_for()
    yield "import-columns"
    page.get_by_role("button", name="See what it would do").click()
    page.get_by_role("heading", name="What it would do").wait_for()
    yield "import-report"


def _shoot(page, name: str, size: tuple[int, int]) -> None:
    """A picture of a page in light, and one in dark."""
    page.wait_for_load_state()  # the script has run, which brings the tab of the page into view
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        height = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": size[0], "height": height}
        page.screenshot(path=FOLDER / f"{name}-{scheme}.png", clip=clip, full_page=True)


if __name__ == "__main__":
    main()
