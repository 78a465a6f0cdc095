"""Compiling what several policies need: here and in another process, each once."""

import os
import subprocess
import sys

import pytest

import allotment as al
from allotment.campaign.warm_planner import warm_up_campaigns
from allotment.compiling import cache_folder
from allotment.simulation import warming

TWO_POLICIES = (
    "import allotment as al\n"
    "problem = al.Problem([0.5, 0.4], 1.0, 1.0)\n"
    "policies = [al.EqualSplit(), al.RandomSplit()]\n"
    "result = al.simulate(problem, policies, horizon=9, replications=1, seed=1, progress=False)\n"
)


def test_two_policies_are_compiled_side_by_side_and_kept(tmp_path):
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    kept = []
    for _ in range(2):
        subprocess.run([sys.executable, "-c", TWO_POLICIES], env=variables, check=True, capture_output=True)
        kept.append({path: path.stat().st_ino for path in tmp_path.rglob("rollout.rollout-*.nbc")})
    assert len(kept[0]) == 2
    assert kept[0] == kept[1]


def test_an_oracle_is_compiled_ahead_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    warming._compile_elsewhere(al.MpTs(1.0), al.Problem([0.5, 0.4], 1.0, 1.0), warming.ORACLES)
    kept = [path.name for path in tmp_path.rglob("*.nbc")]
    assert any("top_m._choose" in name for name in kept)
    assert not any("rollout" in name or "mp_ts" in name for name in kept)


def test_nothing_is_compiled_ahead_that_cannot_be_kept(monkeypatch):
    monkeypatch.setattr(cache_folder, "home", lambda: None)
    for warm_up in (lambda: next(warming.warm_up([al.EqualSplit()])), warm_up_campaigns):
        with pytest.raises(al.FileError, match="nothing was compiled ahead"):
            warm_up()


def test_a_process_that_cannot_keep_what_it_compiles_ahead_stops(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    full = (
        "from allotment.compiling import disk_cache\n"
        "def full(*_): raise OSError('full')\n"
        "disk_cache.write_whole = full\n"
    )
    with pytest.raises(al.AllotmentError, match=r"cannot compile for Equal split: .*is not kept.*full"):
        warming._compile_elsewhere(al.EqualSplit(), al.Problem([0.5], 1.0, 1.0), full + warming.PROGRAM)
