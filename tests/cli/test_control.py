"""Control rounds on the command line: an option that may stand alone, and the command effect."""

import json

import pytest

from allotment import Campaign


def control(store):
    with Campaign.open(store) as campaign:
        return campaign.settings.to_dict().get("control")


@pytest.mark.parametrize("where", ["first", "last"])
def test_control_may_stand_alone_anywhere(allotment, at_work, where):
    given = ("night.db", "--places", "zones.csv", "--budget", 6, "--unit", 0.5)
    both = ("--control", *given) if where == "first" else (*given, "--control")
    done = allotment("new", *both)
    assert done.code == 0, done.err
    assert "In 25 % of rounds, drawn by lot, the comparison plan (equal split)" in done.out
    assert (control("night.db")["share"], control("night.db")["plan"]) == ("0.25", "equal")


def test_share_and_plan_are_changed_one_by_one_and_ended(allotment, night):
    assert allotment("change", night, "--control", "--control-plan", "Dock=3, Gate=2.5").code == 0
    assert (control(night)["share"], control(night)["plan"]) == ("0.25", {"Dock": "3", "Gate": "2.5"})
    done = allotment("change", night, "--control", "0.1")
    assert "0.1 of rounds (given amounts: Dock 3, Gate 2.5)" in done.out
    assert allotment("change", night, "--control", "--control-plan", "hot-spots").code == 0
    assert (control(night)["share"], control(night)["plan"]) == ("0.25", "hot-spots")
    done = allotment("change", night, "--control", "None")
    assert "→ none" in done.out
    assert control(night) is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--control", "1.5"], "the share of control rounds is '1.5'; expected 0.01 to 0.9"),
        (["--control", "-0.5"], "the share of control rounds"),
        (["--control", "25%"], "0.01 to 0.9, such as 0.25"),
        (["--control-plan", "equal"], "--control with a share"),
        (["--control", "none", "--control-plan", "equal"], "--control with a share"),
        (["--control", "--control-plan", "even"], "even"),
        (["--control", "--control-plan", "Shed=1"], "Shed"),
        (["--control", "--control-plan", "Dock=x"], "Dock"),
    ],
)
def test_wrong_control_rounds_are_one_sentence(allotment, night, options, sentence):
    done = allotment("change", night, *options)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert sentence in done.err
    assert control(night) is None


def test_the_effect_from_start_to_end(allotment, night):
    done = allotment("effect", night)
    assert done.code == 2
    assert "allotment change STORE --control" in done.err
    done = allotment("effect", night, "--plan", "--share", "0.2", "--prevented", "0.4")
    assert done.code == 0, done.err
    assert "20 %" in done.out
    assert "40 %" in done.out
    assert allotment("change", night, "--control", "0.5").code == 0
    for day in range(1, 29):
        date = f"2026-02-{day:02}"
        assert allotment("ask", night, "--date", date).code == 0
        assert allotment("tell", night, "--date", date, f"Dock={day % 2}", "--others", "quiet").code == 0
    done = allotment("effect", night)
    assert done.code == 0, done.err
    assert "28 rounds since 2026-02-01" in done.out
    found = json.loads(allotment("effect", night, "--json").out)
    assert found["rounds"] == len(found["course"]) == 28
    drawn = [each["date"] for each in found["course"] if each["control"]]
    with Campaign.open(night) as campaign:
        assert str(campaign.settings.control.seed) not in allotment("history", night, "--json").out
    history = allotment("history", night, "--kind", "asked").out
    assert history.count("a control round") == len(drawn) == found["control_rounds"]
    assert "control round" in allotment("show", night, "--date", drawn[0]).out
    assert "control round" in allotment("explain", night, "--date", drawn[0]).out
    assert allotment("effect", night, "--csv").out.count("\n") == 29
    assert allotment("verify", night, "--plans").code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--share", "0.2"], "--share is given without --plan"),
        (["--plan", "--share", "x"], "--share"),
        (["--plan", "--prevented", "1.5"], "prevented is 1.5"),
        (["--plan", "--plot", "a.png"], "--plot is given with --plan"),
    ],
)
def test_wrong_options_of_effect(allotment, night, options, sentence):
    done = allotment("effect", night, *options)
    assert done.code == 2
    assert sentence in done.err
