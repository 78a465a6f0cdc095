"""Texts of users are never markup: names of places and groups, authors, cells, names of files and sheets."""

import json
import re
from html.parser import HTMLParser

import pytest

from allotment.campaign.campaign import Campaign
from allotment.web.desk import Desk
from allotment.web.rendering.navigation import SECTIONS
from allotment.web.requests.open_campaigns import OpenCampaigns

SCRIPT = "\"'><script>alert('{}')</script><img src=x onerror=alert(1)>{{{{7*7}}}}"
PLACE, GROUP, AUTHOR, CAMPAIGN = (SCRIPT.format(each) for each in ("place", "group", "author", "campaign"))
CELL, COLUMN, FILE = (SCRIPT.format(each) for each in ("cell", "column", "file"))


class Markup(HTMLParser):
    """The elements and attributes of a page that a user's text could have planted."""

    def __init__(self, text):
        super().__init__()
        self.planted = []
        self.texts = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        ours = tag == "script" and given.keys() == {"type", "src"} and given["src"].startswith("/static/")
        if tag in ("script", "img", "iframe", "object", "style", "base") and not ours:
            self.planted.append(tag)
        for name, value in attributes:
            if (
                name.startswith("on")
                or name == "style"
                or str(value).strip().lower().startswith("javascript:")
            ):
                self.planted.append(f"{tag} {name}={value}")

    def handle_data(self, data):
        self.texts += data


@pytest.fixture
def desk(store):
    made = Desk(OpenCampaigns(str(store)), 8350, author=AUTHOR)
    yield made
    made.close()


@pytest.fixture
def campaign(store):
    """Scripts in every name."""
    options = {"most": 3, "budget": 4, "unit": 1, "groups": {GROUP: {"arms": [PLACE]}}, "seed": 1}
    shapes = {PLACE: [16.3, 48.2], "Gate": [16.4, 48.3]}
    arms = [PLACE, "Gate"]
    with Campaign.create(store, CAMPAIGN, arms=arms, shapes=shapes, author=AUTHOR, **options) as made:
        made.ask()
        made.tell("1", {PLACE: 1, "Gate": 0}, amounts={PLACE: 1})
        made.rename_arm("Gate", PLACE.replace("place", "moved"))
        yield made


def seen(visitor, path):
    """A page on which nothing was planted."""
    answer = visitor.get(path)
    assert answer.status_code in (200, 404, 422), path
    assert Markup(answer.text).planted == [], path
    return answer.text


@pytest.mark.parametrize("path", [each.path for each in SECTIONS])
def test_names_are_text_on_every_page(campaign, visitor, path):
    text = seen(visitor, f"/c/1/{path}")
    assert CAMPAIGN in Markup(text).texts  # it is there, as text


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/c/1/today", (PLACE, GROUP)),
        ("/c/1/plans/1", (PLACE,)),
        ("/c/1/history", (PLACE, AUTHOR)),
        ("/c/1/record?by=place", (PLACE,)),
        ("/c/1/record/print", (CAMPAIGN,)),
        ("/c/1/settings", (GROUP, AUTHOR)),
        ("/c/1/settings/places/group", (PLACE,)),
    ],
)
def test_the_page_shows_them_as_they_are(campaign, visitor, path, shown):
    texts = Markup(seen(visitor, path)).texts
    for each in shown:
        assert each in texts


def test_addresses_that_are_shown_again(campaign, visitor):
    for path in ("history", "today", "report", "places", "budget", "record"):
        seen(
            visitor,
            f"/c/1/{path}?place={PLACE}&by={PLACE}&first={PLACE}&name={PLACE}&date={PLACE}&page={PLACE}",
        )
    seen(visitor, f"/sign-in?code={PLACE}")
    seen(visitor, f"/c/1/plans/{SCRIPT.format('x').replace('/', '')}")


def test_cells_columns_and_names_of_files(campaign, visitor):
    heading = '"' + COLUMN.replace('"', '""') + '"'
    cell = '"' + CELL.replace('"', '""') + '"'
    content = f"date,place,amount,incidents,{heading}\n2026-01-01,{cell},1,0,{cell}\n{cell},Gate,1,0,{cell}\n"
    files = {"log": (f"{FILE.replace('/', '').replace(chr(34), '')}.csv", content)}
    path = visitor.submit("/c/1/import", seen="/c/1/import", files=files).headers["location"]
    assert CELL[:20] in Markup(seen(visitor, path)).texts
    columns = {"date": "0", "place": "1", "amount": "2", "incidents": "3"}
    visitor.submit(path, columns, seen=path)
    text = seen(visitor, f"{path}/report")
    assert "2 lines cannot be taken" in text and COLUMN in Markup(text).texts
    visitor.submit(path, {**columns, "date": PLACE, "dates": PLACE, "granted": PLACE}, seen=path)
    seen(visitor, path)
    seen(visitor, "/c/1/import")


def test_what_was_kept_of_a_log(campaign, visitor, tmp_path):
    log = tmp_path / f"{FILE.replace('/', '')}.csv"
    log.write_text(
        f'date,place,amount,incidents,"{COLUMN.replace(chr(34), chr(34) * 2)}"\n2026-01-01,Gate,1,0,x\n'
    )
    campaign.import_log(log)
    for path in ("/c/1/import", "/c/1/history"):
        assert "alert('file')" in Markup(seen(visitor, path)).texts


def test_properties_of_a_map(campaign, visitor):
    properties = {"name": PLACE, "description": CELL, "popup": CELL}
    feature = {"properties": properties, "id": CELL, "geometry": {"type": "Point", "coordinates": [1, 2]}}
    content = json.dumps({"type": "FeatureCollection", "name": CELL, "features": [feature]})
    answer = visitor.submit(
        "/c/1/settings/shapes", seen="/c/1/settings", files={"shapes": ("map.json", content)}
    )
    path = answer.headers["location"]
    assert PLACE in Markup(seen(visitor, path)).texts
    visitor.submit(f"{path}/keep", seen=path)
    for each in SECTIONS:
        assert CELL not in Markup(seen(visitor, f"/c/1/{each.path}")).texts
    assert all("alert('cell')" not in event.text for event in campaign.history())


def test_what_is_typed_is_shown_again_as_text(campaign, visitor):
    for path, fields in (
        ("settings", {"budget": PLACE, "unit": "1", "scale": "3"}),
        ("settings/groups", {f"most:{GROUP}": PLACE}),
        ("settings/places/most", {f"value:{PLACE}": PLACE}),
        ("settings/places/group", {"value:Gate": "x" * 101 + PLACE}),
        ("settings/places/group", {"all": "=1+1"}),
    ):
        answer = visitor.submit(f"/c/1/{path}", fields, seen="/c/1/settings")
        assert answer.status_code in (409, 422), path
        assert Markup(answer.text).planted == []


def test_a_download_is_no_page(campaign, visitor):
    for path in ("history/events.csv", "history/export.jsonl"):
        answer = visitor.get(f"/c/1/{path}")
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "html" not in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not re.search(r"[\r\n<>]", answer.headers["content-disposition"])
