"""Every setting goes all ways: create, change, history, export, snapshot, API, client, command and form."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
import typer

from allotment import Campaign, cli
from allotment.campaign.answers.change_words import changes_back, meaning_of, real_changes
from allotment.campaign.answers.event_words import changes_of_settings
from allotment.campaign.answers.settings_words import settings_in_words
from allotment.campaign.history.kinds import VERSION
from allotment.campaign.history.snapshots import packed, unpacked
from allotment.campaign.settings.all_values import VALUES
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import (
    BY_NAME,
    CHANGEABLE,
    OF_ARMS,
    OF_ONE_PLACE,
    SETTINGS,
    Needed,
)
from allotment.cli.app import app
from allotment.client.line import Line
from allotment.client.remote_campaign import RemoteCampaign
from allotment.web.pages.campaigns.view import ASKED
from allotment.web.pages.settings.forms import OF_CAMPAIGN, TABLES

PLAIN = {"arms": ["Dock", "Gate", "Yard"], "budget": 6, "unit": 1, "most": 4, "seed": 1, "timezone": "UTC"}
SITUATED = {"situations": ["early", "late"]}
POINT = {"type": "Point", "coordinates": [16.4, 48.2]}
DOCK = {"type": "Feature", "properties": {"name": "Dock"}, "geometry": POINT}
SHAPES = {"type": "FeatureCollection", "features": [DOCK]}
# What a campaign begins with, what it changes to, and what else it needs; one of each form, or more.
SAMPLES = {
    "budget": (5, 7, {}),
    "unit": (2, "0.5", {}),
    "scale": (6, 8, {}),
    "most": ({"Dock": 3, "Gate": 4, "Yard": 4}, {"Gate": 2}, {}),
    "least": ({"Dock": 1}, {"Gate": 1}, {}),
    "crew": ({"Dock": 2}, {"Gate": 2}, {}),
    "severities": ({"Dock": 2}, {"Gate": "0.5"}, {}),
    "thresholds": ({"Dock": 2}, {"Gate": 3}, {}),
    "groups": ({"town": {"arms": ["Dock"], "most": 3}}, {"town": {"arms": ["Gate"], "most": 2}}, {}),
    "shapes": ({"Dock": POINT}, {"Gate": POINT}, {}),
    "situations": (["early", "late"], ["early", "late", "night"], {}),
    "calendar": (
        {"rules": [{"days": ["Sat"], "situations": "late"}], "default": "early"},
        {"rules": [{"days": ["Sun"], "situations": "late"}], "default": "early"},
        SITUATED,
    ),
    "moves": (2, 3, {}),
    "control": ({"share": "0.2", "plan": "equal"}, {"share": "0.3", "plan": "hot-spots"}, {}),
    "half_life": (30, 60, {}),
    "timezone": ("Europe/Vienna", None, {}),
    "day_starts": ("06:00", "07:30", {}),
    "note": ("Bring radios; no dogs", "Meet at 6:45 at the east gate", {}),
    "sees": ("finds", None, {}),
    "losses": ("counts", None, {}),
    "policy": ("any-response:draws=1", None, {}),
    "seed": (5, None, {}),
}
# The same in options, as commands get them.
TEXTS = {
    "budget": ("5",),
    "unit": ("0.5",),
    "scale": ("6",),
    "most": (["Dock=3"],),
    "least": (["Dock=1"],),
    "crew": ("2",),
    "severities": (["2"],),
    "thresholds": (["2"],),
    "groups": (["town=:3"],),
    "shapes": ("map.json",),
    "situations": ("early,late",),
    "calendar": ("week.toml",),
    "moves": ("2",),
    "control": ("0.2", None),
    "half_life": ("30",),
    "timezone": ("Europe/Vienna",),
    "day_starts": ("06:00",),
    "note": ("Bring radios; no dogs",),
    "sees": ("finds",),
    "losses": ("counts",),
    "policy": ("any-response:draws=1",),
    "seed": (5,),
}

SAID = {"unit": 0.5, "crew": 2, "calendar": {"default": "early"}}  # where options are other samples


@pytest.fixture
def remote(ada, desk):
    """The client of a campaign, whose requests go to the application in this process."""

    def remote(number, name):
        line = Line(desk.address, "a token that the other client has")
        line._http.close()
        ada.base_url = f"{desk.address}/api/v1"
        line._http = ada
        return RemoteCampaign(line, number, name)

    return remote


def now(about, settings):
    """A setting as it is kept, without ids and seeds that are drawn."""
    value = VALUES[about.name]
    return value.now(settings) if about.changeable else value.stored(settings)


def test_there_is_a_sample_of_every_setting():
    assert SAMPLES.keys() == {each.name for each in SETTINGS}


@pytest.mark.parametrize("about", SETTINGS, ids=lambda each: each.name)
def test_a_setting_goes_all_ways_in_a_file(about, tmp_path):
    first, other, needed = SAMPLES[about.name]
    with Campaign.create(tmp_path / "usual.db", "usual", **{**PLAIN, **needed}) as made:
        usual = now(about, made.settings)
    with Campaign.create(tmp_path / "it.db", "it", **{**PLAIN, **needed, about.name: first}) as made:
        begun = made.settings
        assert now(about, begun) != usual
        assert Settings.from_dict(begun.to_dict()) == begun
        if about.words is not None:
            assert settings_in_words(begun)[about.label]
        if about.changeable:
            change = {about.name: other}
            tried = [each.words for each in made.try_change(**change)]
            made.change(**change)
            after = made.settings
            assert now(about, after) not in (usual, now(about, begun))
            said = changes_of_settings(begun, after)
            assert said == tried != []
            (*_, line) = made.history_items()
            assert str(line.words) == "; ".join(said)
            real = real_changes(begun, change)
            assert real.keys() == {about.name} and real_changes(after, change) == {}
            *meant, always = meaning_of(begun, real)
            assert meant and ("next plan" in always) == about.of_plans
            back = changes_back(begun, real)
            assert bool(back) == (about.name not in ("situations", "shapes"))
            if back:
                made.change(**back)
                assert now(about, made.settings) == now(about, begun)
                made.change(**change)
            events = list(made.history())
            assert [each.version for each in events[1:]] == [max(about.since, 2)] * (len(events) - 1)
        since = max(about.since, *(3 for _ in needed if "situations" in needed), 2)
        assert next(iter(made.history())).version == since <= VERSION
        state = made._current()
        assert unpacked(packed(state)).settings == made.settings
        made.export(tmp_path / "it.jsonl")
        made.verify()
    with Campaign.replay(tmp_path / "it.jsonl", tmp_path / "again.db") as again:
        assert again.settings == state.settings
        again.verify()


@pytest.mark.parametrize("about", SETTINGS, ids=lambda each: each.name)
def test_a_setting_goes_all_ways_on_a_server(about, campaign, ada, visitor, remote):
    first, other, needed = SAMPLES[about.name]
    answer = ada.post("/api/v1/campaigns", json={**PLAIN, **needed, "name": "it", about.name: first})
    assert answer.status_code == 201, answer.text
    number = answer.json()["number"]
    begun = Settings.from_dict(_whole(ada.get(f"/api/v1/campaigns/{number}/settings").json()))
    with Campaign.open(campaign.store.name, "it") as made:
        assert now(about, begun) == now(about, made.settings)
        if about.changeable:
            path = f"/api/v1/campaigns/{number}/settings"
            assert ada.patch(path, json={about.name: other}).status_code == 204
            assert now(about, made.settings) != now(about, begun)
        text = visitor.get(f"/c/{number}/settings").text
        typed = dict(re.findall(r'<input id="(\w+)" name="\w+" value="([^"]*)"', text))
        typed |= dict(re.findall(r'<textarea id="(\w+)" [^>]*>([^<]*)<', text))
        assert (about.name in typed) == (about in OF_CAMPAIGN)
        if about in OF_CAMPAIGN:
            assert typed[about.name] == str(now(about, made.settings)) and about.page.hint in text
            changed = {**{each.name: typed[each.name] for each in OF_CAMPAIGN}, about.name: str(first)}
            trial = visitor.submit(f"/c/{number}/settings", changed, seen=f"/c/{number}/settings")
            assert trial.status_code == 303, trial.text
            kept = trial.headers["location"]
            assert about.page.title in visitor.get(kept).text
            visitor.submit(f"{kept}/keep", seen=kept)
            assert now(about, made.settings) == now(about, begun)
        if about in TABLES.values():
            what = next(name for name, each in TABLES.items() if each is about)
            assert about.page.hint in visitor.get(f"/c/{number}/settings/places/{what}").text
        assert (f'name="{about.name}"' in visitor.get("/new").text) >= (about.name in ASKED)
        assert now(about, remote(number, "it").settings) == now(about, made.settings)


def _whole(settings):
    """Settings as the API shows them, with the seed of control rounds that it does not show."""
    return {
        **settings,
        **({"control": {"seed": "0", **settings["control"]}} if "control" in settings else {}),
    }


@pytest.mark.parametrize("about", SETTINGS, ids=lambda each: each.name)
def test_a_setting_has_its_options(about):
    cli.collect()
    commands = typer.main.get_command(app).commands
    expected = {
        "new": about.new_options,
        "change": about.options,
        "what-if": [each for each in about.options if each.tried],
    }
    for command, options in expected.items():
        found = {text: each for each in commands[command].params for text in each.opts}
        for option in options:
            made = found[option.flag]
            assert (made.help, made.multiple) == (option.help, option.many)
            assert made.required == (command == "new" and about.default is Needed and not option.many)
        others = {each.flag for each in about.options} - {each.flag for each in options}
        assert not others & found.keys()


def spoken(options, texts):
    """Options with their texts, as on a command line."""
    said = []
    for option, text in zip(options, texts, strict=True):
        for each in text if isinstance(text, list) else [text]:
            said += [] if each is None else [option.flag, str(each)]
    return said


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that options name."""
    monkeypatch.chdir(tmp_path)
    Path("week.toml").write_text('default = "early"\n')
    Path("map.json").write_text(json.dumps(SHAPES))
    Path("places.csv").write_text("name,group\nDock,town\nGate,\nYard,\n")


