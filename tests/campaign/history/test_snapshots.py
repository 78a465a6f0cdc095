"""Snapshots make a start fast, and nothing else: damaged, forged or planted ones change no answer."""

import hashlib
import json

import pytest
from sqlalchemy import update

from allotment import Campaign, HistoryError
from allotment.campaign.history.snapshots import DIGEST_BYTES, FORMAT, packed, unpacked
from allotment.campaign.history.store.tables import events, snapshots
from campaign_histories import lively

START = len(FORMAT) + DIGEST_BYTES


def sealed(body):
    """A snapshot's content whose digest is right."""
    return FORMAT + hashlib.sha256(body).digest() + body


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


@pytest.fixture
def kept(campaign, tmp_path, monkeypatch):
    """A campaign with a snapshot that is in use."""
    monkeypatch.setattr("allotment.campaign.history.snapshots.SMALL", 1)
    lively(campaign, tmp_path)
    campaign.verify()
    with Campaign.open(tmp_path / "night.db") as other:
        assert other.evidence() == campaign.evidence()
        assert other.store.follows(1, other.store.snapshot(1))
    return campaign


def plant(campaign, **values):
    with campaign.store.engine.begin() as connection:
        connection.execute(update(snapshots).values(**values))


def test_a_forged_snapshot_is_noticed_and_dropped(kept):
    forged = kept.store.snapshot(1).content[START:].replace(b'"2.5"', b'"9.5"')
    plant(kept, content=sealed(forged))
    with pytest.raises(
        HistoryError, match="snapshot at event .* disagrees with the history, and was dropped"
    ):
        kept.verify()
    kept.verify()


@pytest.mark.parametrize(
    ("damage", "reported"),
    [
        (lambda now: {"content": flipped(now.content, 0)}, None),  # looks like one of another version
        (lambda now: {"content": b""}, None),
        (lambda now: {"content": flipped(now.content, len(FORMAT))}, "cannot be read, and was dropped"),
        (lambda now: {"content": flipped(now.content, START)}, "cannot be read, and was dropped"),
        (lambda now: {"content": flipped(now.content, len(now.content) - 1)}, "cannot be read"),
        (lambda now: {"content": now.content[:-1]}, "cannot be read"),
        (lambda now: {"content": sealed(b"[" * 100_000)}, "cannot be read"),
        (lambda now: {"content": sealed(now.content[START:-8])}, "cannot be read"),
        (lambda now: {"number": now.number - 1}, "disagrees"),
        (lambda now: {"hash": "x"}, "disagrees"),
        (lambda now: {"number": 10**9}, "events are missing after event 20; a snapshot knows 1000000000"),
    ],
)
def test_a_damaged_snapshot_is_no_snapshot(kept, tmp_path, damage, reported):
    before = kept.evidence()
    plant(kept, **damage(kept.store.snapshot(1)))
    with Campaign.open(tmp_path / "night.db") as other:
        assert other.evidence() == before
        if reported is None:
            other.verify()
            return
        with pytest.raises(HistoryError, match=reported):
            other.verify()
        if "dropped" in reported:
            other.verify()


@pytest.mark.parametrize(
    "column",
    [
        ["plan arms", "<i4", -1],
        ["plan arms", "|O", 1],
        ["plan arms", "<i8", 2**50],
        ["plan arms", "<i4", "5"],
    ],
)
def test_a_planted_snapshot_takes_no_memory(campaign, column):
    campaign.ask()
    snapshot = packed(campaign._current())
    assert unpacked(snapshot) is not None
    head = json.loads(snapshot.content[START:].split(b"\n")[0])
    head["columns"][0] = column
    assert unpacked(snapshot._replace(content=sealed(json.dumps(head).encode() + b"\n"))) is None


def test_numbers_that_point_nowhere_are_not_used(campaign):
    campaign.ask()
    state = campaign._current()
    for damage in ("arms", "planned", "losses", "amounts", "told"):
        column = getattr(state.plans[0], damage)
        before, column[0] = column[0], 10**16
        assert unpacked(packed(state)) is None
        column[0] = before
    assert unpacked(packed(state)) is not None


def test_an_edited_event_that_a_snapshot_rests_on_is_noticed_at_once(kept, tmp_path):
    number = kept.store.snapshot(1).number
    with kept.store.engine.begin() as connection:
        connection.execute(update(events).where(events.c.number == number).values(by="Mallory"))
    with Campaign.open(tmp_path / "night.db") as other:
        for action in (other.status, other.ask, lambda: other.tell("1", {"Dock": 1})):
            with pytest.raises(HistoryError, match=f"event {number} does not follow event {number - 1}"):
                action()
