"""Every setting goes all ways: create, change, history, export, snapshot, API, client, command and form."""

import re
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
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import SETTINGS, Needed
from allotment.cli.app import app
from allotment.cli.campaigns.setting_options import changes_from, first_values
from allotment.client.line import Line
from allotment.client.remote_campaign import RemoteCampaign
from allotment.web.pages.campaigns.view import ASKED
from allotment.web.pages.settings.forms import OF_CAMPAIGN, TABLES

PLAIN = {"arms": ["Dock", "Gate", "Yard"], "budget": 6, "unit": 1, "most": 4, "seed": 1, "timezone": "UTC"}
SITUATED = {"situations": ["early", "late"]}
POINT = {"type": "Point", "coordinates": [16.4, 48.2]}
SHAPES = {"type": "FeatureCollection", "features": []}
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
    "shapes": (SHAPES,),
    "situations": ("early,late",),
    "calendar": ("week.toml",),
    "moves": ("2",),
    "control": ("0.2", None),
    "half_life": ("30",),
    "timezone": ("Europe/Vienna",),
    "day_starts": ("06:00",),
    "sees": ("finds",),
    "losses": ("counts",),
    "policy": ("any-response:draws=1",),
    "seed": (5,),
}


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
    first = about.options if about.first_options is None else about.first_options
    expected = {
        "new": first,
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


@pytest.mark.parametrize("about", SETTINGS, ids=lambda each: each.name)
def test_what_options_say_arrives(about, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("week.toml").write_text('default = "early"\n')
    _, _, needed = SAMPLES[about.name]
    town = {"groups": {"town": {"arms": ["Dock"]}}} if about.name == "groups" else {}
    first = about.options if about.first_options is None else about.first_options
    none = {
        each.parameter: None
        for every in SETTINGS
        for each in (every.options if every.first_options is None else every.first_options)
    }
    if first:
        texts = {each.parameter: text for each, text in zip(first, TEXTS[about.name], strict=True)}
        table = dict.fromkeys(("most", "least", "crew"))
        values = first_values(none | texts, {"groups": {"town": ["Dock"]}, **table})
        if about.name not in ("most", "least", "crew"):  # `places_in` puts these into the table
            assert values[about.name] not in (None, [], {})
    if about.changeable and about.options:
        with Campaign.create(tmp_path / "it.db", "it", **{**PLAIN, **needed, **town}) as it:
            before = it.settings
            given = TEXTS[about.name]
            if about.options[0].many and isinstance(given[0], str):  # a new campaign has one text for it
                given = ([given[0]],)
            names = [each.parameter for each in about.options]
            texts = dict(zip(names, given, strict=True))
            changes = changes_from(it, texts)
            assert changes.keys() == {about.name}
            it.change(**changes)
            assert now(about, it.settings) != now(about, before)


def test_a_planner_may_send_what_create_takes(ada):
    schema = ada.get("/api/v1/openapi.json").json()["components"]["schemas"]
    names = {each.name for each in SETTINGS}
    assert schema["NewCampaign"]["properties"].keys() == names | {"name", "arms"}
    assert schema["Changes"]["properties"].keys() == {each.name for each in SETTINGS if each.changeable}
    needed = {each.name for each in SETTINGS if each.default is Needed}
    assert set(schema["NewCampaign"]["required"]) == needed | {"name", "arms"}