@pytest.mark.parametrize("about", SETTINGS, ids=lambda each: each.name)
def test_a_new_campaign_has_what_options_say(about, allotment, files):
    if not about.new_options:
        assert about.of_arm in OF_ONE_PLACE  # a column of the table of places, as below
        return
    _, _, needed = SAMPLES[about.name]
    given = {name: str(PLAIN[name]) for name in ("budget", "unit", "seed", "timezone")} | {"most": "4"}
    given |= {"situations": "early,late"} if needed else {}
    usual = [text for name, each in given.items() for text in (f"--{name}", each) if name != about.name]
    usual += ["--most", "4"] if about.name == "most" else []  # of all other places
    made = allotment(
        "new", "it.db", "--places", "places.csv", *usual, *spoken(about.new_options, TEXTS[about.name])
    )
    assert made.code == 0, made.err
    said = {**PLAIN, **needed, about.name: SAID.get(about.name, SAMPLES[about.name][0])}
    with Campaign.create("said.db", "said", **said) as plain, Campaign.open("it.db") as it:
        assert now(about, it.settings) == now(about, plain.settings)


@pytest.mark.parametrize("about", CHANGEABLE, ids=lambda each: each.name)
def test_a_command_changes_a_setting(about, allotment, files):
    if not about.options:
        assert about.name == "shapes"  # which only files have
        return
    town = {"groups": {"town": {"arms": ["Dock"]}}} if about.name == "groups" else {}
    with Campaign.create("it.db", "it", **{**PLAIN, **SAMPLES[about.name][2], **town}) as it:
        before = it.settings
        done = allotment("change", "it.db", *spoken(about.options, TEXTS[about.name]))
        assert done.code == 0, done.err
        assert now(about, it.settings) != now(about, before)


