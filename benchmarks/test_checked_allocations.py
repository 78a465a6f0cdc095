"""What it costs that the simulator checks every allocation: MP-TS with the check and without, interleaved.

Target: at most 3 % of MP-TS's time.
"""

import inspect
import statistics
import time

import numpy as np
import pytest

import allotment as al
from allotment.compiling.decorators import Entry
from allotment.simulation import rollout as module
from allotment.simulation.rollout import Run

CHECK = " or not _may_be_granted(allocation, rules.most, rules.room)"
ROUNDS = 20_000


def without_the_check():
    """The same loop, with the check left out."""
    source = inspect.getsource(module.rollout.__wrapped__).removeprefix("@Entry\n")
    assert CHECK in source
    names = dict(vars(module))
    exec(compile(source.replace(CHECK, ""), module.__file__, "exec"), names)
    return Entry(names["rollout"])


def seconds(monkeypatch, rollout, problem, policy, seed):
    monkeypatch.setattr(module, "rollout", rollout)
    run = Run(problem, policy, ROUNDS, seed, 0)
    rounds = np.array([ROUNDS])
    before = time.process_time()
    run.advance(ROUNDS, rounds, np.zeros(1))
    return time.process_time() - before


@pytest.mark.parametrize("arms", [5, 20, 100])
def test_cost_of_the_check(benchmark, monkeypatch, arms):
    problem = al.Problem([0.25 + 0.5 * i / arms for i in range(arms)], 0.7, 0.35 * arms)
    policy, checked, plain = al.MpTs(thresholds=0.7), module.rollout, without_the_check()
    for rollout in (checked, plain):
        seconds(monkeypatch, rollout, problem, policy, 0)
    ratios = []
    for seed in range(41):
        pair = (checked, plain) if seed % 2 else (plain, checked)
        taken = {each: seconds(monkeypatch, each, problem, policy, seed) for each in pair}
        ratios.append(taken[checked] / taken[plain])
    share = statistics.median(ratios) - 1.0
    benchmark.extra_info["share of MP-TS's time"] = share
    print(f"\n{arms} arms: the check takes {share:.1%} of MP-TS's time")
    benchmark.pedantic(lambda: None, rounds=1)
