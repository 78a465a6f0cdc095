import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.tolerance import covers, fits, how_many_fit, slack_of


@pytest.mark.parametrize(
    ("amount", "budget", "times"), [(0.7, 7.0, 10), (0.7, 2.1, 3), (0.1, 0.3, 3), (0.35, 7, 20)]
)
def test_decimal_amounts_fit_as_often_as_they_do_on_paper(amount, budget, times):
    assert how_many_fit(amount, budget, slack_of(budget)) == times


def test_decimal_sums_fit_exactly():
    assert fits(0.7 + 0.7 + 0.6, 2.0, slack_of(2.0))
    assert fits(0.1 + 0.2, 0.3, slack_of(0.3))
    assert not fits(2.0 + 1e-9, 2.0, slack_of(2.0))


@given(st.floats(1e-3, 1.0))
def test_an_allocation_equal_to_the_threshold_covers(threshold):
    assert covers(threshold, threshold, slack_of(1.0))
    assert not covers(threshold - 1e-9, threshold, slack_of(1.0))


@given(st.floats(1e-3, 1.0), st.floats(0.0, 1000.0))
def test_what_fits_so_often_stays_within_the_budget(amount, budget):
    slack = slack_of(budget)
    times = how_many_fit(amount, budget, slack)
    assert times * amount <= budget + 1.001 * slack
    assert (times + 1) * amount > budget