@pytest.mark.parametrize("about", CHANGEABLE, ids=lambda each: each.name)
def test_a_client_changes_a_setting(about, campaign, ada, remote):
    _, other, needed = SAMPLES[about.name]
    with Campaign.create(campaign.store.name, "it", **{**PLAIN, **needed}) as made:
        before, there = now(about, made.settings), remote(made._number, "it")
        change = {about.name: other}
        assert there.try_change(**change) == made.try_change(**change)
        assert there.what_if(**change).amounts == made.what_if(**change).amounts
        there.change(**change)
        assert now(about, there.settings) == now(about, made.settings) != before


OF_DOCK = {"most": "3", "least": "1", "crew": "2", "severities": "2", "thresholds": "2", "group": "quay"}
# The form of each setting that is not among the fields of the campaign: its path, what is typed, and files.
FORMS = {
    **{name: (f"settings/places/{name}", {"value:Dock": text}, None) for name, text in OF_DOCK.items()},
    "groups": ("settings/groups", {"least:town": "1"}, None),
    "situations": ("settings/situations", {"new": "early, late"}, None),
    "calendar": ("settings/situations", {"new": "early, late", "default": "early"}, None),
    "control": ("settings/control", {"control_plan": "hot-spots", "control_share": "0.3"}, None),
    "shapes": ("settings/shapes", {}, {"shapes": ("map.json", json.dumps(SHAPES))}),
}


def test_every_setting_that_changes_has_a_form():
    assert OF_DOCK.keys() == TABLES.keys()
    assert FORMS.keys() - {"group"} | {each.name for each in OF_CAMPAIGN} == {
        each.name for each in CHANGEABLE
    }


