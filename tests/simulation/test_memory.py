"""Memory grows with recorded rounds and replications, not with the horizon."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import allotment as al
horizon, replications = map(int, sys.argv[1:])
problem = al.Problem.named("paper-1")
al.simulate(problem, al.CsbSt(), horizon=horizon, replications=replications, seed=0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def megabytes(horizon, replications):
    command = [sys.executable, "-c", PROGRAM, str(horizon), str(replications)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_memory_of_a_long_run():
    megabytes(10, 1)  # compiles, which takes memory of its own
    assert megabytes(1_000_000, 2) < 500


@pytest.mark.soak
def test_memory_of_a_hundred_long_runs():
    assert megabytes(1_000_000, 100) < 500
