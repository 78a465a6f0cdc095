import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.special import divergence
from slow import slow_divergence


@given(st.floats(0.0, 1.0), st.floats(1e-9, 1.0 - 1e-9))
def test_it_is_the_formula(p, q):
    assert divergence(p, q) == pytest.approx(slow_divergence(p, q), rel=1e-11, abs=1e-300)


@given(st.floats(0.01, 0.99), st.floats(1e-9, 0.02), st.booleans())
def test_it_is_exact_close_to_equality(p, distance, below):
    q = p * (1.0 - distance) if below else p + (1.0 - p) * distance
    assert divergence(p, q) == pytest.approx(slow_divergence(p, q), rel=1e-11)


def test_the_edges():
    assert divergence(0.0, 0.0) == divergence(1.0, 1.0) == divergence(0.3, 0.3) == 0.0
    assert divergence(0.3, 0.0) == divergence(0.3, 1.0) == divergence(1.0, 0.0) == math.inf
    assert divergence(0.0, 0.5) == divergence(1.0, 0.5) == pytest.approx(math.log(2.0))
