import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.kernels.loss_rates import exploration_level, hoeffding_radius, kl_lower_bound
from slow import slow_kl_lower_bound


@given(st.integers(1, 100_000), st.floats(0.0, 1.0), st.floats(0.0, 30.0))
@settings(max_examples=300, deadline=None)
def test_the_kl_index_agrees_with_a_slow_computation(seen, share, level):
    mean = round(share * seen) / seen
    assert kl_lower_bound(mean, float(seen), level) == pytest.approx(
        slow_kl_lower_bound(mean, seen, level), abs=1e-9
    )


def test_the_edges():
    assert kl_lower_bound(0.0, 0.0, 3.0) == 0.0
    assert kl_lower_bound(0.0, 10.0, 3.0) == 0.0
    assert kl_lower_bound(1.0, 2.0, 3.0) == pytest.approx(math.exp(-1.5))
    assert kl_lower_bound(0.4, 10.0, 0.0) == 0.4
    assert 0.0 <= kl_lower_bound(1e-3, 1.0, 700.0) <= 1e-300


def test_the_levels():
    assert exploration_level(1.0, 3.0) == 0.0
    assert exploration_level(100.0, 0.0) == pytest.approx(math.log(100.0))
    assert exploration_level(100.0, 3.0) == pytest.approx(math.log(100.0) + 3.0 * math.log(math.log(100.0)))
    assert hoeffding_radius(100.0, 6.0) == pytest.approx(math.sqrt(3.0 * math.log(100.0) / 12.0))
