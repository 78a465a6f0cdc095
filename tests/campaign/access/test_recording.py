"""Recorders report the places of their group, and correct what they reported; authors share a campaign."""

from dataclasses import replace

import pytest

from allotment import Campaign, FileError, NotAllowedError
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.sight import seen_by

EVE, BO = Rights("Eve", RECORDER, 1, "town"), Rights("Bo", RECORDER, 1)


@pytest.fixture
def campaign(tmp_path):
    groups = {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"]}}
    given = {"arms": ["Dock", "Gate", "Yard"], "budget": 6, "unit": 1, "most": 4, "seed": 1}
    with Campaign.create(tmp_path / "night.db", "night", groups=groups, author="Ada", **given) as made:
        made.ask()
        yield made


def test_authors_share_what_was_read_and_sign_their_own_events(campaign):
    eve, bo = campaign.signed("Eve"), campaign.signed("Bo")
    eve.tell("1", {"Gate": 1})
    bo.tell("1", {"Yard": 0})
    assert campaign.plan("1").told == {"Gate": 1, "Yard": 0}
    assert [event.by for event in campaign.history()] == ["Ada", "Ada", "Eve", "Bo"]
    campaign.verify()


def test_a_recorder_reports_the_places_of_the_group(campaign):
    eve = campaign.signed("Eve")
    eve.tell("1", {"Gate": 1}, rights=EVE)
    for losses, amounts in (({"Dock": 0}, None), ({"Yard": 0, "Dock": 0}, None), ({"Yard": 0}, {"Dock": 1})):
        with pytest.raises(NotAllowedError, match="'Dock' is not in it"):
            eve.tell("1", losses, amounts=amounts, rights=EVE)
    with pytest.raises(NotAllowedError, match="'Bridge' is not in it"):
        eve.tell("1", {"Bridge": 0}, rights=EVE)
    with pytest.raises(NotAllowedError, match="may not report"):
        eve.tell("1", {"Gate": 1}, rights=Rights("Vi", VIEWER))
    assert campaign.plan("1").told == {"Gate": 1}


def test_a_report_that_was_withdrawn_or_undone_is_nobodys(campaign):
    bo, eve = campaign.signed("Bo"), campaign.signed("Eve")
    bo.tell("1", {"Gate": 1}, rights=BO)
    for correct in (True, False):
        with pytest.raises(NotAllowedError, match="was reported by Bo"):
            eve.tell("1", {"Gate": 1}, correct=correct, rights=EVE)
    bo.tell("1", {"Gate": None}, correct=True, rights=BO)
    eve.tell("1", {"Gate": 0}, rights=EVE)
    campaign.undo("1")
    bo.tell("1", {"Gate": 1}, rights=BO)
    planner = Rights("Ada", PLANNER)
    campaign.tell("1", {"Gate": 0}, correct=True, rights=planner)
    with pytest.raises(NotAllowedError, match="was reported by Ada"):
        bo.tell("1", {"Gate": 1}, correct=True, rights=BO)


def test_all_others_quiet_reports_only_what_is_left(campaign):
    campaign.signed("Bo").tell("1", {"Gate": 1}, rights=BO)
    campaign.signed("Eve").tell("1", {"Gate": 0, "Yard": 0}, keep=True, rights=EVE)
    assert campaign.plan("1").told == {"Gate": 1, "Yard": 0}


def test_a_plan_is_seen_without_the_places_of_others(campaign):
    seen = seen_by(EVE).of(campaign.plan("1"), campaign.settings)
    assert set(seen.amounts) == {"Gate", "Yard"} and seen.beside == {}
    whole = replace(campaign.plan("1"), beside={}, days_since_loss={})
    assert seen_by(BO).of(campaign.plan("1"), campaign.settings) == whole


def test_a_redacted_export_holds_neither_the_seed_nor_hashes_and_is_not_replayed(campaign, tmp_path):
    campaign.export(tmp_path / "redacted.jsonl", redacted=True)
    text = (tmp_path / "redacted.jsonl").read_text()
    assert '"seed"' not in text and '"hash"' not in text and '"request"' not in text
    with pytest.raises(FileError, match="is redacted"):
        Campaign.replay(tmp_path / "redacted.jsonl", tmp_path / "copy.db")


def test_the_identity_of_a_campaign_says_nothing_of_its_seed(campaign, tmp_path):
    assert campaign.identity not in {event.hash for event in campaign.history()}
