"""Regret grows like a logarithm: doubling the horizon adds about as much as the doubling before it did."""

import numpy as np
import pytest

from allotment import Cts, Cucb, EqualSplit, Escb, MpKlUcb, MpTs, Problem, Sdcb, simulate
from allotment.theory import NotApplicableError, smallest_gap

MULTIPLE_PLAY, COMBINATORIAL = (MpTs, MpKlUcb), (Cts, Cucb, Sdcb, Escb)
GAP = 0.1


def random_problems(count, thresholds):
    """Random problems in which no two different outcomes are closer than the gap."""
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        arms = 4 + seed % 5
        problem = Problem.random(arms, seed=seed, rates="gapped", thresholds=thresholds)
        try:
            wide = smallest_gap(problem) >= GAP - 1e-12
        except NotApplicableError:
            wide = False
        if wide and not problem.best.covered.all():
            found.append(problem)
    return found


def total_regret(problems, policies, horizon, replications):
    """Regret at T/2, T and 2T, summed over the problems, by label."""
    totals = {}
    for number, problem in enumerate(problems):
        learners = [policy.for_problem(problem) for policy in policies]
        result = simulate(
            problem,
            learners,
            horizon=2 * horizon,
            replications=replications,
            seed=number,
            record=[horizon // 2, horizon, 2 * horizon],
        )
        for label in result:
            totals[label] = totals.get(label, 0.0) + result[label].mean
    return totals


def is_logarithmic(regret):
    half, whole, double = regret
    return double - whole <= 1.5 * (whole - half)


def check(problems_same, problems_different, horizon, replications):
    same = total_regret(problems_same, MULTIPLE_PLAY + COMBINATORIAL, horizon, replications)
    different = total_regret(problems_different, COMBINATORIAL, horizon, replications)
    print({label: regret.round(1).tolist() for label, regret in same.items()})
    print({label: regret.round(1).tolist() for label, regret in different.items()})
    for totals in (same, different):
        for label, regret in totals.items():
            assert is_logarithmic(regret), (label, regret)
    assert different["CTS"][-1] < different["CUCB"][-1]
    assert same["CTS"][-1] < same["CUCB"][-1]
    assert same["MP-TS"][-1] < same["CUCB"][-1]


def test_every_learner_on_a_few_problems():
    check(random_problems(4, "same"), random_problems(4, "spread"), horizon=5_000, replications=16)


@pytest.mark.soak
def test_every_learner_on_thirty_problems():
    check(random_problems(30, "same"), random_problems(30, "spread"), horizon=100_000, replications=4)


def test_a_line_fails():
    problem = Problem([0.3, 0.6, 0.9], 0.5, 1.0)
    totals = total_regret([problem], [EqualSplit], horizon=1000, replications=1)
    assert not is_logarithmic(totals["Equal split"])
    assert np.all(np.diff(totals["Equal split"]) > 0)
