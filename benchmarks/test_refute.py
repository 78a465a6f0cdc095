"""Refute beside CTS, which knows the thresholds.

Target: a round takes at most 2 times as long as a round of CTS with the same arms. It is not reached:
docs/studies/refute.md has the ratios, and what the time goes to.
"""

import statistics
import time

import pytest

import allotment as al

TWO = al.Problem.named("paper-2")
PROBLEMS = {
    "5 arms": al.Problem(TWO.loss_rates, TWO.thresholds, 2.05),
    "8 arms": al.Problem.random(8, seed=3, resolution=0.01),
    "20 arms": al.Problem.random(20, seed=3, resolution=0.01),
}
RUN = {"horizon": 5_000, "replications": 10, "workers": 1, "progress": False}
BOUNDS = ["kl", "hoeffding", "draws"]


def seconds(problem, policy, seed):
    """Seconds of the processor, so that other programs do not count."""
    before = time.process_time()
    al.simulate(problem, policy, seed=seed, **RUN)
    return time.process_time() - before


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_ratio(benchmark, name, bound):
    """What a round of Refute costs, in rounds of CTS: the median of seven interleaved ratios."""
    problem = PROBLEMS[name]
    refute, cts = al.Refute(bound=bound), al.Cts(thresholds=problem.thresholds.tolist())
    ratios = [seconds(problem, refute, k) / seconds(problem, cts, k) for k in range(8)][1:]
    benchmark.extra_info["Refute / CTS"] = statistics.median(ratios)
    benchmark.pedantic(lambda: seconds(problem, refute, 9), rounds=1)
