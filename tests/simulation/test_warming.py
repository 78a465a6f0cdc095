"""Compiling what several policies need: here and in another process, each once."""

import os
import subprocess
import sys

import allotment as al
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
        kept.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("rollout.rollout-*.nbc")})
    assert len(kept[0]) == 2
    assert kept[0] == kept[1]


def test_an_oracle_is_compiled_ahead_and_then_taken_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    problem, policy = al.Problem([0.5, 0.4], 1.0, 1.0), al.MpTs(1.0)
    kept = []
    for program in (warming.ORACLES, warming.PROGRAM):
        warming._compile_elsewhere(policy, problem, program)
        kept.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")})
    assert any("top_m._choose" in path.name for path in kept[0])
    assert not any("rollout" in path.name for path in kept[0])
    assert kept[0].items() <= kept[1].items()
    assert any("rollout.rollout" in path.name for path in kept[1])
