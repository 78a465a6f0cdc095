"""Memory grows with recorded rounds and replications, not with the horizon."""

import subprocess
import sys

import pytest

# The first, short run compiles if it must, which takes memory of its own; what counts is what comes after.
PROGRAM = """
import sys, threading, time
import allotment as al

def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

def watch():
    while not over.wait(0.01):
        peak[0] = max(peak[0], megabytes())

horizon, replications = map(int, sys.argv[1:])
problem = al.Problem.named("paper-1")
al.simulate(problem, al.CsbSt(), horizon=10, replications=2, seed=0)
before, peak, over = megabytes(), [0.0], threading.Event()
watcher = threading.Thread(target=watch)
watcher.start()
al.simulate(problem, al.CsbSt(), horizon=horizon, replications=replications, seed=0)
over.set()
watcher.join()
print(peak[0] - before, peak[0])
"""


def growth_and_peak(horizon, replications):
    command = [sys.executable, "-c", PROGRAM, str(horizon), str(replications)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return map(float, done.stdout.split())


def test_a_long_run_needs_no_more_memory_than_a_short_one():
    growth, _ = growth_and_peak(1_000_000, 2)
    assert growth < 50


@pytest.mark.soak
def test_memory_of_a_hundred_long_runs():
    growth_and_peak(10, 1)  # compiles
    _, peak = growth_and_peak(1_000_000, 100)
    assert peak < 500
