"""Each function is compiled by one process; the others wait and load it."""

import subprocess

import pytest

from allotment.compiling import compiled_once
from running import started

COMPILE = """
import sys
import numpy as np
from allotment.oracles.top_m import mark_largest
print("ready", flush=True)
sys.stdin.readline()
chosen = np.zeros(3, np.bool_)
mark_largest(np.array([1.0, 3.0, 2.0]), 1, chosen, np.zeros(3, np.int64))
assert chosen.tolist() == [False, True, False]
print(sum(mark_largest.in_full.stats.cache_misses.values()), flush=True)
"""
HOLD = """
import fcntl, os, sys
lock = os.open(sys.argv[1], os.O_RDWR)
fcntl.lockf(lock, fcntl.LOCK_EX, 1, int(sys.argv[2]))
print("held", flush=True)
sys.stdin.readline()
"""


def test_of_processes_that_begin_together_one_compiles(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with (
        started("-c", COMPILE, stdin=subprocess.PIPE) as one,
        started("-c", COMPILE, stdin=subprocess.PIPE) as other,
    ):
        for each in (one, other):
            assert each.stdout.readline() == "ready\n"
        for each in (one, other):
            each.stdin.write("\n")
            each.stdin.flush()
        assert sorted(each.stdout.readline() for each in (one, other)) == ["0\n", "1\n"]


@pytest.mark.skipif(compiled_once.fcntl is None, reason="there are no locks to wait for")
def test_whoever_waits_too_long_compiles_as_well_and_a_killed_process_keeps_nobody_waiting(
    tmp_path, monkeypatch
):
    lock = compiled_once._locks(tmp_path)
    with started("-c", HOLD, tmp_path / compiled_once.LOCKS, 7, stdin=subprocess.PIPE) as other:
        assert other.stdout.readline() == "held\n"
        monkeypatch.setattr(compiled_once, "WAIT_SECONDS", 0.1)
        assert not compiled_once._locked(lock, 7)
        assert compiled_once._locked(lock, 8)  # another function
        other.kill()
        other.wait()
    monkeypatch.undo()
    assert compiled_once._locked(lock, 7)


def test_where_nothing_can_be_locked_everything_is_compiled(tmp_path):
    assert compiled_once._locks(tmp_path / "absent") is None
    with compiled_once._alone("something"):
        pass
