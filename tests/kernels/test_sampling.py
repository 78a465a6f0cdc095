"""The samplers' laws: the sizes and seeds are fixed, and a right sampler fails none of these."""

import itertools

import numba
import numpy as np
import pytest
from scipy import stats

from allotment.kernels.sampling import draw_beta, draw_gamma, shuffle

DRAWS = 200_000


@numba.njit
def many_gammas(rng, shape, out):
    for i in range(out.size):
        out[i] = draw_gamma(rng, shape)


@numba.njit
def many_betas(rng, a, b, out):
    for i in range(out.size):
        out[i] = draw_beta(rng, a, b)


@pytest.mark.parametrize("shape", [1.0, 1.5, 3.0, 40.0, 2500.0])
def test_gamma_draws_follow_the_gamma_law(shape):
    out = np.zeros(DRAWS)
    many_gammas(np.random.default_rng(1), shape, out)
    assert stats.kstest(out, stats.gamma(shape).cdf).pvalue > 1e-4


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 30.0), (2.0, 5.0), (300.0, 200.0), (9.0, 9000.0)])
def test_beta_draws_follow_the_beta_law(a, b):
    out = np.zeros(DRAWS)
    many_betas(np.random.default_rng(2), a, b, out)
    assert stats.kstest(out, stats.beta(a, b).cdf).pvalue > 1e-4
    assert out.min() >= 0.0
    assert out.max() <= 1.0


def test_a_slightly_wrong_law_would_be_noticed():
    out = np.zeros(DRAWS)
    many_betas(np.random.default_rng(3), 2.0, 5.0, out)
    assert stats.kstest(out, stats.beta(2.0, 5.1).cdf).pvalue < 1e-4


def test_every_order_is_equally_likely():
    orders = dict.fromkeys(itertools.permutations(range(4)), 0)
    rng = np.random.default_rng(4)
    for _ in range(24_000):
        items = np.array([0, 1, 2, 3, 9])
        shuffle(rng, items, 4)
        assert items[4] == 9
        orders[tuple(int(item) for item in items[:4])] += 1
    assert stats.chisquare(list(orders.values())).pvalue > 1e-4
