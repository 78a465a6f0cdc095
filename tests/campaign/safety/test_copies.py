"""Copies and checks of a history: export, replay on the other database, backup, verify."""

import json
import os
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text, update

from allotment import Campaign, ConflictError, FileError, HistoryError, InputError, StoreError
from allotment.campaign.history.store.store import Store
from allotment.campaign.history.store.tables import events
from allotment.campaign.safety import copies
from allotment.campaign.safety.copies import copy_into
from campaign_histories import lively
from own_copies import FIRST_FORMAT, own_copy


def test_a_replayed_history_gives_the_same_next_plan_on_either_database(campaign, tmp_path, address):
    lively(campaign, tmp_path)
    campaign.export(tmp_path / "history.jsonl")
    with Campaign.replay(tmp_path / "history.jsonl", address) as other:
        assert list(other.history()) == list(campaign.history())
        assert other.evidence() == campaign.evidence()
        campaign.verify(plans=True)
        other.verify(plans=True)
        ours, theirs = campaign.ask(date="2026-01-04"), other.ask(date="2026-01-04")
        assert ours.to_dict() | {"at": 0, "by": 0} == theirs.to_dict() | {"at": 0, "by": 0}
        other.backup(tmp_path / "copy.db")
    with Campaign.open(tmp_path / "copy.db") as copy:
        copy.verify()
        assert copy.plan("4").amounts == ours.amounts
    with pytest.raises(ConflictError, match="already holds a campaign named 'night'"):
        Campaign.replay(tmp_path / "history.jsonl", address)


def test_a_backup_is_one_new_file(campaign, tmp_path):
    folder = tmp_path / "copies"
    folder.mkdir()
    campaign.backup(folder / "copy.db")
    assert [path.name for path in folder.iterdir()] == ["copy.db"]
    with pytest.raises(FileError, match="copy.db is there already; expected the name of a new file"):
        campaign.backup(folder / "copy.db")
    with pytest.raises(FileError, match="is a database; expected another file to export to"):
        campaign.export(tmp_path / "night.db")
    with pytest.raises(FileError, match="cannot write"):
        campaign.backup(tmp_path / "nowhere" / "copy.db")


def test_nobody_else_may_read_a_backup_of_a_private_store_at_any_time(campaign, tmp_path, monkeypatch):
    path = tmp_path / "night.db"
    path.chmod(0o600)
    seen = []

    def watched(target, source):
        found = copy_into(target, source)
        folder = Path(target.url.database).parent
        seen.extend(each.stat().st_mode & 0o777 for each in folder.iterdir())
        return found

    monkeypatch.setattr(copies, "copy_into", watched)
    (tmp_path / "copies").mkdir()
    campaign.backup(tmp_path / "copies" / "copy.db")
    assert len(seen) >= 2 and set(seen) == {0o600}
    assert (tmp_path / "copies" / "copy.db").stat().st_mode & 0o777 == 0o600


def test_an_export_replaces_nothing_unless_told_to(campaign, tmp_path):
    precious = tmp_path / "thesis.tex"
    for content in ("precious", '{"format": "other"}\n', "[" * 100_000, "\n"):
        precious.write_text(content)
        with pytest.raises(FileError, match=r"thesis.tex is there already; expected .*--overwrite"):
            campaign.export(precious)
        assert precious.read_text() == content
    campaign.export(precious, overwrite=True)
    exported = precious.read_text()
    campaign.ask()
    with pytest.raises(FileError, match=r"thesis.tex is there already; expected .*--overwrite"):
        campaign.export(precious)
    campaign.export(precious, overwrite=True)
    assert len(precious.read_text()) > len(exported)
    (tmp_path / "empty").touch()
    campaign.export(tmp_path / "empty")
    with pytest.raises(FileError, match="is a database"):
        campaign.export(tmp_path / "night.db", overwrite=True)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="it is not an ordinary file"):
        campaign.export(tmp_path / "pipe", overwrite=True)


def test_an_edited_history_is_noticed(campaign, tmp_path):
    lively(campaign, tmp_path)
    number = next(event.number for event in campaign.history() if event.kind == "told")
    with campaign.store.engine.begin() as connection:
        told = connection.execute(events.select().where(events.c.number == number)).one().payload
        assert '"Dock":1' in told
        edited = update(events).where(events.c.number == number)
        connection.execute(edited.values(payload=told.replace('"Dock":1', '"Dock":0')))
    copying = [campaign.backup, campaign.export]
    for action in (campaign.verify, *(lambda copy=copy: copy(tmp_path / "copy") for copy in copying)):
        with pytest.raises(HistoryError, match=f"event {number} does not follow event {number - 1}"):
            action()
    assert not (tmp_path / "copy").exists()


def test_a_removed_event_is_noticed(campaign, tmp_path):
    lively(campaign, tmp_path)
    campaign.evidence()
    with campaign.store.engine.begin() as connection:
        connection.execute(text("DELETE FROM allotment_events WHERE number > 5"))
    with pytest.raises(HistoryError, match="events are missing after event 5"):
        campaign.verify()
    with campaign.store.engine.begin() as connection:
        connection.execute(text("DELETE FROM allotment_events WHERE number = 3"))
    with pytest.raises(HistoryError, match="event 4 does not follow event 2"):
        campaign.verify()


