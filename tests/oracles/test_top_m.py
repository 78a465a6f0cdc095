import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.oracles.top_m import mark_largest

VALUES = st.lists(st.one_of(st.sampled_from([0.0, 0.25, 0.5]), st.floats(0, 1)), min_size=1, max_size=60)


@given(VALUES, st.integers(-1, 61))
@settings(max_examples=300, deadline=None)
def test_the_m_largest_are_marked_ties_to_the_lower_index(values, m):
    array = np.array(values)
    chosen = np.zeros(array.size, np.bool_)
    mark_largest(array, m, chosen, np.zeros(array.size, np.int64))
    order = sorted(range(array.size), key=lambda i: (-array[i], i))
    expected = set(order[: max(0, m)])
    assert {int(i) for i in np.flatnonzero(chosen)} == expected


@pytest.mark.parametrize("size", [20, 33, 5000])
def test_large_and_small_agree_with_sorting(size):
    values = np.random.default_rng(size).random(size)
    chosen = np.zeros(size, np.bool_)
    mark_largest(values, size // 3, chosen, np.zeros(size, np.int64))
    assert set(np.flatnonzero(chosen)) == set(np.argsort(values)[-(size // 3) :])
