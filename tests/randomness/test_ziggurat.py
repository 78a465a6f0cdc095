"""Normal and exponential draws: the layers fit together, and the laws hold far into the tails."""

import math

import numba
import numpy as np
import pytest
from scipy import stats

from allotment.randomness import ziggurat
from allotment.randomness.bits import bits_from
from allotment.randomness.ziggurat import (
    EXPONENTIAL_EDGES,
    EXPONENTIAL_HEIGHTS,
    EXPONENTIAL_TAIL,
    LAYERS,
    NORMAL_EDGES,
    NORMAL_HEIGHTS,
    NORMAL_TAIL,
    draw_exponential,
    draw_normal,
    finish_normal,
)

DRAWS = 3_000_000


@numba.njit(_nrt=False)
def many_normals(bits, out):
    for i in range(out.size):
        out[i] = draw_normal(bits)


@numba.njit(_nrt=False)
def many_exponentials(bits, out):
    for i in range(out.size):
        out[i] = draw_exponential(bits)


@numba.njit(_nrt=False)
def many_beyond(bits, out):
    for i in range(out.size):
        out[i] = finish_normal(bits, 4.0 if i % 2 else -4.0, 0)


@pytest.fixture(scope="module")
def normals():
    out = np.zeros(DRAWS)
    many_normals(bits_from(np.random.default_rng(1)), out)
    return out


@pytest.fixture(scope="module")
def exponentials():
    out = np.zeros(DRAWS)
    many_exponentials(bits_from(np.random.default_rng(2)), out)
    return out


@pytest.mark.parametrize(
    ("edges", "heights", "tail", "tail_area"),
    [
        (NORMAL_EDGES, NORMAL_HEIGHTS, NORMAL_TAIL, math.sqrt(2 * math.pi) * stats.norm.sf(NORMAL_TAIL)),
        (EXPONENTIAL_EDGES, EXPONENTIAL_HEIGHTS, EXPONENTIAL_TAIL, math.exp(-EXPONENTIAL_TAIL)),
    ],
    ids=["normal", "exponential"],
)
def test_layers_have_equal_areas_and_cover_the_density(edges, heights, tail, tail_area):
    assert len(edges) == len(heights) == LAYERS + 1
    assert edges[1] == tail
    assert heights[-1] == 1.0
    areas = edges[1:-1] * np.diff(heights[1:])
    assert np.ptp(np.append(areas, tail * heights[1] + tail_area)) < 1e-10 * areas[0]
    assert edges[0] * heights[1] == pytest.approx(areas[0], rel=1e-12)
    assert (np.diff(edges) < 0).all()


CHANCES = np.sort(np.concatenate([np.linspace(0, 0.5, 1001), np.arange(1, 20) / 40_000]))


def p_value(law, draws):
    """Of a chi-square test on two thousand equally likely cells, the outermost cut into twenty."""
    edges = np.concatenate([law.ppf(CHANCES), law.isf(CHANCES[-2::-1])])
    counts, _ = np.histogram(draws, edges)
    widths = np.diff(CHANCES)
    expected = np.concatenate([widths, widths[::-1]]) * draws.size
    assert counts.sum() == draws.size
    return stats.chisquare(counts, expected).pvalue


def test_normal_draws_follow_the_normal_law(normals):
    assert p_value(stats.norm(), normals) > 1e-6
    assert p_value(stats.chi2(1), normals**2) > 1e-6
    assert stats.binomtest(int((normals > 0).sum()), DRAWS).pvalue > 1e-6


def test_normal_moments(normals):
    for power, moment, spread in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)]:
        assert abs(np.mean(normals**power) - moment) < 5 * math.sqrt(spread / DRAWS)


def test_the_normal_tail_begins_where_and_as_often_as_it_should(normals):
    for bar in (3.5, NORMAL_TAIL, 4.0, 4.5):
        expected = 2 * stats.norm.sf(bar) * DRAWS
        assert abs((np.abs(normals) > bar).sum() - expected) < 5 * math.sqrt(expected)


def test_beyond_the_last_edge_lies_the_tail_of_the_normal_law():
    out = np.zeros(400_000)
    many_beyond(bits_from(np.random.default_rng(3)), out)
    assert (np.sign(out) == np.where(np.arange(out.size) % 2, 1, -1)).all()
    beyond = stats.norm.sf(np.abs(out)) / stats.norm.sf(NORMAL_TAIL)
    assert p_value(stats.uniform(), beyond) > 1e-6
    assert np.abs(out).max() > 5.5


def test_exponential_draws_follow_the_exponential_law(exponentials):
    assert p_value(stats.expon(), exponentials) > 1e-6
    for power, moment, spread in [(1, 1, 1), (2, 2, 20), (3, 6, 684)]:
        assert abs(np.mean(exponentials**power) - moment) < 5 * math.sqrt(spread / DRAWS)
    for bar in (EXPONENTIAL_TAIL, 10.0, 12.0):
        expected = math.exp(-bar) * DRAWS
        assert abs((exponentials > bar).sum() - expected) < 5 * math.sqrt(expected)


def test_draws_that_follow_each_other_are_independent(normals):
    cells = (stats.norm.cdf(normals) * 32).astype(int)
    for lag in (1, 2, 16):
        assert stats.chisquare(np.bincount(cells[:-lag] * 32 + cells[lag:])).pvalue > 1e-6


def test_a_slightly_wrong_law_would_be_noticed(normals):
    assert p_value(stats.norm(scale=1.01), normals) < 1e-6
    narrow = normals[np.abs(normals) < NORMAL_TAIL]  # without its tail
    assert p_value(stats.norm(), narrow) < 1e-6


def test_tables_are_not_for_writing():
    for name in ("NORMAL_WIDTHS", "NORMAL_INNER", "NORMAL_HEIGHTS", "EXPONENTIAL_WIDTHS"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(ziggurat, name)[0] = 0.0
