"""The engine's threads beside processes, and how its cost grows; all as ratios in one run.

Targets: two threads at least 0.9 of two processes; cost linear in arms, rounds and replications. The engine
beside NumPy and others is measured in `performance/`: there, at least 3 times as fast as NumPy.
"""

import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import allotment as al

ARMS, ROUNDS, REPLICATIONS = 20, 10_000, 100
RATES = 0.3 + 0.02 * np.arange(ARMS)
PASSES = 5


def seconds(action, *arguments):
    before = time.perf_counter()
    action(*arguments)
    return time.perf_counter() - before


def ours(seed=0, arms=ARMS, rounds=ROUNDS, replications=REPLICATIONS, workers=1):
    rates = RATES if arms == ARMS else np.linspace(0.3, 0.7, arms)
    problem = al.Problem(rates, 0.7, 0.7 * (arms // 2))
    run = {"horizon": rounds, "replications": replications, "workers": workers, "progress": False}
    return al.simulate(problem, al.MpTs(thresholds=0.7), seed=seed, **run)["MP-TS"].mean[-1]


def report(benchmark, found):
    benchmark.extra_info |= found
    for what, number in found.items():
        print(f"\n{what}: {number:.2f}", end="")
    benchmark.pedantic(lambda: None, rounds=1)


ELSEWHERE = """
import sys, time
import allotment as al
from test_engine import ours
ours(replications=1)
print("ready", flush=True)
sys.stdin.readline()
before = time.perf_counter()
ours(replications=50)
print(time.perf_counter() - before, flush=True)
"""


def two_processes():
    """How long two processes take side by side, for 50 replications each."""
    folder = __file__.rsplit("/", 1)[0]
    program = f"import sys; sys.path.insert(0, {folder!r})\n{ELSEWHERE}"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for each in running:
        each.stdout.readline()
    for each in running:
        each.stdin.write("go\n")
        each.stdin.flush()
    with ThreadPoolExecutor(2) as readers:
        taken = list(readers.map(lambda each: float(each.stdout.readline()), running))
    for each in running:
        each.wait()
        each.stdin.close()
        each.stdout.close()
    return max(taken)


def test_two_threads_beside_two_processes(benchmark):
    ours(replications=1)
    ratios = [two_processes() / seconds(lambda: ours(workers=2)) for _ in range(PASSES)]
    report(benchmark, {"two threads over two processes": statistics.median(ratios)})


def test_how_cost_grows(benchmark):
    """Cost of ten times as much, over ten times the cost: 1 is linear."""
    ours(replications=1)
    for arms in (100, 1000, 10_000):
        ours(arms=arms, rounds=2, replications=1)
    found = {}
    for what, less, more in (
        ("arms, 100 to 1000", {"arms": 100, "rounds": 1000}, {"arms": 1000, "rounds": 1000}),
        ("arms, 1000 to 10,000", {"arms": 1000, "rounds": 300}, {"arms": 10_000, "rounds": 300}),
        ("rounds, 10,000 to 100,000", {"rounds": 10_000}, {"rounds": 100_000}),
    ):
        ratios = [
            seconds(lambda more=more: ours(replications=4, **more))
            / (10 * seconds(lambda less=less: ours(replications=4, **less)))
            for _ in range(PASSES)
        ]
        found[what] = statistics.median(ratios)
    ratios = [
        seconds(lambda: ours(replications=100)) / (10 * seconds(lambda: ours(replications=10)))
        for _ in range(PASSES)
    ]
    found["replications, 10 to 100"] = statistics.median(ratios)
    report(benchmark, found)