def test_a_plan_that_breaks_its_bounds_is_noticed(campaign):
    campaign.ask()
    event = list(campaign.history())[-1]
    payload = {**event.payload, "units": [8, 8, 8]}
    from allotment.campaign.history.events import Draft, Event, Request

    first = next(campaign.history())
    forged = Event.after(first.hash, 2, event.at, Request("Ada", "k", "r"), Draft("asked", payload))
    with campaign.store.engine.begin() as connection:
        values = {"payload": forged.text, "hash": forged.hash, "key": "k", "request": "r"}
        connection.execute(update(events).where(events.c.number == 2).values(**values))
    with (
        Campaign.open(campaign.store.name) as other,
        pytest.raises(HistoryError, match="plan 1 .* breaks the budget"),
    ):
        other.verify()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda lines: [], "is not a history exported by allotment"),
        (lambda lines: ["{}"], "is not a history exported by allotment"),
        (
            lambda lines: [lines[0].replace("history-1", "history-9"), *lines[1:]],
            "expected allotment-history-1",
        ),
        (lambda lines: lines[:1], "ends at event 0"),
        (lambda lines: lines[:-1], "ends at event"),
        (lambda lines: [*lines[:2], *lines[3:]], "line 3: event 3 does not follow event 1"),
        (
            lambda lines: [*lines[:2], lines[2].replace('"Dock"', '"Duck"'), *lines[3:]],
            "line 3: event 2 does not follow",
        ),
        (lambda lines: [*lines[:3], "not json"], "line 4: this is not an event"),
        (lambda lines: [*lines[:3], json.dumps([1])], "line 4: .* is not an event"),
    ],
)
def test_a_damaged_export_leaves_nothing(campaign, tmp_path, damage, sentence):
    lively(campaign, tmp_path)
    campaign.export(tmp_path / "history.jsonl")
    lines = (tmp_path / "history.jsonl").read_text().splitlines()
    (tmp_path / "damaged.jsonl").write_text("\n".join(damage(lines)) + "\n")
    with pytest.raises(FileError, match=sentence):
        Campaign.replay(tmp_path / "damaged.jsonl", tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_an_export_is_read_once(campaign, tmp_path, monkeypatch):
    lively(campaign, tmp_path)
    campaign.export(tmp_path / "history.jsonl")

    def swapped(*arguments, **options):
        """The file is another one by the time that the store is opened."""
        (tmp_path / "history.jsonl").write_text("{}")
        return Store(*arguments, **options)

    monkeypatch.setattr("allotment.campaign.campaign.Store", swapped)
    with Campaign.replay(tmp_path / "history.jsonl", tmp_path / "other.db") as other:
        assert list(other.history()) == list(campaign.history())


def test_what_is_no_ordinary_export(campaign, tmp_path, monkeypatch):
    lively(campaign, tmp_path)
    campaign.export(tmp_path / "history.jsonl")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("allotment.campaign.safety.copies.LONGEST_LINE", 500)
    for name, sentence in [
        ("pipe", "cannot read .*pipe: it is not an ordinary file"),
        ("", "cannot read .*: it is not an ordinary file"),
        ("nowhere", "cannot read .*nowhere: No such file"),
        ("history.jsonl", "history.jsonl has a line of more than 500 bytes"),
    ]:
        with pytest.raises(FileError, match=sentence):
            Campaign.replay(tmp_path / name, tmp_path / "other.db")
    assert not (tmp_path / "other.db").exists()


def test_an_event_that_no_export_could_hold_is_not_written(campaign, tmp_path, monkeypatch):
    monkeypatch.setattr("allotment.campaign.history.events.LARGEST", 100)
    with pytest.raises(InputError, match="characters in one step; expected at most 100"):
        campaign.ask()
    assert len(list(campaign.history())) == 1


def test_an_export_of_the_first_format_replays(tmp_path):
    own_copy(FIRST_FORMAT, tmp_path / "first.db")
    with Campaign.open(tmp_path / "first.db") as first:
        first.export(tmp_path / "first.jsonl")
    with Campaign.replay(tmp_path / "first.jsonl", tmp_path / "other.db") as other:
        other.verify()
        assert other.ask(date="2026-02-01").id == "3"


def test_files_that_are_no_stores(tmp_path):
    (tmp_path / "text.db").write_text("this is not a database at all, however long it may be" * 100)
    with pytest.raises(StoreError, match="text.db: it is not a store of campaigns"):
        Campaign.open(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE mine (a)").connection.close()
    with pytest.raises(StoreError, match="other.db is not a store of campaigns"):
        Campaign.open(tmp_path / "other.db")
    with pytest.raises(StoreError, match="other.db is not a store of campaigns"):
        Campaign.create(tmp_path / "other.db", "a", arms=["A"], budget=1, unit=1, most=1)
    with pytest.raises(FileError, match="there is no such folder"):
        Campaign.create(tmp_path / "no" / "a.db", "a", arms=["A"], budget=1, unit=1, most=1)
