"""The cache on disk: never stale, never anew without need, and a damaged one is done without."""

import errno
import os
import subprocess
import sys
import time
from typing import NamedTuple

import pytest
from numba.core.cpu import CPUContext

from allotment.compiling import cache_folder, disk_cache
from allotment.compiling.decorators import kernel
from allotment.errors import CacheWarning

SHORT_RUN = (
    "import sys, json\n"
    "import numpy as np\n"
    "import allotment as al\n"
    "from allotment.simulation.rollout import Run\n"
    "problem = al.Problem([0.5, 0.4], 1.0, 1.0)\n"
    "run = Run(problem, al.RandomSplit(), 9, 1, 0)\n"
    "before, path = run.is_compiled, np.zeros(1)\n"
    "run.advance(9, np.array([9]), path)\n"
    "print(json.dumps([before, run.is_compiled, path.tolist()]))\n"
)


def short_run(folder, more="", **variables):
    done = subprocess.run(
        [sys.executable, "-c", SHORT_RUN + more],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def kept(folder):
    return {path: path.stat().st_ino for path in folder.rglob("*.nbc")}


class Stranger(NamedTuple):
    number: float


def test_what_a_class_from_outside_is_part_of_is_not_kept(tmp_path, monkeypatch):
    def ours(state, number):
        return number

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    made = kernel(ours)
    for outside in (Stranger(1.0), (Stranger(1.0), 2.0)):
        assert made(outside, 1.0) == 1.0
        assert not kept(tmp_path)  # its kernels may change, and nobody would know
    assert made(1.0, 1.0) == 1.0
    assert len(kept(tmp_path)) == 1


def test_where_something_that_it_calls_cannot_be_found_all_that_compiling_takes_is_loaded(
    tmp_path, monkeypatch
):
    def ours(number):
        return number + 1.0

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    assert kernel(ours)(1.0) == 2.0  # compiled, and kept
    files, refreshed = kept(tmp_path), []
    monkeypatch.setattr(CPUContext, "refresh", lambda context: refreshed.append(context))
    assert kernel(ours)(1.0) == 2.0
    assert not refreshed
    monkeypatch.setattr(disk_cache, "address_of_symbol", lambda name: None)
    assert kernel(ours)(1.0) == 2.0
    assert refreshed
    assert kept(tmp_path) == files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def test_a_second_process_finds_what_the_first_compiled(folder):
    for path in kept(folder):  # by tests that ran before
        path.unlink()
    before, after, path = short_run(folder).split(", ", 2)
    assert (before, after) == ("[false", "true")
    files = kept(folder)
    assert files
    assert short_run(folder) == f"[true, true, {path}"
    assert kept(folder) == files


@pytest.mark.parametrize(("plain", "expected"), [("", []), ("1", ["numba.np.linalg", "scipy.linalg"])])
def test_what_was_compiled_runs_without_what_compiling_takes(folder, plain, expected):
    loaded = "print([m for m in ('numba.np.linalg', 'scipy.linalg', 'scipy.special') if m in sys.modules])\n"
    short_run(folder, ALLOTMENT_PLAIN_NUMBA=plain)
    printed = short_run(folder, more=loaded, ALLOTMENT_PLAIN_NUMBA=plain)
    assert printed.splitlines()[1] == str(expected)


def test_damaged_code_is_compiled_again_and_never_run(tmp_path, monkeypatch):
    def ours(number):
        return number + 1.0

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    assert kernel(ours)(1.0) == 2.0
    [path] = kept(tmp_path)
    whole = path.read_bytes()
    flipped = [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in range(0, len(whole), 5000)]
    for damaged in (b"", whole[:20], whole[: len(whole) // 2], whole + b"junk", *flipped):
        path.write_bytes(damaged)
        assert kernel(ours)(1.0) == 2.0
        assert path.read_bytes() != damaged  # it was compiled again, and kept
    path.write_bytes(whole)
    assert kernel(ours)(1.0) == 2.0
    assert path.read_bytes() == whole


def test_a_disk_that_is_full_costs_time_and_one_sentence(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    def ours(number):
        return number + 1

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    monkeypatch.setattr(disk_cache, "write_whole", full)
    cache_folder.warn_of_no_cache.cache_clear()
    made = kernel(ours)
    with pytest.warns(CacheWarning) as said:
        assert (made(1), made(1.5), made(True)) == (2, 2.5, 2)
    [sentence] = [str(each.message) for each in said]
    assert f"cannot write to {tmp_path}: No space left on device" in sentence
    assert not kept(tmp_path)


def test_what_is_compiled_after_an_edit_is_not_kept_with_the_code_from_before(tmp_path, monkeypatch):
    def ours(number):
        return number + 1

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: tmp_path)
    monkeypatch.setattr(cache_folder, "stamp", lambda: "another")
    assert kernel(ours)(1) == 2
    assert not kept(tmp_path)


def test_where_nothing_can_be_kept_everything_is_compiled(monkeypatch):
    def ours(number):
        return number + 1

    ours.__module__ = "allotment.probe"
    monkeypatch.setattr(disk_cache, "home", lambda: None)
    made = kernel(ours)
    assert made(1) == 2
    assert not isinstance(made._cache, disk_cache.DiskCache)


def test_without_what_is_private_to_numba_the_numbers_are_the_same(folder):
    expected = short_run(folder).split(", ", 2)[2]
    for path in kept(folder):
        os.utime(path.parents[1], (time.time(),) * 2)  # else it seems unused if the clock is years ahead
    plain = short_run(folder, ALLOTMENT_PLAIN_NUMBA="1")
    assert plain.split(", ", 2)[2] == expected
    assert len({path.parents[1] for path in kept(folder)}) == 2  # what was compiled otherwise is kept apart
