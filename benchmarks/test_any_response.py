"""AnyResponse beside Thompson sampling on (arm, amount) pairs, and its next allocation from much evidence.

Targets: one simulated round with 20 arms and 20 units in at most 40 µs (goal 20); the next allocation from
evidence of 1000 arms with 20 units in at most 0.3 s.
"""

import numpy as np
import pytest

import allotment as al

PROBLEM = al.Problem.random(20, seed=3, response="logistic", unit=0.05)
ROUNDS = 3_000
RUN = {"horizon": ROUNDS, "replications": 1, "workers": 1, "progress": False}


@pytest.mark.benchmark(group="3,000 rounds with 20 arms and 20 units")
@pytest.mark.parametrize("policy", [al.AnyResponse(), al.PairTs()], ids=lambda policy: policy.label)
def test_rounds(benchmark, policy):
    al.simulate(PROBLEM, policy, seed=0, **RUN)
    benchmark.pedantic(lambda: al.simulate(PROBLEM, policy, seed=1, **RUN), rounds=7)
    if benchmark.stats:
        benchmark.extra_info["µs a round"] = benchmark.stats.stats.median / ROUNDS * 1e6


@pytest.mark.benchmark(group="the next allocation from evidence, 1000 arms with 20 units")
def test_next_allocation(benchmark):
    arms, stream = 1000, np.random.default_rng(0)
    rows = [
        (i, amount, 30, int(stream.binomial(30, 0.4 * (1 - amount))))
        for i in range(arms)
        for amount in (0.0, 0.25, 0.5)
    ]
    evidence = al.Evidence(arms, rows)

    def plan():
        return al.AnyResponse().start(arms, 250.0, seed=1, evidence=evidence).ask()

    plan()
    benchmark.pedantic(plan, rounds=7)
