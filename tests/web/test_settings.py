"""Settings: each change is shown, old and new, before it is kept; sessions can be ended."""

import html
import json
import re

import pytest

from allotment.web.pages.settings.forms import shown_settings
from allotment.web.pages.signing_in.routes import browser_named
from allotment.web.requests.forms import new_key

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}


def sent(visitor, campaign, path="settings", files=None, **changed):
    """Send a form of the page with some fields changed."""
    fields = {**shown_settings(campaign.settings), **changed} if path == "settings" else changed
    return visitor.submit(f"/c/1/{path}", fields, seen="/c/1/settings", files=files)


def shown(visitor, answer):
    """What the next page says would change."""
    assert answer.status_code == 303, answer.text
    text = visitor.get(answer.headers["location"]).text
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td><b>(.*?)</b></td>', text)
    return [" ".join((what, old, "→", new)) for what, old, new in rows]


def keep(visitor, answer):
    path = answer.headers["location"]
    return visitor.submit(f"{path}/keep", seen=path)


def test_a_change_is_shown_and_then_kept_and_undone(campaign, visitor):
    answer = sent(visitor, campaign, budget="8", half_life="30", moves="2", day_starts="6:00")
    said = ["Budget of a round 6 → 8", "Half-life in days none → 30", "The day starts at midnight → 06:00"]
    said.append("Moves any number → 2")
    assert shown(visitor, answer) == said
    assert campaign.last_event == 1
    assert keep(visitor, answer).headers["location"] == "/c/1/settings"
    settings = campaign.settings
    assert (settings.budget, settings.half_life, settings.moves, settings.day_starts) == (8, 30, 2, "06:00")
    text = visitor.get("/c/1/settings").text
    assert "Kept: 4 settings changed." in text and "data-toast" in text
    undo = re.search(r'action="(/c/1/trials/[\w-]+/back)"', text)[1]
    visitor.submit(undo, seen="/c/1/settings")
    assert shown_settings(campaign.settings)["budget"] == "6" and campaign.settings.moves is None


def test_a_form_that_is_kept_twice_changes_once(campaign, visitor):
    path = sent(visitor, campaign, budget="8").headers["location"]
    fields = visitor.fields(path)
    for _ in range(2):
        assert visitor.post(f"{path}/keep", data=fields).status_code == 303
    assert campaign.last_event == 2


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"budget": ""}, "Budget is empty"),
        ({"budget": "many"}, "Budget is &#39;many&#39;"),
        ({}, "Nothing differs from the settings as they are"),
        ({"unit": "5"}, "the most of &#39;Dock&#39; is 4"),
        ({"scale": "1"}, "the most of &#39;Dock&#39; is 4, and scale is 1"),
        ({"day_starts": "late"}, "The start of the day is &#39;late&#39;"),
    ],
    ids=str,
)
def test_what_is_wrong_is_a_sentence_and_what_was_typed_stays(campaign, visitor, changed, sentence):
    answer = sent(visitor, campaign, **changed)
    assert answer.status_code in (409, 422) and sentence.lower() in answer.text.lower()
    for value in changed.values():
        assert f'value="{value}"' in answer.text
    assert campaign.last_event == 1


def test_a_note_is_kept_on_one_line_and_tries_no_plan(campaign, visitor):
    answer = sent(visitor, campaign, note="Meet at 6:45.\r\nBring radios")
    page = visitor.get(answer.headers["location"]).text
    assert "Every duty sheet has this note" in page and "Plans stay as they are." in page
    assert "No place is active" not in page
    assert shown(visitor, answer) == ["Note on the duty sheet no note → Meet at 6:45. Bring radios"]
    keep(visitor, answer)
    assert campaign.settings.note == "Meet at 6:45. Bring radios"
    refused = sent(visitor, campaign, note="x" * 501)
    assert refused.status_code == 422 and f">{'x' * 501}<" in refused.text
    assert "The note has 501 characters; expected at most 500" in refused.text
    keep(visitor, sent(visitor, campaign, note=""))
    assert campaign.settings.note is None


def test_limits_of_groups(campaign, visitor):
    answer = sent(visitor, campaign, "settings/groups", **{"most:town": "3", "least:harbour": "1"})
    assert shown(visitor, answer) == ["Least of harbour 0 → 1", "Most of town none → 3"]
    keep(visitor, answer)
    assert campaign.settings.groups["town"].most == 3
    assert campaign.settings.members() == {"harbour": ["Dock"], "town": ["Gate", "Yard"]}
    answer = sent(visitor, campaign, "settings/groups", **{"most:harbour": "0.5"})
    assert answer.status_code in (409, 422) and 'name="most:harbour" value="0.5"' in answer.text


