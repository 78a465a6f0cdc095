"""A new campaign from a table of places."""

import html
import re

import pytest

from allotment.campaign.campaign import Campaign
from web_hostile_files import bomb

TABLE = b"name;most;group\nDock;4;harbour\nGate;2,5;town\nYard;4;town\n"
FORM = {"name": "night", "budget": "6", "unit": "0.5", "losses": "counts", "timezone": "Europe/Vienna"}


def sent(visitor, content, name="zones.csv", **changed):
    return visitor.submit("/new", {**FORM, **changed}, seen="/new", files={"places": (name, content)})


def test_the_first_page_makes_a_campaign(visitor, store):
    assert visitor.get("/").headers["location"] == "/new"
    answer = sent(visitor, TABLE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/c/1/today")
    with Campaign.open(store) as made:
        settings = made.settings
        assert [str(arm.most) for arm in settings.arms] == ["4", "2.5", "4"]
        assert settings.members() == {"harbour": ["Dock"], "town": ["Gate", "Yard"]}
        assert (settings.losses, settings.timezone) == ("counts", "Europe/Vienna")
        assert next(made.history()).by == "Ada"
    assert visitor.get("/").headers["location"] == "/c/1/today"


def test_a_typed_table_is_taken_too(visitor, store):
    answer = visitor.submit("/new", {**FORM, "table": "name,most\nDock,4\nGate,3"}, seen="/new")
    assert answer.status_code == 303, answer.text
    with Campaign.open(store) as made:
        assert len(made.settings.arms) == 2


def test_headings_are_recognised_as_in_a_log(visitor, store):
    table = "Ort;Höchstens;Gruppe;Gewicht (1-5)\nHafen;4;Süd;2\nTor;2,5;Nord;1\n".encode("cp1252")
    assert sent(visitor, table).status_code == 303
    with Campaign.open(store) as made:
        assert [(arm.name, str(arm.most), arm.group, arm.severity) for arm in made.settings.arms] == [
            ("Hafen", "4", "Süd", 2),
            ("Tor", "2.5", "Nord", 1),
        ]


def test_a_form_sent_twice_makes_one_campaign(visitor):
    fields = {**visitor.fields("/new"), **FORM}
    for _ in range(2):
        answer = visitor.post("/new", data=fields, files={"places": ("zones.csv", TABLE)})
        assert answer.headers["location"] == "/c/1/today"


@pytest.mark.parametrize(
    ("content", "name", "changed", "sentence"),
    [
        (b"title,most\nDock,4\n", "zones.csv", {}, "zones.csv has the columns title, most"),
        (TABLE, "zones.csv", {"budget": ""}, "Budget is empty"),
        (TABLE, "zones.csv", {"budget": "many"}, "Budget is &#39;many&#39;"),
        (TABLE, "zones.exe", {}, "zones.exe is not a table"),
        (b"\0\1", "zones.csv", {}, "zones.csv is not text"),
        (b"name,most\n=1+1,4\n", "zones.csv", {}, "a name that does not begin with"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_wrong_is_a_sentence_and_what_was_typed_stays(visitor, content, name, changed, sentence):
    answer = sent(visitor, content, name, **changed)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "/tmp" not in answer.text and "plain.csv" not in answer.text
    assert 'value="night"' in answer.text


def test_the_table_of_a_file_stays_if_something_else_is_wrong(visitor, store):
    text = html.unescape(sent(visitor, TABLE, budget="many").text)
    table = re.search(r"<textarea[^>]*>(.*?)</textarea>", text, re.DOTALL)[1]
    assert visitor.submit("/new", {**FORM, "table": table}, seen="/new").status_code == 303
    with Campaign.open(store) as made:
        assert [str(arm.most) for arm in made.settings.arms] == ["4", "2.5", "4"]


def test_a_long_table_has_to_be_chosen_again(visitor):
    rows = "".join(f"Place {number},4\n" for number in range(1000))
    answer = sent(visitor, f"name,most\n{rows}", budget="many")
    assert "Then choose the file again." in answer.text and "Place 999" not in answer.text


def test_a_zip_bomb_is_refused(visitor):
    answer = sent(visitor, bomb("rows, kept quiet"), "zones.xlsx")
    assert answer.status_code == 422
    assert "zones.xlsx holds more than its directory says." in answer.text
