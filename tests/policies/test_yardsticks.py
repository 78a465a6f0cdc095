"""Yardsticks with AnyResponse's tricks, and a learnt prior of pairs: draws have the law that they should."""

import numpy as np
import pytest
from scipy import stats

from allotment import Cts, Evidence, InputError, KnownResponse, PairTs, Problem

DRAWS = 2000
ARMS, ROUNDS, LOSSES = 2, (6, 40), (2, 30)
EVIDENCE = Evidence(ARMS, [(arm, 0.0, ROUNDS[arm], LOSSES[arm]) for arm in range(ARMS)])
PROBLEM = Problem([0.5, 0.5], [0.5, 0.25], 0.5, unit=0.25)


def drawn(policy, read):
    """What a learner draws in rounds of which nothing is reported, so that its posterior stays the same."""
    learner = policy.start(ARMS, 0.5, seed=3, evidence=EVIDENCE)
    found = []
    for _ in range(DRAWS):
        learner.ask()
        found.append(read(learner.state).copy())
        learner.tell([np.nan] * ARMS)
    return np.array(found).T


def sample(first, second, size, cut_at=None):
    """The means of two draws of a Beta, each cut at its expectation, or that of a function of it."""
    draws = np.random.default_rng(1).beta(first, second, (size, 2))
    if cut_at is not None:
        draws = np.minimum(draws, cut_at(draws))
    return draws.mean(axis=1)


def same_law(one, other):
    return stats.ks_2samp(one, other).pvalue > 1e-4


def test_cts_averages_draws_that_are_cut_at_their_expectation():
    found = drawn(Cts(thresholds=0.5, draws=2, optimistic=True), lambda state: state.coverage.estimates)
    for arm in range(ARMS):
        first, second = 1 + LOSSES[arm], 1 + ROUNDS[arm] - LOSSES[arm]
        expected = first / (first + second)
        assert (found[arm] <= expected).all()
        assert same_law(found[arm], sample(first, second, 100_000, lambda _, most=expected: most))
    plain = drawn(Cts(thresholds=0.5, draws=2), lambda state: state.coverage.estimates)
    assert same_law(plain[0], sample(3, 5, 100_000))


def _typical(draws):
    """The rate at the mean of log(-log(1 - rate)), the scale on which AnyResponse cuts."""
    return -np.expm1(-np.exp(np.log(-np.log1p(-draws)).mean()))


def test_the_learner_told_the_curves_averages_draws_that_are_cut_likewise():
    policy = KnownResponse(PROBLEM, draws=2, optimistic=True)
    found = drawn(policy, lambda state: state.values[:, -1])
    for arm in range(ARMS):
        expected = sample(0.5 + LOSSES[arm], 1 + ROUNDS[arm] - LOSSES[arm], 100_000, _typical)
        # Its rates are computed at 16 nodes, so the law is near, not the same.
        assert found[arm].mean() == pytest.approx(expected.mean(), rel=0.03)
        assert found[arm].std() == pytest.approx(expected.std(), rel=0.1)


def test_a_learnt_prior_of_pairs_has_the_mean_of_all_rounds():
    found = drawn(PairTs(unit=0.25, prior="learnt"), lambda state: -state.values)
    mean = (1 + sum(LOSSES)) / (2 + sum(ROUNDS))
    for arm, amount, losses, quiet in [(0, 0, 2, 4), (1, 0, 30, 10), (1, 3, 0, 0)]:
        law = stats.beta(2 * mean + losses, 2 - 2 * mean + quiet)
        assert stats.kstest(found[amount, arm], law.cdf).pvalue > 1e-4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cts(draws=0), "draws is 0; expected a whole number of at least 1"),
        (lambda: Cts(optimistic="no"), "optimistic is 'no'; expected"),
        (lambda: KnownResponse(PROBLEM, draws=0), "draws is 0; expected a whole number of at least 1"),
        (lambda: PairTs(prior="flat"), "prior is 'flat'; expected one of"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()