@pytest.mark.parametrize(
    ("what", "fields", "said"),
    [
        ("most", {"value:Dock": "3"}, ["Most of Dock 4 → 3"]),
        ("least", {"all": "1"}, [f"Least of {name} 0 → 1" for name in ("Dock", "Gate", "Yard")]),
        ("crew", {"value:Gate": "2"}, ["Crew of Gate 0 → 2"]),
        ("severities", {"value:Yard": "2,5"}, ["Severity of Yard 1 → 2.5"]),
        ("thresholds", {"value:Gate": "2"}, ["Threshold of Gate none → 2"]),
        ("group", {"value:Gate": "harbour"}, ["Group of Gate town → harbour"]),
        (
            "group",
            {"value:Gate": "", "value:Yard": "new one"},
            [
                "Least of town 0 → none",
                "Least of new one none → 0",
                "Group of Gate town → none",
                "Group of Yard town → new one",
            ],
        ),
    ],
    ids=str,
)
def test_one_setting_of_all_places(campaign, visitor, what, fields, said):
    assert visitor.get(f"/c/1/settings/places/{what}").status_code == 200
    answer = sent(visitor, campaign, f"settings/places/{what}", **fields)
    assert sorted(shown(visitor, answer)) == sorted(said)
    assert keep(visitor, answer).status_code == 303
    assert campaign.last_event == 2


def test_a_wrong_value_of_a_place_is_a_sentence(campaign, visitor):
    answer = sent(visitor, campaign, "settings/places/most", **{"value:Dock": "99"})
    assert answer.status_code == 409 and "scale is 4" in answer.text
    assert 'name="value:Dock" value="99"' in answer.text
    assert sent(visitor, campaign, "settings/places/crew", **{"value:Dock": ""}).status_code == 422
    assert visitor.get("/c/1/settings/places/seed").status_code == 404


def test_a_change_that_was_overtaken_is_shown_again(campaign, visitor):
    answer = sent(visitor, campaign, budget="8")
    campaign.change(budget=7)
    again = keep(visitor, answer)
    assert "changed in the meantime" in visitor.get(again.headers["location"]).text
    assert shown(visitor, again) == ["Budget of a round 7 → 8"]
    keep(visitor, again)
    assert campaign.settings.budget == 8
    campaign.change(budget=9)
    path = again.headers["location"]
    back = visitor.submit(f"{path}/back", seen=path)
    assert shown(visitor, back) == ["Budget of a round 9 → 7"] and campaign.settings.budget == 9


def test_outlines_are_shown_and_kept_without_their_properties(campaign, visitor):
    script = "<script>alert(1)</script>"
    properties = {"name": "Dock", "note": script, script: 1}
    feature = {
        "type": "Feature",
        "id": script,
        "properties": properties,
        "geometry": {**SQUARE, "note": script},
    }
    content = json.dumps({"type": "FeatureCollection", "name": script, "features": [feature]})
    answer = sent(visitor, campaign, "settings/shapes", files={"shapes": ("map.geojson", content)})
    assert shown(visitor, answer) == ["Outline of Dock none → new"]
    assert script not in visitor.get(answer.headers["location"]).text
    keep(visitor, answer)
    assert campaign.settings.arms[0].shape == SQUARE
    assert "alert" not in "".join(event.text for event in campaign.history())
    text = visitor.get("/c/1/settings").text
    assert "1 of 3 places have an outline" in text and "data-toast" not in text  # since nothing removes it


def point(text):
    geometry = f'{{"type": "Point", "coordinates": {text}}}'
    feature = f'{{"type": "Feature", "properties": {{"name": "Dock"}}, "geometry": {geometry}}}'
    return f'{{"type": "FeatureCollection", "features": [{feature}]}}'


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (point("[1, NaN]"), "map.json", "The shape of &#39;Dock&#39; is"),
        (point("[1, 1e999]"), "map.json", "The shape of &#39;Dock&#39; is"),
        (point("[1, 2]").replace("Dock", "Dokc"), "map.json", "Shapes name &#39;Dokc&#39;"),
        (
            point("[1, 2]").replace("name", "Ort"),
            "map.json",
            "A feature of the map has the properties &#39;Ort&#39;",
        ),
        ("[" * 100_000, "map.json", "map.json is not GeoJSON."),
        ("{}", "map.json", "Nothing differs"),
        (point("[1, 2]"), "map.zip", "map.zip is not a map; expected GeoJSON"),
        (
            json.dumps({"Dock": {"type": "LineString", "coordinates": [[0, 0]] * 100_001}}),
            "map.geojson",
            "The shapes have 100,001 vertices together; expected at most 100,000",
        ),
    ],
    ids=lambda value: value[:40],
)
def test_a_map_that_cannot_be_taken_is_a_sentence(campaign, visitor, content, name, sentence):
    answer = sent(visitor, campaign, "settings/shapes", files={"shapes": (name, content)})
    assert answer.status_code == 422 and sentence in answer.text
    assert "/tmp" not in answer.text and "sent." not in answer.text
    assert campaign.last_event == 1


