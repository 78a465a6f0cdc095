"""Random problems at the extremes, through every policy: nothing infeasible, no error, no regret below 0."""

import itertools
import math

import numpy as np
import pytest

from allotment import NotAcceptedError, Problem, Step
from allotment.policies.base.catalogue import policy_classes
from allotment.simulation.rollout import Run

ROUNDS = 60
POLICIES = list(policy_classes().values())


def extreme_problem(seed, *, kinds=False):
    """Rates of 0 and 1, thresholds that hardly differ, budgets that fit exactly, stakes of any size.

    What differs, differs by less than the tolerance or by much more. It is spent on every grant that covers,
    and once on what fits, so a policy may be lucky where thresholds differ by the tolerance itself.
    """
    stream = np.random.default_rng([2019, seed])
    arms = int(stream.choice([1, 2, 3, 5, 8, 16, 20]))
    rates = [
        stream.random(arms),
        stream.choice([0.0, 1.0], arms),
        10.0 ** stream.uniform(-15.0, 0.0, arms),
        np.full(arms, stream.choice([0.0, 1e-100, 1e-13, 0.5, 1.0 - 1e-16, 1.0])),
    ][stream.integers(4)]
    thresholds = [
        stream.uniform(0.01, 1.0, arms),
        np.full(arms, stream.choice([0.1, 0.7, 1.0])),
        np.minimum(1.0, stream.choice([0.1, 0.2, 0.3, 0.7], arms) + stream.uniform(-1e-14, 1e-14, arms)),
        stream.choice([0.01, 1.0], arms),
    ][stream.integers(4)]
    some = float(thresholds[stream.random(arms) < stream.random()].sum())
    budget = [0.0, some, some + 1e-13, max(0.0, some - 1e-13), 1e-9, float(arms), 1e9][stream.integers(7)]
    severities = [
        np.ones(arms),
        10.0 ** stream.uniform(-15.0, 15.0, arms),
        np.full(arms, 1e-13),
        np.full(arms, stream.choice([1e-200, 1e100])),
    ][stream.integers(4)]
    kind = {}
    if kinds and stream.random() < 0.5:
        kind["losses"] = str(stream.choice(["binary", "counts"]))
        kind["sees"] = str(stream.choice(["losses", "finds"]))
        kind["unit"] = stream.choice([None, 0.1])
    leak = float(stream.choice([0.0, 1e-13, 0.5])) if kind else 0.0
    return Problem(rates, budget=budget, response=Step(thresholds, leak), severities=severities, **kind)


def least_loss(problem):
    """By looking at every set of arms."""
    room, stakes = problem.spendable + problem.slack, problem.stakes
    return min(
        math.fsum(stakes[i] for i in range(problem.arms) if i not in cover)
        for size in range(problem.arms + 1)
        for cover in itertools.combinations(range(problem.arms), size)
        if math.fsum(problem.thresholds[list(cover)]) <= room
    )


def check(problem):
    """Play every policy that can be played there; the simulator looks at what is granted."""
    least = -4e-12 * float(problem.stakes.sum())
    for kind in POLICIES:
        try:
            run = Run(problem, kind.for_problem(problem), ROUNDS, 7, 0)
        except NotAcceptedError:
            continue  # it takes no counts, no finds
        total = np.zeros(ROUNDS)
        run.advance(ROUNDS, np.arange(1, ROUNDS + 1), total)
        regret = np.diff(total, prepend=0.0)
        assert np.isfinite(total).all(), kind
        assert regret.min() >= least - 1e-15 * total[-1], kind


@pytest.mark.parametrize("seed", range(25))
def test_every_policy_gets_through(seed):
    check(extreme_problem(seed))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(40))
def test_every_policy_gets_through_thousands(part):
    for seed in range(100 * part, 100 * (part + 1)):
        check(extreme_problem(seed, kinds=True))


def test_the_best_is_the_best_whatever_the_stakes():
    small = [problem for seed in range(400) if (problem := extreme_problem(seed)).arms <= 8]
    assert len(small) > 200
    for problem in small:
        assert problem.best.loss <= least_loss(problem) + 4e-12 * problem.stakes.sum()


@pytest.mark.parametrize("arms", [3, 20])
def test_where_all_stakes_are_tiny_the_best_still_covers(arms):
    problem = Problem(np.full(arms, 0.5), 0.5, 1.0, severities=np.full(arms, 1e-13))
    usual = Problem(np.full(arms, 0.5), 0.5, 1.0)
    assert problem.best.covered.sum() == usual.best.covered.sum() == 2
    assert problem.regret(usual.best.allocation) == pytest.approx(0.0, abs=1e-27)
    assert problem.regret(np.zeros(arms)) == pytest.approx(1e-13)
