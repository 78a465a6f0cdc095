"""A store and an export of 0.2.0 open, verify, answer and plan the same, bit for bit.

The first plans of the campaign are of version 1. Then come situations, a crew, limited moves, control rounds,
an import, corrections, undone reports, orders of the day, and places that were added, renamed and retired.
"""

import json
from pathlib import Path

import pytest

from allotment import Campaign
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.safety import checking
from own_copies import own_copy

BEFORE = Path(__file__).parent / "before"


@pytest.fixture(autouse=True)
def plain_decider():
    """These plans were made by the policy itself."""


@pytest.fixture
def campaign(tmp_path):
    with Campaign.open(own_copy(BEFORE / "store.db", tmp_path / "store.db")) as opened:
        yield opened


def plain(value):
    """An answer as JSON holds it."""
    return json.loads(json.dumps(value, default=str))


def same(before, now, where=""):
    """Where something that was there is another value; what was added does no harm."""
    if isinstance(before, dict):
        return [each for name in before for each in same(before[name], now.get(name), f"{where}/{name}")]
    if isinstance(before, list):
        if len(before) != len(now or ()):
            return [f"{where} has another length"]
        return [
            each
            for i, (then, here) in enumerate(zip(before, now, strict=True))
            for each in same(then, here, f"{where}/{i}")
        ]
    return [] if before == now else [f"{where}: {before!r} became {now!r}"]


def test_the_store_verifies_and_is_exported_as_it_was(campaign, tmp_path):
    campaign.verify()
    campaign.export(tmp_path / "again.jsonl")
    whole = (BEFORE / "export.jsonl").read_bytes()
    assert (tmp_path / "again.jsonl").read_bytes() == whole
    with Campaign.replay(BEFORE / "export.jsonl", tmp_path / "again.db") as again:
        again.verify()
        assert again.settings == campaign.settings and again.evidence() == campaign.evidence()
        again.export(tmp_path / "replayed.jsonl")
    assert (tmp_path / "replayed.jsonl").read_bytes() == whole


def test_the_answers_are_those_of_then(campaign):
    before = json.loads((BEFORE / "answers.json").read_text("utf-8"))
    plans = [each["id"] for each in before["plans"]]
    now = {
        "settings": campaign.settings.to_dict(),
        "evidence": campaign.evidence(),
        "plans": [campaign.plan(each).to_dict() for each in plans],
        "explanations": [campaign.explain(each).to_dict() for each in plans],
        "words": [str(each.words) for each in campaign.history_items()],
        "record": campaign.record(by="place").to_dict(),
        "place": campaign.place_history("Dock").to_dict(),
        "effect": campaign.effect().to_dict(),
    }
    assert is_weighted(campaign.settings) and any(each["control"] for each in before["plans"])
    assert same(before, plain(now)) == []


def test_the_plans_of_then_are_computed_again(campaign, monkeypatch):
    """The policy is the same for yes or no, so that the plans are, too: those whose versions say so."""
    event = next(each for each in campaign.history() if each.kind == "asked" and each.version > 1)
    monkeypatch.setattr(checking, "versions", lambda: dict(event.payload["versions"]))
    compared = []
    whole = Campaign._planned_anew

    def planned(self, state, plan):
        found = whole(self, state, plan)
        compared.append(plan.id)
        assert found["losses"] == plan.tables.losses and found["best"] == plan.best
        return found

    monkeypatch.setattr(Campaign, "_planned_anew", planned)
    campaign.verify(plans=True)
    assert len(compared) == 10
