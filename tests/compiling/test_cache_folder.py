"""The folder of the cache: named after the compiler, this user's alone, done without if need be."""

import json
import os
import stat
import time
import warnings
from pathlib import Path

import pytest

from allotment.compiling import cache_folder
from allotment.compiling.cache_folder import TAG, TAG_CONTENT, delete_unused_files, home, mark_used
from allotment.compiling.code_digest import OF_ALL, OF_COMPILER
from allotment.errors import CacheWarning

DIGESTS = {OF_COMPILER: "0123456789abcdef", OF_ALL: "0" * 16}


@pytest.fixture
def base(tmp_path, monkeypatch):
    """The folder of an empty cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache_folder, "digests_of_code", lambda sources: DIGESTS)  # takes seconds
    forget()
    yield tmp_path / "allotment"
    forget()


def forget():
    home.cache_clear()
    cache_folder._digests.cache_clear()
    delete_unused_files.cache_clear()
    cache_folder.warn_of_no_cache.cache_clear()


def home_anew():
    """What a new process finds."""
    home.cache_clear()
    cache_folder._digests.cache_clear()
    return home()


def grow_old(path):
    long_ago = path.lstat().st_mtime - cache_folder.UNUSED_SECONDS - 60
    os.utime(path, (long_ago, long_ago), follow_symlinks=False)


def test_the_folder_is_this_users_alone_and_says_that_it_is_a_cache(base):
    found = home()
    assert found.parent == base
    for folder in (base, found, base / "code-digests"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (found / TAG).read_bytes() == TAG_CONTENT
    assert home_anew() == found


def test_only_old_folders_that_allotment_itself_marked_are_deleted(base):
    own = home()
    for name in ("src", "docs", ".git", "0" * 16, "1" * 16, "2" * 16, "3" * 15, "4" * 16, "A" * 16):
        (base / name).mkdir()
        (base / name / "work").write_text("of weeks")
    (base / ("2" * 16) / TAG).write_bytes(TAG_CONTENT.splitlines()[0])  # some other program's
    for name in ("0" * 16, "1" * 16, "3" * 15, "A" * 16, "src"):
        (base / name / TAG).write_bytes(TAG_CONTENT)
    (base / ("5" * 16)).write_text("a file")
    (base / ("6" * 16)).symlink_to("src")
    before = {path.name for path in base.iterdir()}
    for path in base.iterdir():
        grow_old(path)
    os.utime(base / ("1" * 16), (time.time(),) * 2)  # which was used lately
    assert home_anew() == own
    assert before - {path.name for path in base.iterdir()} == {"0" * 16}
    assert (base / "src" / "work").exists()


def test_a_clock_that_is_years_ahead_does_not_delete_the_folder_in_use(base, monkeypatch):
    own = home()
    years_ahead = time.time() + 100 * cache_folder.UNUSED_SECONDS
    monkeypatch.setattr(time, "time", lambda: years_ahead)
    assert home_anew() == own
    assert (own / TAG).exists()


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"0123456789abcdef",
        b"{",
        b"[]",
        b"{}",
        json.dumps({OF_COMPILER: "0123456789abcdef"}).encode(),
        json.dumps(DIGESTS | {OF_COMPILER: "../../elsewhere/"}).encode(),
        json.dumps(DIGESTS | {OF_ALL: 1}).encode(),
        b"\xff" * 16,
    ],
)
def test_only_digests_of_the_right_form_are_taken_for_them(base, damaged):
    found = home()
    [key] = (base / "code-digests").iterdir()
    key.write_bytes(damaged)
    assert home_anew() == found
    assert json.loads(key.read_bytes()) == DIGESTS


def test_files_that_nobody_used_for_long_are_deleted_when_a_new_one_is_written(base):
    folder = home() / "kernels.protocol"
    folder.mkdir()
    files = [folder / name for name in ("old.nbc", "used.nbc", "new.nbc", "notes.txt")]
    for path in files:
        path.write_bytes(b"")
        grow_old(path)
    mark_used(files[1])
    files[2].write_bytes(b"written")
    delete_unused_files(home(), files[2])
    assert sorted(path.name for path in folder.iterdir()) == ["new.nbc", "notes.txt", "used.nbc"]


def test_a_disk_that_is_full_leaves_no_half_digest(base, monkeypatch):
    def full(path, content):
        with path.open("wb"):
            raise OSError("No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert home().parent == base
    assert not list((base / "code-digests").iterdir())
    assert not list(home().iterdir())


def blocked_by_a_file(base):
    base.write_text("not a folder")


def writable_by_all(base):
    base.mkdir()
    base.chmod(0o777)


def kept_where_others_can_write(base):
    home_anew().chmod(0o777)


def without_a_home(base):
    os.environ["NUMBA_CACHE_DIR"] = os.environ["XDG_CACHE_HOME"] = ""


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (blocked_by_a_file, "Not a directory"),
        (writable_by_all, "other users can write to .*allotment; `chmod go-w"),
        (kept_where_others_can_write, "other users have access to .*allotment/[0-9a-f]{16}; `chmod 700"),
        (without_a_home, "this user has no home folder"),
    ],
)
def test_a_folder_that_cannot_be_trusted_or_made_is_done_without_and_that_is_said_once(
    base, monkeypatch, make, reason
):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    make(base)
    with pytest.warns(CacheWarning, match=f"compiled code is not kept.*{reason}.*set NUMBA_CACHE_DIR"):
        assert home_anew() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert home() is None
        assert home_anew() is None


def test_without_sources_to_look_at_nothing_is_kept(base, monkeypatch):
    monkeypatch.setattr(cache_folder, "read_sources", dict)  # in a zip file, for example
    with pytest.warns(CacheWarning, match="the sources of allotment are not there"):
        assert home() is None


def test_a_module_that_cannot_be_parsed_stops_no_process_that_does_without_it(base, monkeypatch):
    monkeypatch.setattr(
        cache_folder, "digests_of_code", lambda sources: compile("def f(:", "half.py", "exec")
    )
    with pytest.warns(CacheWarning, match="half.py, line 1"):
        assert home() is None
