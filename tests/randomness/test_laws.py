"""Gamma and Beta draws from our own bits: exact laws, for one arm or for many, tails included."""

import math

import numba
import numpy as np
import pytest
from scipy import stats

from allotment.randomness.bits import BLOCK, bits_from
from allotment.randomness.laws import SQUEEZE, draw_beta, draw_betas, draw_gamma, draw_gammas, log_chance

DRAWS = 400_000
SHAPES = [1.0, 1.01, 1.5, 2.0, 3.0, 10.0, 40.0, 2500.0, 1e6]
PAIRS = [
    *[(1.0, 1.0), (1.0, 1.5), (1.5, 1.0), (1.0, 2.0), (2.0, 5.0), (1.0, 30.0), (30.0, 1.0), (31.0, 57.0)],
    *[(300.0, 200.0), (9.0, 9000.0), (1.0, 1e6), (1e6, 1.0), (1e3, 1e6), (1e6, 1e6)],
]


@numba.njit(_nrt=False)
def many_gammas(bits, shape, out):
    for i in range(out.size):
        out[i] = draw_gamma(bits, shape)


@numba.njit(_nrt=False)
def many_betas(bits, a, b, out):
    for i in range(out.size):
        out[i] = draw_beta(bits, a, b)


def one_by_one(bits, a, b, count):
    out = np.zeros(count)
    many_betas(bits, a, b, out)
    return out


def in_blocks(bits, a, b, count):
    out = np.zeros(count)
    draw_betas(bits, np.full(count, a), np.full(count, b), out)
    return out


CHANCES = np.sort(np.concatenate([np.linspace(0, 0.5, 501), np.arange(1, 20) / 20_000]))


def assert_follows(law, draws):
    """Chi-square on a thousand equally likely cells, the outermost cut into twenty, and two moments."""
    edges = np.concatenate([law.ppf(CHANCES), law.isf(CHANCES[-2::-1])])
    counts, _ = np.histogram(draws, edges)
    widths = np.diff(CHANCES)
    expected = np.concatenate([widths, widths[::-1]]) * draws.size
    assert counts.sum() == draws.size
    assert stats.chisquare(counts, expected).pvalue > 1e-6
    mean, variance, _, kurtosis = (float(moment) for moment in law.stats("mvsk"))
    assert abs(draws.mean() - mean) < 5 * math.sqrt(variance / draws.size)
    assert abs(draws.var() / variance - 1) < 5 * math.sqrt((kurtosis + 2) / draws.size)


def gammas_one_by_one(bits, shape, count):
    out = np.zeros(count)
    many_gammas(bits, shape, out)
    return out


def gammas_in_blocks(bits, shape, count):
    out = np.zeros(count)
    draw_gammas(bits, np.full(count, shape), out)
    return out


@pytest.mark.parametrize("draw", [gammas_one_by_one, gammas_in_blocks])
@pytest.mark.parametrize("shape", SHAPES)
def test_gamma_draws_follow_the_gamma_law(draw, shape):
    out = draw(bits_from(np.random.default_rng(1)), shape, DRAWS)
    assert out.min() > 0.0
    assert_follows(stats.gamma(shape), out)


@pytest.mark.parametrize("draw", [one_by_one, in_blocks])
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_beta_draws_follow_the_beta_law(draw, a, b):
    out = draw(bits_from(np.random.default_rng(2)), a, b, DRAWS)
    assert out.min() > 0.0
    assert out.max() <= 1.0
    assert_follows(stats.beta(a, b), out)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (3.0, 8.0), (120.0, 80.0)])
def test_numpy_draws_from_the_same_law(a, b):
    rng = np.random.default_rng(3)
    ours = in_blocks(bits_from(rng), a, b, DRAWS)
    assert stats.ks_2samp(ours, rng.beta(a, b, DRAWS)).pvalue > 1e-6


@pytest.mark.parametrize("draw", [one_by_one, in_blocks])
def test_a_slightly_wrong_law_would_be_noticed(draw):
    out = draw(bits_from(np.random.default_rng(4)), 2.0, 5.0, DRAWS)
    with pytest.raises(AssertionError):
        assert_follows(stats.beta(2.0, 5.05), out)


@pytest.mark.parametrize("arms", [1, 2, 3, 4, 5, 20, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK - 2])
def test_every_arm_has_its_own_law(arms):
    rounds = 3000
    rng = np.random.default_rng(arms)
    bits, laws = bits_from(rng), np.exp(rng.uniform(0, 6, (2, arms)))
    out = np.zeros((rounds, arms + 2))
    for row in out:
        draw_betas(bits, *laws, row[1:-1])
    assert not out[:, [0, -1]].any()  # nothing is written beside the arms
    chances = stats.beta.cdf(out[:, 1:-1], *laws)
    assert_uniform_by_arm(chances)


def assert_uniform_by_arm(chances):
    scores = (chances.mean(axis=0) - 0.5) * math.sqrt(12 * len(chances))
    assert np.abs(scores).max() < 4.5
    assert stats.kstest(chances.ravel(), "uniform").pvalue > 1e-6


@pytest.mark.parametrize("arms", [1, 3, 20, BLOCK + 1])
def test_every_arm_has_its_own_shape(arms):
    rng = np.random.default_rng(100 + arms)
    bits, shapes = bits_from(rng), np.exp(rng.uniform(0, 6, arms))
    out = np.zeros((3000, arms + 2))
    for row in out:
        draw_gammas(bits, shapes, row[1:-1])
    assert not out[:, [0, -1]].any()
    assert_uniform_by_arm(stats.gamma.cdf(out[:, 1:-1], shapes))


def test_draws_of_a_round_and_of_the_next_are_independent():
    rounds, arms = 20_000, 22
    rng = np.random.default_rng(5)
    bits, laws = bits_from(rng), np.exp(rng.uniform(0, 4, (2, arms)))
    out = np.zeros((rounds, arms))
    for row in out:
        draw_betas(bits, *laws, row)
    chances = stats.beta.cdf(out, *laws) - 0.5
    within = np.corrcoef(chances.T)[np.triu_indices(arms, 1)] * math.sqrt(rounds)
    assert np.abs(within).max() < 4.5
    for lag in (1, 2, 3):
        across = chances[:-lag].T @ chances[lag:] * 12 / math.sqrt(rounds)
        assert np.abs(across).max() < 5.0


def test_no_arms_is_nothing_to_do():
    nothing = np.zeros(0)
    draw_betas(bits_from(np.random.default_rng(6)), nothing, nothing, nothing)
    draw_gammas(bits_from(np.random.default_rng(6)), nothing, nothing)


def test_the_squeeze_accepts_only_what_the_full_test_accepts():
    """And it settles nearly everything: all but 0.6 (1/P + 1/Q) of the draws."""
    for shape in np.concatenate([np.linspace(1, 3, 21), np.geomspace(3, 1e6, 20)]):
        p = 9.0 * shape - 3.0
        x = math.sqrt(p) * np.linspace(-1.2, 3, 4001)
        chance = np.array([math.exp(log_chance(each, p)) for each in x])
        assert (chance <= 1.0).all()
        assert (1.0 - SQUEEZE * x**4 / p <= chance + 1e-9).all()
    assert math.exp(log_chance(-0.88 * math.sqrt(6.0), 6.0)) < (1.0 - 0.19 * 36 * 0.88**4 / 6)
