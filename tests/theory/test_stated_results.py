"""What the paper states, tried out. Lemmas 1 and 3 are in test_candidates, Propositions 1 and 3 in
test_equivalence, Proposition 2 with the gaps in test_bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv

from allotment import CsbDt, CsbSt, Problem, simulate
from allotment.theory import csb_dt_rounds, csb_st_regret, csb_st_rounds, lower_bound
from strategies import problems

RUNS = 2000


@given(problems(same_threshold=True), st.sampled_from([0.01, 0.1, 0.5]), st.sampled_from([0.05, 0.3]))
@settings(max_examples=40, deadline=None)
def test_lemma_2_in_whole_numbers_always_holds(problem, delta, epsilon):
    most = csb_st_rounds(problem, delta=delta, epsilon=epsilon)
    regret = simulate(problem, CsbSt(delta, epsilon), horizon=most + 1, replications=3, seed=1)["CSB-ST"]
    assert (regret.search_rounds <= most).all()
    assert not np.isnan(regret.found_thresholds).any()


def test_lemma_2_where_nothing_is_ever_lost():
    for arms in range(2, 40):
        problem = Problem([0.0] * arms, 0.5, 1.0)
        most = csb_st_rounds(problem)
        regret = simulate(problem, CsbSt(), horizon=most + 1, replications=1, seed=1)["CSB-ST"]
        assert regret.search_rounds[0] <= most


def test_lemma_2_as_printed_fails_with_certainty():
    rates = Problem.named("paper-1").loss_rates
    problem = Problem(rates, 0.35, 7.0)  # θ = Q/K: no candidate is ever too low, so no loss is ever seen
    regret = simulate(problem, CsbSt(), horizon=100, replications=5, seed=1)["CSB-ST"]
    assert regret.search_rounds.tolist() == [20] * 5
    assert csb_st_rounds(problem, form="printed") < 19
    assert csb_st_rounds(problem) == 20


@given(problems(), st.sampled_from([0.3, 0.05, 1e-3]), st.sampled_from([0.1, 0.4]))
@settings(max_examples=40, deadline=None)
def test_lemma_4_in_whole_numbers_always_holds(problem, gamma, epsilon):
    most = csb_dt_rounds(problem, gamma=gamma, epsilon=epsilon)
    policy = CsbDt(epsilon=epsilon, gamma=gamma)
    regret = simulate(problem, policy, horizon=most + 1, replications=2, seed=1)["CSB-DT"]
    assert (regret.search_rounds <= most).all()
    assert not np.isnan(regret.found_thresholds).any()


def lower_limit(failures, runs):
    """Clopper and Pearson: with 99.9 % confidence, failures are at least this frequent."""
    return betaincinv(failures, runs - failures + 1, 0.001) if failures else 0.0


@pytest.mark.parametrize("threshold", [0.36, 0.7, 1.0])
def test_csb_st_errs_no_more_often_than_it_may(threshold):
    epsilon, delta = 0.1, 0.1
    problem = Problem([epsilon] * 20, threshold, 7.0)
    horizon = int(csb_st_rounds(problem)) + 1
    regret = simulate(problem, CsbSt(delta, epsilon), horizon=horizon, replications=RUNS, seed=3)["CSB-ST"]
    failures = int((regret.found_thresholds[:, 0] < threshold - 1e-12).sum())
    assert lower_limit(failures, RUNS) <= delta


def test_csb_dt_errs_no_more_often_than_it_may():
    epsilon, delta, gamma = 0.1, 0.1, 0.01
    thresholds = np.array([0.7, 0.7, 0.3, 0.6, 0.35])
    problem = Problem([epsilon] * 5, thresholds, 2.0)
    policy = CsbDt(delta, epsilon, gamma)
    horizon = int(csb_dt_rounds(problem, gamma=gamma)) + 1
    found = simulate(problem, policy, horizon=horizon, replications=RUNS, seed=3)["CSB-DT"].found_thresholds
    right = (found >= thresholds - 1e-12) & (found <= thresholds + gamma + 1e-12)
    assert lower_limit(int((~right.all(axis=1)).sum()), RUNS) <= delta


def slope(problem, horizon, replications):
    """(R(T) - R(T/10)) / log 10 of CSB-ST."""
    policy = CsbSt(delta="1/T")
    result = simulate(
        problem, policy, horizon=horizon, replications=replications, seed=5, record=[horizon // 10, horizon]
    )
    early, late = result["CSB-ST"].mean
    return (late - early) / math.log(10.0)


SPACED = [([0.2, 0.35, 0.5, 0.7], 0.5, 1.0), ([0.3, 0.5, 0.7], 0.6, 1.0), ([0.1, 0.3, 0.5, 0.7], 0.5, 1.0)]


def test_corollary_1_csb_st_reaches_the_lower_bound():
    problem = Problem(*SPACED[1])
    constant = lower_bound(problem, 1000) / math.log(1000)
    assert slope(problem, 100_000, 60) == pytest.approx(constant, rel=0.3)


@pytest.mark.soak
@pytest.mark.parametrize("numbers", SPACED)
def test_corollary_1_at_depth(numbers):
    problem = Problem(*numbers)
    constant = lower_bound(problem, 1000) / math.log(1000)
    assert slope(problem, 1_000_000, 200) == pytest.approx(constant, rel=0.3)


def test_theorem_1_is_above_what_csb_st_loses():
    problem = Problem.named("paper-1")
    policy = CsbSt(delta="1/T")
    result = simulate(problem, policy, horizon=10_000, replications=30, seed=1)
    assert result["CSB-ST"].high[-1] < csb_st_regret(problem, 10_000, constant=1.0).total


@given(problems(), st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_spending_what_is_left_never_hurts(problem, seed):
    stream = np.random.default_rng(seed)
    covered = problem.best.covered & (stream.random(problem.arms) < 0.7)
    allocation = np.where(covered, problem.thresholds, 0.0)
    left = max(problem.budget - allocation.sum(), 0.0)
    more = np.minimum(1.0, allocation + left * stream.dirichlet(np.ones(problem.arms)))
    assert problem.loss(more) <= problem.loss(allocation) + 1e-12
