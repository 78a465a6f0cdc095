"""New names: nothing invisible, nothing that looks like another name, nothing that a spreadsheet computes."""

import csv

import pytest

from allotment import Campaign, ConflictError, InputError
from allotment.campaign.access.rights import PLANNER, VIEWER, Rights
from allotment.campaign.access.tokens import Tokens
from allotment.campaign.forms import names
from allotment.tables import inert

CYRILLIC, WIDE = "D\u043eck", "\uff24ock"  # both look like Dock


@pytest.mark.parametrize("name", ["\u3164", "Dock\u3164", "\u2800", "Do\u034fck", "Dock\ufe0f", "\uffa0"])
def test_invisible_characters_are_refused(name):
    with pytest.raises(InputError, match="expected a name without characters that show nothing"):
        names.name("a place's name", name)


@pytest.mark.parametrize("name", ["x;=cmd|' /C calc'!A0", "Gate, +1", "x\uff0c y;\uff1d1", "a;  @sum"])
def test_names_that_are_computed_after_a_separator_are_refused(name):
    with pytest.raises(InputError, match="without = \\+ - @ right after a comma or a semicolon"):
        names.name("a place's name", name)


@pytest.mark.parametrize("name", ["Gate - east", "A, B", "50% off; maybe", "Ворота", "門", "Tor é"])
def test_usual_names_are_taken(name):
    assert names.name("a place's name", name) == name


@pytest.mark.parametrize("name", [CYRILLIC, WIDE])
def test_places_that_look_like_others_are_refused(campaign, name):
    first = campaign.settings.arms[0].name
    campaign.rename_arm(first, "Dock")
    for wrong in (
        lambda: campaign.add_arm(name, most=1),
        lambda: campaign.rename_arm(campaign.settings.arms[1].name, name),
    ):
        with pytest.raises(ConflictError, match="looks like 'Dock', with other letters"):
            wrong()
    campaign.rename_arm("Dock", name)  # its own name, written otherwise


def test_new_campaigns_have_no_places_that_look_alike(tmp_path):
    with pytest.raises(ConflictError, match="looks like 'Dock'"):
        Campaign.create(tmp_path / "n.db", "n", arms=["Dock", CYRILLIC], budget=1, unit=1, most=1)


def test_names_that_exist_go_on_working(campaign, monkeypatch):
    first = campaign.settings.arms[0].name
    monkeypatch.setattr(names, "name", lambda what, value: value)  # as an earlier version took it
    campaign.rename_arm(first, "x;=1+1")
    monkeypatch.undo()
    plan = campaign.ask()
    campaign.tell(plan.id, {"x;=1+1": 0})
    campaign.change(most={"x;=1+1": 1})
    campaign.verify()


def test_tokens_that_look_like_others_are_refused(campaign):
    tokens, owner = Tokens(campaign.store), Rights("root", PLANNER)
    tokens.add(Rights("Bo", VIEWER), by=owner)
    with pytest.raises(ConflictError, match="looks like 'Bo'"):
        tokens.add(Rights("B\u043e", VIEWER), by=owner)


def test_holders_of_tokens_with_such_names_go_on_reporting(campaign):
    """Their names were taken by an earlier version."""
    plan = campaign.ask().id
    for name in ("Bo\u3164", "Ann;=1"):
        signed = campaign.signed(name)
        signed.tell(plan, {campaign.settings.arms[0].name: 0}, correct=True)
        assert [*campaign.history()][-1].by == name


def test_an_apostrophe_goes_into_tables_and_is_taken_away_by_imports(campaign, tmp_path, monkeypatch):
    first = campaign.settings.arms[0].name
    monkeypatch.setattr(names, "name", lambda what, value: value)
    campaign.rename_arm(first, "x;=1+1")
    monkeypatch.undo()
    log = tmp_path / "log.csv"
    with log.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["date", "place", "amount", "incidents"])
        writer.writerow(inert(["2026-01-01", "x;=1+1", 1, 0]))
        writer.writerow(inert(["2026-01-02", "x;=1+1", 1, 1]))
    assert "'x;=1+1" in log.read_text()
    campaign.import_log(log)
    assert {row.arm for row in campaign.evidence()} == {"x;=1+1"}
