"""A store that is locked, planted, write-protected or of an unknown format: one sentence, nothing lost."""

import shutil
import signal
import sqlite3
from pathlib import Path

import pytest

import running
from allotment import Campaign, StoreError
from allotment.campaign.history.store import connecting
from allotment.campaign.history.store.store import Store
from allotment.campaign.safety.copies import back_up


@pytest.fixture
def path(campaign):
    campaign.ask()
    campaign.close()
    return campaign.store.url.database


def execute(path, *statements):
    file = sqlite3.connect(path)
    with file:
        for statement in statements:
            file.execute(statement)
    file.close()


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        (
            [
                "CREATE TRIGGER t AFTER INSERT ON allotment_events BEGIN DELETE FROM allotment_events "
                "WHERE number = new.number; END"
            ],
            "holds a trigger, t; a store of campaigns has plain tables only",
        ),
        (
            [
                "ALTER TABLE allotment_events RENAME TO other",
                "CREATE VIEW allotment_events AS SELECT * FROM other",
            ],
            "holds a view, allotment_events",
        ),
        (
            ["ALTER TABLE allotment_events ADD COLUMN more TEXT"],
            "holds a table allotment_events with other col",
        ),
        (["DROP TABLE allotment_snapshots"], "holds a table allotment_snapshots with other columns"),
        (["UPDATE allotment_version SET version_num = ''"], "its format is ''; it may be damaged; try"),
        (["UPDATE allotment_version SET version_num = '0000'"], "its format is '0000'"),
        (["UPDATE allotment_version SET version_num = x'00'"], "its format is b"),
        (["DELETE FROM allotment_version"], "its format is None"),
        (
            ["UPDATE allotment_events SET number = 'x' WHERE number = 2"],
            "event 'x' cannot be read; it may be dam",
        ),
        (["UPDATE allotment_events SET at = 'x' WHERE number = 2"], "event 2 cannot be read; it may be dam"),
        (["UPDATE allotment_events SET payload = x'ff' WHERE number = 2"], "event 2 cannot be read"),
        (["UPDATE allotment_events SET version = 1e300 WHERE number = 2"], "event 2 cannot be read"),
        (
            ["UPDATE allotment_campaigns SET name = x'ff'"],
            "it may be damaged; try again, and then `allotment verify",
        ),
    ],
)
def test_what_was_planted_or_damaged_is_refused(path, statements, sentence):
    execute(path, *statements)
    with pytest.raises(StoreError) as refused, Campaign.open(path) as campaign:
        campaign.tell("1", {"Dock": 1})
    assert sentence in str(refused.value)
    assert "night.db" in str(refused.value)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "CREATE TRIGGER t BEFORE INSERT ON allotment_events FOR EACH ROW "
            "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "holds a trigger, t",
        ),
        ("CREATE RULE r AS ON INSERT TO allotment_events DO INSTEAD NOTHING", "holds a rule, r"),
    ],
)
def test_what_was_planted_on_a_server_is_refused(own_postgres, statement, sentence):
    settings = {"arms": ["A", "B"], "budget": 1, "unit": 1, "most": 1}
    campaign = Campaign.create(own_postgres.get_uri(), "night", **settings)
    with campaign, campaign.store.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    with pytest.raises(StoreError, match=sentence):
        Campaign.open(own_postgres.get_uri())


def test_a_folder_that_may_not_be_written(path, monkeypatch):
    """Root may write everywhere, so that the answer to "may I" is replaced."""
    monkeypatch.setattr(connecting, "may_be_written", lambda path: False)
    with Campaign.open(path) as campaign:
        assert campaign.plan("1").state == "waiting"
        campaign.verify()
        with pytest.raises(StoreError, match="night.db: it is write-protected"):
            campaign.tell("1", {"Dock": 1})


def test_a_wal_file_where_nothing_may_be_written(path, tmp_path, monkeypatch):
    with Campaign.open(path) as campaign:
        campaign.tell("1", {"Dock": 1})
        for part in ("", "-wal"):
            shutil.copy(f"{path}{part}", f"{tmp_path / 'copy.db'}{part}")
    monkeypatch.setattr(connecting, "may_be_written", lambda path: False)
    with pytest.raises(StoreError, match=r"events are in .*copy.db-wal, .* copy both files to a folder"):
        Campaign.open(tmp_path / "copy.db")


SAYS_THAT_IT_WAITS = """
import os
from allotment.campaign.history.store import connecting
is_busy = connecting.is_busy
connecting.is_busy = lambda error: os.write(1, b"waits\\n") and is_busy(error)
"""


def test_ctrl_c_is_heard_while_another_program_writes(path):
    command = running.allotment("tell", path, "Dock=1", before=SAYS_THAT_IT_WAITS)
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    try:
        with running.started(*command) as process:
            assert process.stdout.readline() == "waits\n"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=running.PATIENCE_SECONDS)
            assert (process.returncode, said) == (130, "allotment: interrupted\n")
    finally:
        other.close()


def test_another_program_that_never_ends_is_named(path, monkeypatch):
    monkeypatch.setattr(connecting, "WAIT_SECONDS", 0.2)
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    with Campaign.open(path) as campaign, pytest.raises(StoreError, match="another program has been writing"):
        campaign.tell("1", {"Dock": 1})
    other.close()


@pytest.mark.parametrize("size", [0, 20, 300])
def test_a_file_that_is_cut_off_stays_as_it_is(path, tmp_path, size):
    content = Path(path).read_bytes()[:size]
    (tmp_path / "e.db").write_bytes(content)
    with pytest.raises(StoreError, match="e.db: it is not a store of campaigns"):
        Campaign.open(tmp_path / "e.db")
    assert (tmp_path / "e.db").read_bytes() == content


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM allotment_campaigns", "INSERT INTO allotment_campaigns(name) VALUES ('no events')"],
)
def test_a_backup_of_campaigns_without_events_is_refused(path, tmp_path, statement):
    execute(path, statement)
    with (
        Store(path) as store,
        pytest.raises(StoreError, match="night.db: its campaigns and its events do not fit"),
    ):
        back_up(store, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_of_a_damaged_store_names_that_store(path, tmp_path):
    execute(path, "UPDATE allotment_events SET at = 'x' WHERE number = 2")
    with (
        Store(path) as store,
        pytest.raises(StoreError, match="cannot use .*night.db: event 2 cannot be read"),
    ):
        back_up(store, tmp_path / "copy.db")


def test_a_history_that_makes_no_sense_is_not_exported(path, tmp_path):
    execute(path, "UPDATE allotment_events SET kind = 'unheard of' WHERE number = 2")
    with Campaign.open(path) as campaign, pytest.raises(StoreError):
        campaign.export(tmp_path / "history.jsonl")
    assert not (tmp_path / "history.jsonl").exists()
