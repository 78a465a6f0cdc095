"""The simulator beside what it replaces: a plain NumPy loop, round by round, as one writes it for a paper.

Targets: 100 replications of Instance 1's 10,000 rounds in at most 4 s on one core once compiled; a second
process that runs one short simulation in at most 2 s in all; importing the package takes at most twice as
long as importing NumPy.
"""

import statistics
import subprocess
import sys
import time

import numpy as np
import pytest

import allotment as al

PROBLEM = al.Problem.named("paper-1")
ROUNDS = 10_000


def numpy_mp_ts(seed):
    """One replication of MP-TS on Instance 1, with arrays over the arms and a Python loop over the rounds."""
    rng = np.random.default_rng(seed)
    lost, quiet = np.ones(20), np.ones(20)
    regret = 0.0
    for _ in range(ROUNDS):
        left_open = np.argsort(rng.beta(lost, quiet))[:10]
        seen = rng.random(20)[left_open] < PROBLEM.loss_rates[left_open]
        lost[left_open] += seen
        quiet[left_open] += ~seen
        regret += PROBLEM.loss_rates[left_open].sum() - PROBLEM.best.loss
    return regret


def our_mp_ts(seed):
    run = {"horizon": ROUNDS, "replications": 1, "workers": 1, "progress": False}
    return al.simulate(PROBLEM, al.MpTs(thresholds=0.7), seed=seed, **run)["MP-TS"].mean[-1]


@pytest.mark.benchmark(group="one replication of MP-TS on Instance 1")
@pytest.mark.parametrize("play", [our_mp_ts, numpy_mp_ts], ids=["allotment", "numpy loop"])
def test_one_replication(benchmark, play):
    play(0)
    benchmark.pedantic(play, args=(1,), rounds=5)


@pytest.mark.benchmark(group="100 replications of CSB-ST on Instance 1, one core")
def test_a_hundred_replications(benchmark):
    run = {"horizon": ROUNDS, "seed": 0, "workers": 1, "progress": False}
    al.simulate(PROBLEM, al.CsbSt(), replications=1, **run)
    benchmark.pedantic(lambda: al.simulate(PROBLEM, al.CsbSt(), replications=100, **run), rounds=5)


SHORT = """
import allotment as al
al.simulate(al.Problem.named("paper-1"), al.CsbSt(), horizon=100, replications=1, seed=0)
"""


def run_python(program):
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.benchmark(group="whole processes")
@pytest.mark.parametrize(
    "program",
    ["pass", "import numpy", "import allotment", "import numba", SHORT],
    ids=["nothing", "import numpy", "import allotment", "import numba", "one short simulation"],
)
def test_processes(benchmark, program):
    run_python(program)
    benchmark.pedantic(run_python, args=(program,), rounds=7)


def test_ratios(benchmark):
    """Ours over theirs, interleaved: the median of seven ratios."""

    def seconds(action, *arguments):
        before = time.perf_counter()
        action(*arguments)
        return time.perf_counter() - before

    our_mp_ts(0)
    speed = statistics.median(seconds(numpy_mp_ts, i) / seconds(our_mp_ts, i) for i in range(7))
    loading = statistics.median(
        seconds(run_python, "import allotment") / seconds(run_python, "import numpy") for _ in range(7)
    )
    benchmark.extra_info |= {"times faster than a numpy loop": speed, "import time over numpy's": loading}
    print(f"\ntimes faster than a numpy loop: {speed:.1f}; import time over numpy's: {loading:.2f}")
    benchmark.pedantic(lambda: None, rounds=1)
