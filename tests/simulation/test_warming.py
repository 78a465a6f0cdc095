"""Compiling what several policies need: here and in another process, each once."""

import os
import subprocess
import sys

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
