"""AnyResponse beside Thompson sampling on (arm, amount) pairs, and its next allocation from much evidence.

Targets: one simulated round with 20 arms and 20 units in at most 40 µs (goal 20); the next allocation from
evidence of 1000 arms with 20 units in at most 0.3 s. In two situations that differ, a round takes at most 1.6
times as long; the next allocation of 60 arms in six situations, after two years, at most 0.3 s.
"""

import time

import numpy as np
import pytest

import allotment as al

PROBLEM = al.Problem.random(20, seed=3, response="logistic", unit=0.05)
ROUNDS = 3_000
FACTORS = np.exp(np.random.default_rng(1).normal(0.0, 1.0, 20))
OTHER = al.Problem(
    np.minimum(PROBLEM.loss_rates * FACTORS, 1.0), budget=PROBLEM.budget, response=PROBLEM.response, unit=0.05
)
TWO = al.Situations([PROBLEM, OTHER], calendar=[0, 0, 0, 0, 0, 1, 1])
RUN = {"horizon": ROUNDS, "replications": 1, "workers": 1, "progress": False}


@pytest.mark.benchmark(group="3,000 rounds with 20 arms and 20 units")
@pytest.mark.parametrize(
    ("policy", "world"),
    [
        (al.AnyResponse(), PROBLEM),
        (al.PairTs(), PROBLEM),
        (al.AnyResponse(situations=2, label="two situations"), TWO),
    ],
    ids=lambda each: getattr(each, "label", ""),
)
def test_rounds(benchmark, policy, world):
    al.simulate(world, policy, seed=0, **RUN)
    benchmark.pedantic(lambda: al.simulate(world, policy, seed=1, **RUN), rounds=7)
    if benchmark.stats:
        benchmark.extra_info["µs a round"] = benchmark.stats.stats.median / ROUNDS * 1e6


@pytest.mark.benchmark(group="3,000 rounds with one situation, then with two")
def test_two_situations_beside_one(benchmark):
    """At most 1.6 times as long: CPU times, each pass plays both."""
    games = [(al.AnyResponse(), PROBLEM), (al.AnyResponse(situations=2), TWO)]
    cpu_times = []

    def play_both(seed=1):
        marks = [time.process_time()]
        for policy, world in games:
            al.simulate(world, policy, seed=seed, **RUN)
            marks.append(time.process_time())
        cpu_times.append(np.diff(marks))

    play_both(seed=0)
    cpu_times.clear()
    benchmark.pedantic(play_both, rounds=9)
    one, two = np.median(cpu_times, axis=0)
    benchmark.extra_info["ratio"] = two / one
    print(f"\ntwo situations take {two / one:.2f} times as long as one")


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


@pytest.mark.benchmark(group="the next allocation from evidence, 60 arms in six situations")
def test_next_allocation_in_situations(benchmark):
    """Two years of history: every arm has 730 rounds, at six amounts in each situation."""
    arms, situations, stream = 60, 6, np.random.default_rng(0)
    rows = [
        (i, amount, 20, int(stream.binomial(20, 0.1 * (1 + c % 2 * (i % 3)) * (1 - amount))), c)
        for i in range(arms)
        for c in range(situations)
        for amount in (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
    ]
    evidence = al.Evidence(arms, rows, situations=situations)

    def plan():
        learner = al.AnyResponse(situations=situations).start(arms, 15.0, seed=1, evidence=evidence)
        return learner.ask(situation=2)

    plan()
    benchmark.pedantic(plan, rounds=7)