def test_the_seed_is_never_shown(campaign, visitor, monkeypatch):
    assert campaign.settings.seed == 1
    text = visitor.get("/c/1/settings").text
    assert "seed" not in text.lower()


def test_other_browsers_are_listed_and_signed_out(campaign, desk, visitor):
    identifier, other = desk.sessions.start("Ada", browser_named("x Firefox/1 Android"))
    text = visitor.get("/c/1/settings").text
    assert "Firefox on Android" in text and "this browser" in text
    assert identifier not in text and other.digest not in text
    visitor.submit("/c/1/settings/sessions", {"handle": other.handle}, seen="/c/1/settings")
    assert desk.sessions.find(identifier) is None
    assert "1 browser is signed out." in visitor.get("/c/1/settings").text


def test_all_other_browsers_are_signed_out_at_once(campaign, desk, visitor):
    others = [desk.sessions.start("Ada")[0] for _ in range(3)]
    assert "Sign out all other browsers" in visitor.get("/c/1/settings").text
    visitor.submit("/c/1/settings/sessions", seen="/c/1/settings")
    assert [desk.sessions.find(each) for each in others] == [None] * 3
    assert visitor.get("/c/1/settings").status_code == 200


def test_a_session_that_has_ended_is_not_listed(clock):
    from allotment.web.security.sessions import IDLE_SECONDS, MemorySessions

    sessions = MemorySessions(clock)
    sessions.start("Ada")
    clock.now += IDLE_SECONDS + 1
    sessions.start("Ben")
    assert [each.author for each in sessions.live()] == ["Ben"]


def seen_in(visitor, path, number=0):
    """What a form of a page says that it showed."""
    found = re.findall(r'name="seen" value="([^"]*)"', visitor.get(path).text)
    return html.unescape(found[number])


def test_a_stale_form_reverts_nothing_that_others_changed(campaign, visitor):
    fields, seen = visitor.fields("/c/1/settings"), seen_in(visitor, "/c/1/settings")
    shown = json.loads(seen)
    campaign.change(budget=7)  # by a colleague, while the form was open
    typed = {**fields, **shown, "half_life": "30", "seen": seen}
    page = visitor.get(visitor.post("/c/1/settings", data=typed).headers["location"]).text
    assert "Since you opened the page, budget went from 6 to 7." in page
    keep = re.search(r'action="([^"]+/keep)"', page)[1]
    visitor.post(keep, data={"csrf": fields["csrf"], "key": new_key()})
    assert (campaign.settings.budget, campaign.settings.half_life) == (7, 30)


def test_a_stale_table_of_places_reverts_nothing(campaign, visitor):
    path = "/c/1/settings/places/most"
    fields, seen = visitor.fields(path), seen_in(visitor, path)
    campaign.change(most={"Dock": 2})
    typed = {**fields, **json.loads(seen), "value:Gate": "1", "seen": seen}
    page = visitor.get(visitor.post(path, data=typed).headers["location"]).text
    assert "Since you opened the page, value of Dock went from 4 to 2." in page
    keep = re.search(r'action="([^"]+/keep)"', page)[1]
    visitor.post(keep, data={"csrf": fields["csrf"], "key": new_key()})
    assert [arm.most for arm in campaign.settings.arms] == [2, 1, 4]


def test_a_stale_form_of_groups_reverts_nothing(campaign, visitor):
    fields, seen = visitor.fields("/c/1/settings"), seen_in(visitor, "/c/1/settings", 1)
    groups = {"harbour": {"arms": ["Dock"], "most": 3}, "town": {"arms": ["Gate", "Yard"]}}
    campaign.change(groups=groups)
    typed = {**fields, **json.loads(seen), "most:town": "5", "seen": seen}
    page = visitor.get(visitor.post("/c/1/settings/groups", data=typed).headers["location"]).text
    assert "Since you opened the page, most of harbour went from nothing to 3." in page
    keep = re.search(r'action="([^"]+/keep)"', page)[1]
    visitor.post(keep, data={"csrf": fields["csrf"], "key": new_key()})
    assert {name: group.most for name, group in campaign.settings.groups.items()} == {"harbour": 3, "town": 5}


def test_a_forged_note_of_what_was_seen_is_a_sentence(campaign, visitor):
    answer = visitor.submit("/c/1/settings", {"seen": "[1", "budget": "7"}, seen="/c/1/settings")
    assert answer.status_code == 422 and "the page opened again" in answer.text
