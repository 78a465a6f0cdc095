"""The folder of the cache: named after the code, this user's alone, done without if need be."""

import ast
import importlib
import os
import pkgutil
import stat
import time
import warnings
from pathlib import Path

import pytest

from allotment import cache_folder, calling
from allotment.cache_folder import FROZEN, PACKAGE, TAG, TAG_CONTENT, code_of, compiled_modules, home
from allotment.errors import CacheWarning


@pytest.fixture
def base(tmp_path, monkeypatch):
    """The folder of an empty cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache_folder, "code_of", lambda source: source)  # parsing takes a while
    forget()
    yield tmp_path / "allotment"
    forget()


def forget():
    home.cache_clear()
    cache_folder.say_not_kept.cache_clear()


def home_anew():
    """What a new process finds."""
    home.cache_clear()
    return home()


def grow_old(path):
    long_ago = time.time() - cache_folder.UNUSED_SECONDS - 60
    os.utime(path, (long_ago, long_ago), follow_symlinks=False)


def test_the_folder_is_this_users_alone_and_says_that_it_is_a_cache(base):
    found = home()
    assert found.parent == base
    for folder in (base, found, base / "keys"):
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
        if path.name != "1" * 16:  # which was used lately
            grow_old(path)
    assert home_anew() == own
    assert before - {path.name for path in base.iterdir()} == {"0" * 16}
    assert (base / "src" / "work").exists()


@pytest.mark.parametrize(
    "damaged", [b"", b"0123456789abcde", b"../../elsewhere/", b"0123456789ABCDEF", b"\xff" * 16]
)
def test_only_a_digest_of_the_right_form_is_taken_for_one(base, damaged):
    found = home()
    [key] = (base / "keys").iterdir()
    key.write_bytes(damaged)
    assert home_anew() == found
    assert key.read_text() == found.name


def test_a_disk_that_is_full_leaves_no_half_digest(base, monkeypatch):
    def full(path, content):
        with path.open("wb"):
            raise OSError("No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert home().parent == base
    assert not list((base / "keys").iterdir())
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


def test_what_is_said_to_people_does_not_count_and_what_is_done_does():
    source = (
        'N = 3\nclass P:\n    """Says."""\n    use = "When."\n    a: int = 1\n'
        'def f(x):\n    "doc"\n    return x + N  # why\n'
    )
    for same in (
        source.replace("Says", "Tells"),
        source.replace("When", "If"),
        source.replace("doc", "text"),
        source.replace("# why", "# because"),
        "\n\n" + source,
    ):
        assert code_of(same) == code_of(source)
    for other in (
        source.replace("N = 3", "N = 4"),
        source.replace("x + N", "x - N"),
        source.replace("a: int = 1", "a: int = 2"),
    ):
        assert code_of(other) != code_of(source)


def test_every_number_that_compiled_code_freezes_is_in_the_key():
    covered = {path.relative_to(PACKAGE).as_posix() for path in compiled_modules()}
    assert set(FROZEN) <= covered
    assert {"kernels/beliefs.py", "simulation/rollout.py", "oracles/selection.py", "compiling.py"} <= covered
    assert not {"cli/simulate.py", "errors.py", "catalogue.py"} & covered
    for path in compiled_modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("allotment."):
                continue
            constants = [
                alias.name for alias in node.names if alias.name.isupper() and alias.name not in NOT_FROZEN
            ]
            module = node.module.removeprefix("allotment.").replace(".", "/") + ".py"
            if constants:
                assert module in covered, f"{path.name} takes {constants} from {module}"


def test_the_kernels_of_every_generic_function_are_in_the_key():
    for module in pkgutil.walk_packages([str(PACKAGE)], "allotment."):
        if not module.name.endswith(("__main__", ".parts")):  # parts are done without where Numba has changed
            importlib.import_module(module.name)
    kernels = [each for registered in calling._kernels for each in registered.values()]
    modules = {getattr(each, "py_func", each).__module__ for each in kernels}
    ours = {name.removeprefix("allotment.") for name in modules if name.startswith("allotment.")}
    covered = {path.relative_to(PACKAGE).with_suffix("").as_posix() for path in compiled_modules()}
    assert {"policies.equal_split", "policies._curve_rule"} <= ours
    assert {name.replace(".", "/") for name in ours} <= covered


# Used in plain Python only, before compiled code starts.
NOT_FROZEN = {
    "KINDS",
    "LEARNS_FROM_EVIDENCE",
    "LEARNS_NOTHING",
    "UNCOVERABLE",
    "ROUNDING",
    "MOST_ITEMS",
    "SEES",
}
NOT_FROZEN |= {"FLAT", "GRADUAL", "LEAST", "NODES", "OTHER", "STEP"}  # of response curves
