"""Studentised bootstrap intervals: how often they cover, and laws that they keep."""

import numpy as np
import pytest
from scipy.special import stdtrit

from studies.regret import mean_interval, ratio_interval

TRIALS = 2000


def covered(found, truth):
    return int(((found.low <= truth) & (truth <= found.high)).sum())


def students_t(values):
    half = stdtrit(len(values) - 1, 0.975) * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return int((np.abs(values.mean(axis=0) - 1.0) <= half).sum())


def skewed(runs, seed):
    """Runs x trials of a law with mean 1 and skewness 2.8."""
    return np.random.default_rng(seed).gamma(0.5, 2.0, (runs, TRIALS))


@pytest.mark.parametrize("runs", [20, 50])
def test_intervals_of_skewed_regret_cover_more_than_students_t(runs):
    values = skewed(runs, seed=1)
    found = covered(mean_interval(values), 1.0)
    assert students_t(values) < 0.93 * TRIALS
    assert 0.935 * TRIALS < found < 0.96 * TRIALS


@pytest.mark.parametrize(("runs", "least"), [(20, 0.915), (50, 0.935)])
def test_intervals_of_ratios_of_means_cover_in_pairs(runs, least):
    """Both regrets of a pair have a part of their luck in common."""
    luck = skewed(runs, seed=2)
    above, below = luck + skewed(runs, seed=3), luck + np.random.default_rng(4).gamma(4.0, 0.25, luck.shape)
    found = covered(ratio_interval(above, below), 1.0)
    assert least * TRIALS < found < 0.96 * TRIALS


def test_intervals_keep_to_scale_and_order():
    values, other = skewed(30, seed=5)[:, :3], 1.0 + skewed(30, seed=6)[:, :3]
    found, order = mean_interval(values), np.random.default_rng(7).permutation(30)
    for name in ("value", "low", "high"):
        assert getattr(mean_interval(10.0 * values), name) == pytest.approx(10.0 * getattr(found, name))
        assert getattr(mean_interval(values + 5.0), name) == pytest.approx(5.0 + getattr(found, name))
        scaled = ratio_interval(values[:, 0] / 2.0, other[:, 0])
        column = getattr(ratio_interval(values, other), name)[0]
        assert getattr(scaled, name) == pytest.approx(0.5 * column)
    assert mean_interval(values[order]).low == pytest.approx(found.low, rel=0.05)
    wider = mean_interval(values, 0.99)
    assert (wider.low < found.low).all()
    assert (found.high < wider.high).all()


def test_few_runs_give_wide_intervals_and_equal_ones_none():
    assert np.isnan(mean_interval([3.0]).low)
    assert mean_interval([3.0, 4.0]).high == np.inf
    same = ratio_interval([4.0, 2.0, 6.0], [2.0, 1.0, 3.0])
    assert (same.value, same.low, same.high) == (2.0, 2.0, 2.0)
