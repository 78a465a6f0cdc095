"""Bringing back a backup: after a kill, over a damaged file, beside a stale log, on a server."""

import fcntl
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from allotment import (
    Campaign,
    ConflictError,
    FileError,
    HistoryError,
    NotFoundError,
    StoreError,
    StoreWarning,
)
from allotment.campaign.history.store.store import Store
from allotment.campaign.safety import copies, restoring
from allotment.campaign.safety.copies import copy_into
from allotment.campaign.safety.restoring import restore
from allotment.system import files
from allotment.web.requests.open_campaigns import OpenCampaigns
from campaign_histories import lively
from running import PATIENCE_SECONDS


@pytest.fixture
def copy(campaign, tmp_path):
    lively(campaign, tmp_path)
    campaign.backup(tmp_path / "copy.db")
    return tmp_path / "copy.db"


def killed(campaign, path):
    """A store as a killed program leaves it: the last reports are in the log beside it."""
    campaign.ask(date="2026-01-09")
    for part in ("", "-wal", "-shm"):
        shutil.copy(f"{campaign.store.url.database}{part}", f"{path}{part}")
    return path


def history(path):
    with Campaign.open(path) as found:
        found.verify()
        return list(found.history())


def test_restored_beside_the_log_of_a_killed_program(campaign, copy, tmp_path):
    store = killed(campaign, tmp_path / "n.db")
    store.chmod(0o640)
    before = [Path(f"{store}{part}").read_bytes() for part in ("", "-wal")]
    done = restore(copy, store)
    assert [Path(f"{done.moved_to}{part}").read_bytes() for part in ("", "-wal")] == before
    assert store.stat().st_mode & 0o777 == 0o640
    assert (done.campaigns, done.events) == (("night",), len(history(copy)))
    assert history(store) == history(copy)
    assert history(done.moved_to) == list(campaign.history())  # nothing of it is lost
    with Campaign.open(store) as found:
        found.ask()


def test_restored_after_the_backup_was_copied_by_hand(campaign, copy, tmp_path):
    store = killed(campaign, tmp_path / "n.db")
    shutil.copy(copy, store)
    (tmp_path / "n.db-shm").unlink()
    restore(copy, store)
    assert history(store) == history(copy)


@pytest.mark.parametrize("content", [b"no database", b"", None])
def test_restored_over_what_is_no_store(copy, tmp_path, content):
    store = tmp_path / "n.db"
    (tmp_path / "n.db-wal").write_bytes(b"stale")
    if content is not None:
        store.write_bytes(content)
    done = restore(copy, store)
    assert history(store) == history(copy)
    if content is not None:
        assert done.moved_to.read_bytes() == content


def test_a_store_in_use_is_left_alone(campaign, copy, tmp_path):
    with pytest.raises(ConflictError, match="night.db is in use by another program"):
        restore(copy, tmp_path / "night.db")
    with pytest.raises(ConflictError, match="copy.db is the backup itself"):
        restore(copy, copy)
    campaign.verify()


def test_a_damaged_backup_changes_nothing(campaign, copy, tmp_path):
    campaign.close()
    before = history(tmp_path / "night.db")
    with sqlite3.connect(copy) as file:
        file.execute("UPDATE allotment_events SET by = 'Mallory' WHERE number = 4")
    file.close()
    with pytest.raises(HistoryError, match="event 4 does not follow event 3"):
        restore(copy, tmp_path / "night.db")
    (tmp_path / "text.db").write_text("no database")
    with pytest.raises(StoreError, match="it is not a store of campaigns"):
        restore(tmp_path / "text.db", tmp_path / "night.db")
    with pytest.raises(FileError, match="cannot write"):
        restore(tmp_path / "night.db", tmp_path / "nowhere" / "n.db")
    assert history(tmp_path / "night.db") == before
    assert not list(tmp_path.glob("*replaced*")) + list(tmp_path.glob(".*"))


def test_a_damaged_backup_is_let_go(copy, tmp_path):
    file = sqlite3.connect(copy)
    file.execute("UPDATE allotment_events SET by = 'Mallory' WHERE number = 4")
    file.commit()
    file.close()
    with Store(copy) as source, Store(tmp_path / "n.db", create=True) as target:
        with pytest.raises(HistoryError) as caught:
            copy_into(target, source)
        assert source.engine.pool.checkedout() == 0, caught  # which holds all that the error has kept


def test_a_disk_that_is_full_at_the_last_moment_changes_nothing(campaign, copy, tmp_path, monkeypatch):
    """SQLite keeps quiet if what it wrote does not get from the log into the file."""
    campaign.close()
    before = (tmp_path / "night.db").read_bytes()

    def fail(path):
        raise StoreError(f"cannot write {path}: the disk may be full")

    monkeypatch.setattr(copies, "_settle", fail)
    with pytest.raises(StoreError, match=r"cannot write .*/night.db: the disk may be full"):
        restore(copy, tmp_path / "night.db")
    with Store(copy) as store, pytest.raises(StoreError, match=r"cannot write .*/other.db: the disk"):
        copies.back_up(store, tmp_path / "other.db")
    assert (tmp_path / "night.db").read_bytes() == before
    assert not [each for each in tmp_path.iterdir() if each.name.startswith((".", "other", "night.db."))]


