"""Memory grows with recorded rounds and replications, not with the horizon."""

import subprocess
import sys

import numpy as np
import pytest

import allotment as al
from allotment.simulation.run_memory import REGRET, ROW
from running import PEAK_BYTES

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


HUGE = {
    "replications": (
        10**15,
        r"would take about \d+,000,.* GB of memory, and the limit is 1 GB; expected few",
    ),
    "record": (10**12, "recording 1,000,000,000,000 rounds would take about .* expected a smaller record"),
}
PLAYED = {"horizon": 10**12, "replications": 2, "seed": 0, "progress": False}


@pytest.mark.parametrize("what", HUGE)
def test_a_run_whose_results_are_too_large_is_refused_before_it_begins(what, monkeypatch):
    monkeypatch.setenv("ALLOTMENT_MEMORY_GB", "1")
    monkeypatch.setattr("allotment.simulation.job.Block.play", None)
    value, words = HUGE[what]
    for run in (al.simulate, al.sweep):
        with pytest.raises(al.InputError, match=words):
            run(al.Problem.named("paper-1"), al.EqualSplit(), **PLAYED | {what: value})


@pytest.mark.parametrize(
    "policy",
    [
        al.AnyResponse(unit=1e-6),
        al.PairTs(unit=1e-8),
        al.Joint(resolution=1e-9),
        al.Sdcb(thresholds=[0.5, 0.5], levels=10**9),
    ],
)
def test_a_policy_that_is_too_large_is_refused_before_it_begins(policy, monkeypatch):
    monkeypatch.setenv("ALLOTMENT_MEMORY_GB", "1")
    problem, settings = al.Problem([0.5, 0.5], thresholds=0.5, budget=0.5), {"horizon": 10, "seed": 0}
    for run in (al.simulate, al.sweep):
        with pytest.raises(al.InputError, match="fewer replications or recorded rounds, a larger unit"):
            run(problem, policy, replications=1, progress=False, **settings)
    with pytest.raises(al.InputError, match="with 2 arms would take about .* GB of memory"):
        al.trace(problem, policy, **settings)


def test_more_replications_than_fit_are_refused(monkeypatch):
    result = al.simulate(
        al.Problem.named("paper-1"), al.EqualSplit(), horizon=10, replications=1, seed=0, progress=False
    )
    monkeypatch.setenv("ALLOTMENT_MEMORY_GB", "1")
    with pytest.raises(al.InputError, match=r"this run \(.* GB for recorded regrets, less than 0.1 GB for"):
        al.extend(result, 10**12)


@pytest.mark.soak
@pytest.mark.parametrize(("row", "numbers"), [(REGRET, 20_000_000), (ROW, 2_000_000)])
def test_recorded_regrets_take_what_is_said(row, numbers):
    program = f"""{PEAK_BYTES}
import allotment as al
replications = {numbers} // 1000
given = {{"horizon": 1000, "seed": 0, "record": 1000, "progress": False}}
run = al.simulate if {row} == {REGRET} else al.sweep
run(al.Problem.named("paper-1"), al.EqualSplit(), replications=2, **given)
before = peak_bytes()
run(al.Problem.named("paper-1"), al.EqualSplit(), replications=replications, **given)
print(peak_bytes() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert np.clip(float(done.stdout) / numbers, 0.6 * row, 1.1 * row) == float(done.stdout) / numbers


def test_a_long_run_needs_no_more_memory_than_a_short_one():
    growth, _ = growth_and_peak(1_000_000, 2)
    assert growth < 50


@pytest.mark.soak
def test_memory_of_a_hundred_long_runs():
    growth_and_peak(10, 1)  # compiles
    _, peak = growth_and_peak(1_000_000, 100)
    assert peak < 500
