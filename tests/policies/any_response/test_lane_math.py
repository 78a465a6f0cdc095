"""Logarithms and exponentials of our own against the C library's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from allotment.compiling.decorators import Entry
from allotment.kernels.lane_math import lane_exp, lane_log, log_gamma
from allotment.special import log_gamma as plain_log_gamma


@Entry
def logs(numbers, out):
    for i in range(numbers.size):
        out[i] = lane_log(numbers[i])


@Entry
def exps(numbers, out):
    for i in range(numbers.size):
        out[i] = lane_exp(numbers[i])


def values(function, numbers):
    out = np.zeros_like(numbers)
    function(numbers, out)
    return out


def test_logarithms():
    stream = np.random.default_rng(0)
    numbers = np.concatenate(
        [np.exp(stream.uniform(-700, 700, 50_000)), stream.uniform(0, 2, 50_000), [1.0, 0.5, 2.0, 2.0**-1000]]
    )
    assert values(logs, numbers) == pytest.approx(np.log(numbers), rel=1e-14, abs=3e-14)
    assert values(logs, np.ones(3)).tolist() == [0.0] * 3


def test_exponentials():
    numbers = np.concatenate([np.random.default_rng(1).uniform(-700, 700, 100_000), [0.0, 1e-300, -1e-9]])
    assert values(exps, numbers) == pytest.approx(np.exp(numbers), rel=1e-15)
    assert values(exps, np.array([-708.5, -1e5, -np.inf])).tolist() == [0.0] * 3


@settings(deadline=None)
@given(st.floats(1e-6, 1e9))
def test_log_gamma(x):
    assert log_gamma(x) == plain_log_gamma(x)
    assert log_gamma(x) == pytest.approx(gammaln(x), rel=3e-14, abs=3e-14)