def test_restored_into_a_server(copy, own_postgres):
    done = restore(copy, own_postgres.get_uri())
    assert done.moved_to is None
    assert history(own_postgres.get_uri()) == history(copy)
    with pytest.raises(ConflictError, match="already holds a campaign named 'night'"):
        restore(copy, own_postgres.get_uri())


class KilledError(BaseException):
    """What stands for a kill: no code of the restore goes on after it."""


def stopped(monkeypatch, copy, store, renames):
    """A restore that is killed after some of its renames, as a kill leaves it: nothing is cleaned up."""
    done, real = [], Path.rename

    def rename(path, target):
        if len(done) == renames:
            raise KilledError
        done.append(target)
        return real(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        patch.setattr(restoring, "_tidy", lambda *_: None)
        with pytest.raises(KilledError):
            restore(copy, store)
    return done


@pytest.mark.parametrize("renames", [1, 2, 3])
@pytest.mark.parametrize("create", [False, True])
def test_a_restore_that_is_killed_is_finished_by_whoever_opens_the_store(
    renames, create, campaign, copy, tmp_path, monkeypatch
):
    store = killed(campaign, tmp_path / "n.db")
    moved = stopped(monkeypatch, copy, store, renames)
    assert not store.exists()
    with pytest.warns(StoreWarning, match=r"n.db: a restore was stopped, and is finished now. .*Z is the"):
        Store(store, create=create).close()
    assert history(store) == history(copy)
    assert history(moved[0]) == list(campaign.history())  # with its log, wherever the restore was stopped
    assert {each.name for each in tmp_path.glob("n.db*")} == {"n.db", moved[0].name}


def test_what_an_earlier_version_left_of_a_killed_restore_is_named(campaign, copy, tmp_path):
    store = killed(campaign, tmp_path / "n.db")
    before = restore(copy, store).moved_to
    store.unlink()  # that version gave the new file no name that one can find
    with pytest.raises(NotFoundError, match=r"a restore was stopped. .*Z is the store as it was"):
        Campaign.open(store)
    assert history(before) == list(campaign.history())
    restore(copy, store)
    assert history(store) == history(copy)


def test_a_server_finishes_a_restore(campaign, copy, tmp_path, monkeypatch):
    store = killed(campaign, tmp_path / "n.db")
    stopped(monkeypatch, copy, store, 1)
    with pytest.warns(StoreWarning, match="a restore was stopped, and is finished now"):
        opened = OpenCampaigns(str(store))
    assert opened.names() == {1: "night"}
    opened.close()


def test_a_restore_that_is_killed_before_its_renames_has_done_nothing(campaign, copy, tmp_path, monkeypatch):
    store = killed(campaign, tmp_path / "n.db")
    stopped(monkeypatch, copy, store, 0)
    assert history(store) == list(campaign.history())
    store.unlink()  # by hand: what was not restored then does not come back now
    with pytest.raises(NotFoundError, match=r"no file .*n.db"):
        Campaign.open(store)


@pytest.mark.parametrize("create", [False, True])
def test_a_new_file_that_is_not_whole_is_named(create, campaign, copy, tmp_path, monkeypatch):
    store = killed(campaign, tmp_path / "n.db")
    stopped(monkeypatch, copy, store, 1)
    (new,) = tmp_path.glob("n.db.restored-*")
    file = sqlite3.connect(new)
    file.execute("UPDATE allotment_events SET by = 'Mallory' WHERE number = 4")
    file.commit()
    file.close()
    before = {each: each.read_bytes() for each in tmp_path.glob("n.db*") if each != new}
    said = r"no file .*n.db: a restore was stopped. .*Z is the store as it was before, and .*Z the new"
    with pytest.raises(NotFoundError, match=said):
        Store(store, create=create)
    assert {each: each.read_bytes() for each in tmp_path.glob("n.db*") if each != new} == before
    restore(copy, store)
    assert history(store) == history(copy) and not list(tmp_path.glob("n.db.restored-*"))
    (old,) = (each for each in tmp_path.glob("n.db.replaced-*Z"))
    assert history(old) == list(campaign.history())  # its log went where it belongs


def test_a_restore_that_goes_on_is_left_alone(campaign, copy, tmp_path, monkeypatch):
    """Whoever opens the store between the renames of a living restore waits for it; two finish it once."""
    store = killed(campaign, tmp_path / "n.db")
    stopped(monkeypatch, copy, store, 1)
    (new,) = tmp_path.glob("n.db.restored-*")
    with new.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ConflictError, match="n.db is being restored"):
            Campaign.open(store)
    program = f"from allotment import Campaign; Campaign.open({str(store)!r}).verify()"
    running = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", program]) for _ in range(3)]
    codes = [each.wait(PATIENCE_SECONDS) for each in running]
    assert codes.count(0) >= 1 and history(store) == history(copy)


def test_folders_are_on_disk_when_a_command_returns(campaign, copy, tmp_path, monkeypatch):
    """A power cut after it takes no new name back: the folder is synced after each rename."""
    done = []
    monkeypatch.setattr("allotment.system.files.sync_folder", lambda folder: done.append(folder))
    campaign.backup(tmp_path / "other.db")
    campaign.export(tmp_path / "history.jsonl")
    assert done == [tmp_path.resolve()] * 2
    monkeypatch.undo()
    files.sync_folder(tmp_path)
