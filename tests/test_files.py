import pytest

from allotment.errors import FileError
from allotment.files import ensure_writable, replacing


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


def test_a_folder_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="it is a folder"):
        ensure_writable(tmp_path)
    with pytest.raises(FileError, match="it is a folder"), replacing(tmp_path):
        pass
