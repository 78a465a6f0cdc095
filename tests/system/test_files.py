import os

import pytest

from allotment.errors import FileError
from allotment.system.files import ensure_writable, read_bytes, replacing


def test_a_file_is_replaced_only_when_the_block_ends_well(tmp_path):
    target = tmp_path / "data"
    target.write_text("old")
    with pytest.raises(RuntimeError), replacing(target) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    with replacing(target) as draft:
        draft.write_text("new")
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("check", [ensure_writable, lambda path: replacing(path).__enter__()])
def test_a_missing_folder_is_named(tmp_path, check):
    with pytest.raises(FileError, match="cannot write .*absent/data: No such file"):
        check(tmp_path / "absent" / "data")


def test_a_link_is_followed_and_modes_are_kept(tmp_path):
    target, link = tmp_path / "data", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    with replacing(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_is_no_ordinary_file_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="cannot write .*pipe: it is not an ordinary file"):
        ensure_writable(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("name", ["x" * 300, "nul\0", "x" * 5000])
def test_impossible_names_are_refused(tmp_path, name):
    with pytest.raises(FileError, match="cannot write"):
        ensure_writable(tmp_path / name)
    with pytest.raises(FileError, match="cannot read"):
        read_bytes(tmp_path / name)


def test_a_folder_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="it is a folder"):
        ensure_writable(tmp_path)
    with pytest.raises(FileError, match="it is a folder"), replacing(tmp_path):
        pass
