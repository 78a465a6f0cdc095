"""Confidence sequences: the inequality that they rest on, their margins, and that they cover at all times."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp

from allotment.campaign.answers.effect.confidence_sequences import (
    ALPHA,
    LARGEST,
    MIXED,
    approximate_margin,
    exact_limits,
    exact_margin,
    growth,
    log_wealth,
    mixed_rates,
    tightest_at,
)

BOUNDS = (0.5, 4.0, 60.0)


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_inequality_holds_for_every_number_above_the_bound(bound):
    """exp(λY - ψ(λ)Y²) ≤ 1 + λY if Y ≥ -c, with equality at 0 and at -c."""
    numbers = np.concatenate([np.linspace(-bound, bound, 2001), np.geomspace(bound, 1000 * bound, 500)])
    rates = np.linspace(0.001, 0.999, 400) / bound
    bets = np.exp(np.multiply.outer(numbers, rates) - np.multiply.outer(numbers**2, growth(rates, bound)))
    assert (bets <= (1.0 + np.multiply.outer(numbers, rates)) * (1.0 + 1e-9) + 1e-12).all()
    assert bets[0] == pytest.approx(1.0 - rates * bound)


def test_the_inequality_fails_below_the_bound():
    rate = np.array([0.9])
    assert np.exp(-1.2 * rate - growth(rate, 1.0) * 1.2**2) > 1.0 - 1.2 * rate


def brute_force(squares, bound, alpha=ALPHA):
    rates = LARGEST / bound * (0.05 ** (np.arange(MIXED) / (MIXED - 1)))
    psi = (-np.log(1.0 - bound * rates) - bound * rates) / bound**2

    def excess(margin):
        return logsumexp(rates * margin - psi * squares) - np.log(MIXED) - np.log(2.0 / alpha)

    return brentq(excess, 0.0, 1e7 * bound, xtol=1e-12, rtol=1e-14)


@pytest.mark.parametrize("bound", BOUNDS)
def test_margins_are_the_roots(bound):
    squares = np.concatenate([[0.0], np.geomspace(1e-3, 1e7, 60)]) * bound**2
    found = exact_margin(squares, bound)
    assert found == pytest.approx([brute_force(each, bound) for each in squares], rel=1e-9)
    assert log_wealth(found, squares, bound) == pytest.approx(np.log(2.0 / ALPHA), abs=1e-7)


def test_margins_grow_with_squares_with_the_bound_and_with_confidence():
    squares = np.linspace(0.0, 5000.0, 300)
    margins = exact_margin(squares, 5.0)
    assert (np.diff(margins) > 0.0).all()
    assert (exact_margin(squares, 5.0, 0.01) > margins).all()
    assert exact_margin(np.array(0.0), 10.0) == pytest.approx(2.0 * margins[0])
    rising = log_wealth(np.linspace(0.0, 100.0, 200), np.full(200, 70.0), 5.0)
    assert (np.diff(rising) > 0.0).all()


def test_rates_run_from_003_to_06_in_geometric_steps():
    rates = mixed_rates(2.0)
    assert rates[[0, -1]] == pytest.approx([0.015, 0.3])
    assert rates[1:] / rates[:-1] == pytest.approx(np.full(5, 20.0**0.2))


def test_each_side_uses_its_own_bound_and_centre():
    terms, centres = np.array([1.0, 3.0, -2.0]), np.array([0.5, 0.0, 1.0])
    low, high = exact_limits(terms, centres, 4.0, 9.0)
    squares = np.array([0.25, 9.25, 18.25])
    assert low[2] == pytest.approx(2.0 / 3.0 - brute_force(squares[2], 4.0) / 3.0)
    assert high == pytest.approx(
        np.array([1.0, 2.0, 2.0 / 3.0]) + [brute_force(each, 9.0) / n for n, each in enumerate(squares, 1)]
    )


def test_exact_limits_cover_a_changing_mean_at_all_times():
    """500 runs of skewed terms; 25 misses at most are allowed on average, and far fewer happen."""
    stream = np.random.default_rng(36)
    rounds = np.arange(1, 401)
    missed = 0
    for _ in range(500):
        means = np.sin(rounds / 40.0) + 0.5
        jumps = stream.random(400) < 0.1
        terms = means + np.where(jumps, 9.0, -1.0)  # a mean of 0 around the mean
        low, high = exact_limits(terms, means, 1.0, 9.0)
        truth = np.cumsum(means) / rounds
        missed += bool(((low > truth) | (high < truth)).any())
    assert missed <= 25


def test_the_approximate_margin_is_smallest_where_it_is_meant_to_be():
    best = minimize_scalar(
        lambda log_eta: float(approximate_margin(np.array(500.0), np.exp(log_eta))),
        bounds=(-10, 3),
        method="bounded",
    )
    found = approximate_margin(np.array(500.0), tightest_at(500.0))
    assert found == pytest.approx(best.fun, rel=0.001)
    assert found / np.sqrt(500.0) == pytest.approx(3.03, abs=0.01)
