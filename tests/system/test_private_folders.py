"""Folders that only this user can change are made with mode 0700; others are refused."""

import os
from pathlib import Path

import pytest

from allotment.errors import FileError
from allotment.system import files
from allotment.system.files import private_folder

STRANGER = 12345

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are those of Unix")


def belonging_to_stranger(path, monkeypatch):
    """Let a folder seem to belong to somebody else, which only an administrator could arrange in truth."""
    whole, link = Path.stat, Path.lstat

    def stated(original):
        def status(self, **options):
            found = original(self, **options)
            return os.stat_result((*found[:4], STRANGER, *found[5:])) if self == path else found

        return status

    monkeypatch.setattr(Path, "stat", stated(whole))
    monkeypatch.setattr(Path, "lstat", stated(link))


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_folder_and_its_missing_parents_are_made_for_this_user_alone(tmp_path, umask):
    before = os.umask(umask)
    try:
        found = private_folder(tmp_path / "cache" / "kept")
    finally:
        os.umask(before)
    assert found == tmp_path / "cache" / "kept"
    assert found.stat().st_mode & 0o777 == found.parent.stat().st_mode & 0o777 == 0o700
    assert private_folder(found) == found


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o702])
def test_a_folder_that_others_can_enter_is_refused(tmp_path, mode):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept").chmod(mode)
    with pytest.raises(FileError, match=r"other users have access to .*kept; `chmod 700 .*kept`"):
        private_folder(tmp_path / "kept")


def test_a_parent_that_others_can_write_to_is_refused_before_anything_is_made(tmp_path):
    tmp_path.chmod(0o777)
    with pytest.raises(FileError, match=r"other users can write to .*; `chmod go-w "):
        private_folder(tmp_path / "kept")
    assert not list(tmp_path.iterdir())
    tmp_path.chmod(0o1777)  # as that for temporary files, in which nobody can rename what belongs to others
    assert private_folder(tmp_path / "kept").is_dir()


@pytest.mark.parametrize("private", [True, False])
def test_a_group_may_write_to_a_parent_if_this_user_is_alone_in_it(tmp_path, monkeypatch, private):
    monkeypatch.setattr(files, "_is_own_group", lambda number: private)
    tmp_path.chmod(0o775)
    if private:
        assert private_folder(tmp_path / "kept").is_dir()
    else:
        with pytest.raises(FileError, match="other users can write to"):
            private_folder(tmp_path / "kept")


def test_what_belongs_to_another_user_is_refused(tmp_path, monkeypatch):
    kept = private_folder(tmp_path / "home" / "kept")
    belonging_to_stranger(kept, monkeypatch)
    with pytest.raises(FileError, match=rf"kept belongs to another user \(number {STRANGER}\)"):
        private_folder(kept)
    belonging_to_stranger(kept.parent, monkeypatch)
    with pytest.raises(FileError, match="home belongs to another user"):
        private_folder(kept.parent / "other")
    assert not (kept.parent / "other").exists()


def test_links_are_followed_above_the_folder_and_refused_in_its_place(tmp_path):
    private_folder(tmp_path / "disk")
    (tmp_path / "link").symlink_to("disk")
    assert private_folder(tmp_path / "link" / "kept") == tmp_path / "disk" / "kept"
    for target in ("disk", "absent"):
        (tmp_path / "planted").unlink(missing_ok=True)
        (tmp_path / "planted").symlink_to(target)
        with pytest.raises(FileError, match="planted is not a folder"):
            private_folder(tmp_path / "planted")
    assert not (tmp_path / "absent").exists()


def test_what_is_in_the_way_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot make the folder .*kept: Not a directory"):
        private_folder(tmp_path / "file" / "kept")
