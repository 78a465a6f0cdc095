"""What a round is said to tell about a threshold, against what it does to the posterior."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from scipy import stats

from allotment import Posterior
from allotment.policies.joint.information import chance_of_loss, entropy, expect_information
from policies.joint.test_threshold_beliefs import LEVELS, cases, told


def information(compiled):
    written = np.zeros(len(LEVELS) + 1)
    expect_information(compiled, 0, written)
    return written


def divergence(after, before):
    likely = after > 1e-15  # a smaller weight adds next to nothing, and may have been 0 before
    return float(after[likely] @ np.log(after[likely] / before[likely]))


@given(cases(kinds=["binary"]))
@example((Posterior.over(LEVELS), [(0, 2, 1, 1), (0, 3, 0, 5)]))  # candidates are ruled out, rates differ
@example(
    (Posterior.over(LEVELS, leak_chance=0.02), [(0, 1, 1, 192)])
)  # a weight of 0 becomes a subnormal one
@settings(max_examples=100, deadline=None)
def test_it_is_how_far_the_posterior_is_expected_to_move(case):
    prior, stretches = case
    compiled, (posterior, *_) = told(prior, stretches, arms=3, shared=False)
    for covered, written in enumerate(information(compiled)):
        amount = [0.0, *LEVELS][covered]
        loss = posterior.expected_loss(amount)
        expected = (1.0 - loss) * divergence(posterior.after(amount, losses=0).weights, posterior.weights)
        if loss > 0.0:
            expected += loss * divergence(posterior.after(amount, losses=1).weights, posterior.weights)
        assert written == pytest.approx(expected, abs=1e-9)


@given(cases(kinds=["counts"]))
@settings(max_examples=30, deadline=None)
def test_of_counts_it_is_whether_there_was_any(case):
    prior, stretches = case
    compiled, (posterior, *_) = told(prior, stretches, arms=3, shared=False)
    chances = np.zeros((2, len(LEVELS) + 1))  # uncovered and covered, by candidate
    for j, (shape, rate) in enumerate(zip(*posterior.rate_shapes, strict=True)):
        for covered, share in enumerate((1.0, posterior.leak)):
            law = stats.gamma(shape, scale=1.0 / rate)
            quantiles = (np.arange(20_000) + 0.5) / 20_000
            chances[covered, j] = 1.0 - np.exp(-share * law.ppf(quantiles)).mean()
            assert chance_of_loss(compiled, 0, j, bool(covered)) == pytest.approx(
                chances[covered, j], abs=2e-4
            )
    for covered, written in enumerate(information(compiled)):
        seen = np.where(np.arange(len(LEVELS) + 1) < covered, chances[1], chances[0])
        expected = entropy(posterior.weights @ seen) - posterior.weights @ [entropy(each) for each in seen]
        assert written == pytest.approx(expected, abs=2e-3)


def test_nothing_is_told_where_nothing_is_open():
    compiled, _ = told(
        Posterior.over(LEVELS), [(0, 0, 1, 500), (0, 2, 0, 5000), (0, 1, 1, 1)], arms=1, shared=False
    )
    np.testing.assert_allclose(information(compiled)[2:], 0.0, atol=1e-9)
