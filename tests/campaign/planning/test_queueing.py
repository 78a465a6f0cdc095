"""Asks of one campaign wait for each other, and nothing that lies in the place of their lock stops one."""

import fcntl
import os
import stat
import threading

import pytest

from allotment.campaign.planning import queueing
from allotment.campaign.planning.queueing import _lock_file, in_turn


@pytest.fixture(autouse=True)
def runtime(tmp_path, monkeypatch):
    """A folder for what is running, of this user's alone."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def is_locked(path):
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_the_lock_lies_in_a_folder_of_this_users_and_nothing_is_left(runtime):
    with in_turn("night.db", 1):
        [lock] = (runtime / "allotment").iterdir()
        assert is_locked(lock)
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        assert stat.S_IMODE(lock.parent.stat().st_mode) == 0o700
    assert not list((runtime / "allotment").iterdir())


def test_without_a_folder_for_what_is_running_the_lock_lies_in_the_temporary_one(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setattr(queueing.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "run").chmod(0o777)  # in which others could replace the folder
    with in_turn("night.db", 1):
        assert [path.name for path in (tmp_path / f"allotment-{os.geteuid()}").iterdir()]


def test_equal_names_in_two_folders_have_two_locks_and_one_store_has_one(tmp_path, monkeypatch):
    found = []
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.append(_lock_file("night.db", 1))
    assert found[0] != found[1] == _lock_file(str(tmp_path / "right" / "night.db"), 1)
    (tmp_path / "link.db").symlink_to(tmp_path / "right" / "night.db")
    assert _lock_file(str(tmp_path / "link.db"), 1) == found[1]
    server = _lock_file("postgresql://ann@host/plans", 1)
    monkeypatch.chdir(tmp_path)
    assert _lock_file("postgresql://ann@host/plans", 1) == server


def test_asks_wait_for_each_other():
    order = []

    def second():
        with in_turn("night.db", 1):
            order.append("second")

    with in_turn("night.db", 1):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(0.1)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_many_asks_come_one_at_a_time():
    inside, most = [], []

    def ask():
        for _ in range(20):
            with in_turn("night.db", 1):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 80
    assert max(most) == 1


@pytest.mark.parametrize("planted", ["pipe", "link", "folder"])
def test_what_lies_in_the_place_of_the_lock_neither_stops_an_ask_nor_is_used(tmp_path, planted):
    path = _lock_file("night.db", 1)
    if planted == "pipe":
        os.mkfifo(path)
    elif planted == "link":
        path.symlink_to(tmp_path / "created")
    else:
        path.mkdir()
    with in_turn("night.db", 1):
        pass
    assert not (tmp_path / "created").exists()
    assert os.path.lexists(path)


def test_where_no_folder_is_this_users_alone_an_ask_goes_on(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(queueing.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / f"allotment-{os.geteuid()}").symlink_to(tmp_path / "run")
    with in_turn("night.db", 1):
        pass
    assert not list((tmp_path / "run").iterdir())


def test_a_lock_that_others_keep_is_done_without(monkeypatch):
    monkeypatch.setattr(queueing, "WAIT_SECONDS", 0.05)
    with in_turn("night.db", 1), in_turn("night.db", 1):
        pass