@pytest.mark.parametrize("name", FORMS)
def test_a_form_changes_a_setting(name, campaign, visitor):
    path, typed, files = FORMS[name]
    about, before = TABLES.get(name) or BY_NAME[name], campaign.settings
    trial = visitor.submit(f"/c/1/{path}", typed, seen="/c/1/settings", files=files).headers["location"]
    visitor.submit(f"{trial}/keep", seen=trial)
    assert now(about, campaign.settings) != now(about, before)
    last = [*typed.values()][-1] if typed else "Dock"
    assert all(each in str(now(about, campaign.settings)) for each in last.split(", "))


def test_the_form_of_a_new_campaign_sends_each_of_its_fields(visitor, store):
    texts = {name: str(SAMPLES[name][0]) for name in ASKED}
    form = {"name": "night", "budget": "6", "unit": "1", "losses": "counts", "most": "3", **texts}
    made = visitor.submit("/new", {**form, "table": "name\nDock\nGate\n"}, seen="/new")
    assert made.status_code == 303, made.text
    with Campaign.open(store) as it:
        assert [str(now(BY_NAME[name], it.settings)) for name in ASKED] == [*texts.values()]
        assert (it.settings.losses, [arm.most for arm in it.settings.arms]) == ("counts", [3, 3])


# A new place, by the attributes of arms.
HALL = {
    "most": "3",
    "least": "1",
    "crew": "2",
    "severity": "5",
    "group": "town",
    "threshold": "2",
    "shape": POINT,
}


def test_there_is_a_sample_of_every_setting_of_a_place():
    assert HALL.keys() == OF_ARMS.keys() == Arm.__dataclass_fields__.keys() - {"name", "active"}


def test_a_place_goes_all_ways(campaign, ada, visitor, remote, allotment, tmp_path):
    """What was said of a new place is kept, whoever says it."""
    campaign.change(budget=40)
    ada.post("/api/v1/campaigns/1/places", json={"name": "api", **HALL})
    typed = {name: HALL[name] for name in OF_ONE_PLACE}
    visitor.submit("/c/1/places/new", {"name": "form", **typed}, seen="/c/1/places/new")
    allotment(
        "places",
        campaign.store.name,
        "--campaign",
        "night",
        "--add",
        "command",
        *(text for name, each in typed.items() for text in (f"--{name}", each)),
    )
    campaign.add_arm("library", **HALL)
    campaign.add_arm("page", most=4)
    trial = visitor.submit("/c/1/places/change", {"name": "page", **typed}, seen="/c/1/places?name=page")
    kept = trial.headers["location"]
    visitor.submit(f"{kept}/keep", seen=kept)
    remote(1, "night").add_arm("client", **HALL)
    table = ";".join(["name", *OF_ONE_PLACE]) + "\n" + ";".join(["table", *typed.values()])
    visitor.submit("/new", {"name": "by table", "budget": "6", "unit": "1", "table": table}, seen="/new")
    with Campaign.open(campaign.store.name, "by table") as made:
        arms = {arm.name: arm for arm in (*campaign.settings.arms[3:], *made.settings.arms)}
    whole = arms["library"]
    assert {name: getattr(whole, name) for name in typed} == {
        name: each if name == "group" else Decimal(each) for name, each in typed.items()
    }
    assert arms.keys() == {"api", "form", "command", "library", "page", "client", "table"}
    for name, arm in arms.items():
        without = {} if name in ("api", "library", "client") else {"shape": POINT}
        assert replace(arm, name="library", **without) == whole, name
    assert {name: str(each) for name, each in whole.to_row().items() if name in typed} == typed
    row = next(each for each in remote(1, "night")._get("places")["items"] if each["name"] == "client")
    assert {name: row[name] for name in HALL} == HALL


def test_texts_name_the_columns_of_a_table_of_places(visitor, allotment):
    text = visitor.get("/new").text
    assert all(re.search(rf"\b{name}\b", text[: text.index("recognised")]) for name in OF_ONE_PLACE)


def test_a_planner_may_send_what_create_takes(ada):
    schema = ada.get("/api/v1/openapi.json").json()["components"]["schemas"]
    names = {each.name for each in SETTINGS}
    assert schema["NewCampaign"]["properties"].keys() == names | {"name", "arms"}
    assert schema["Changes"]["properties"].keys() == {each.name for each in SETTINGS if each.changeable}
    needed = {each.name for each in SETTINGS if each.default is Needed}
    assert set(schema["NewCampaign"]["required"]) == needed | {"name", "arms"}
