"""Joint beside CTS, which knows the thresholds, and beside its own cost at scale.

Targets: one simulated round with 20 arms and 100 candidates in at most 15 µs; ask() for 100,000 arms and 20
candidates in at most 0.5 s.
"""

import statistics
import time

import numpy as np
import pytest

import allotment as al

PROBLEM = al.Problem.random(20, seed=3, resolution=0.01)
ROUNDS = 5_000
RUN = {"horizon": ROUNDS, "replications": 1, "workers": 1, "progress": False}
POLICIES = [al.Joint(), al.Joint(shared=True, label="Joint, shared"), al.Cts(thresholds=PROBLEM.thresholds)]


@pytest.mark.benchmark(group="5,000 rounds with 20 arms")
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.label)
def test_rounds(benchmark, policy):
    al.simulate(PROBLEM, policy, seed=0, **RUN)
    benchmark.pedantic(lambda: al.simulate(PROBLEM, policy, seed=1, **RUN), rounds=7)
    if benchmark.stats:
        benchmark.extra_info["µs a round"] = benchmark.stats.stats.median / ROUNDS * 1e6


@pytest.mark.benchmark(group="ask for 100,000 arms with 20 candidates")
def test_many_arms(benchmark):
    arms = 100_000
    stream = np.random.default_rng(0)
    rates, thresholds = stream.random(arms), stream.integers(1, 21, arms) / 20
    learner = al.Joint(resolution=0.05).start(arms, 0.1 * arms, seed=1)

    def tell():
        """Another round's losses, so that there is something new to ask."""
        covered = learner.ask() >= thresholds - 1e-12
        learner.tell((stream.random(arms) < rates) & ~covered)

    tell()
    benchmark.pedantic(learner.ask, setup=tell, rounds=7)


def test_ratio(benchmark):
    """What a round of Joint costs, in rounds of CTS: the median of seven interleaved ratios."""

    def seconds(policy, seed):
        before = time.perf_counter()
        al.simulate(PROBLEM, policy, seed=seed, **RUN)
        return time.perf_counter() - before

    joint, _, cts = POLICIES
    ratios = [seconds(joint, k) / seconds(cts, k) for k in range(8)][1:]
    benchmark.extra_info["Joint / CTS"] = statistics.median(ratios)
    benchmark.pedantic(lambda: seconds(joint, 9), rounds=1)
