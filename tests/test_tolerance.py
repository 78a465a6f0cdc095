import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.compiling import comparisons
from allotment.compiling.decorators import kernel
from allotment.policies.any_response.family import Family
from allotment.policies.joint.parameters import grid
from allotment.tolerance import (
    RELATIVE,
    ceil_with_tolerance,
    covers,
    fits,
    floor_with_tolerance,
    how_many_fit,
    slack_of,
)
from allotment.worlds.responses import Step


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


@kernel
def compiled_floor(ratio):
    return comparisons.floor_with_tolerance(ratio)


def computed_in_several_ways(over, under):
    """A ratio of whole numbers in floating point, with more or less rounding on the way."""
    added, shifted = sum(over * [1.0 / under]), (over + 0.1) / under - 0.1 / under
    return [over / under, over * (1.0 / under), 1.0 / (under / over), added, shifted]


@given(st.integers(1, 300), st.integers(1, 300))
def test_computed_ratios_round_as_the_exact_ones_do(over, under):
    exact = Fraction(over, under)
    for ratio in computed_in_several_ways(over, under):
        assert ceil_with_tolerance(ratio) == math.ceil(exact)
        assert floor_with_tolerance(ratio) == compiled_floor(ratio) == math.floor(exact)
        assert ceil_with_tolerance(-ratio) == -floor_with_tolerance(ratio)


@given(st.integers(-(10**6), 10**6), st.floats(1e-9, 1.0 - 1e-9))
def test_what_is_clearly_no_whole_number_rounds_as_ever(whole, part):
    if whole < whole + part * 0.998 + 0.001 < whole + 1:
        ratio = whole + part * 0.998 + 0.001
        assert (floor_with_tolerance(ratio), ceil_with_tolerance(ratio)) == (whole, whole + 1)


@given(st.integers(1, 1000), st.sampled_from(["0.1", "0.05", "0.02", "0.01", "0.001", "0.0001"]))
def test_a_grid_has_the_multiples_below_its_end_and_its_end(most, resolution):
    count = math.ceil(Fraction(most, 1000) / Fraction(resolution))
    found = grid(float(resolution), most / 1000)
    assert found.size == count
    assert (found[1:] > found[:-1]).all()


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from([-1e-11, -1e-14, 0.0, 1e-14, 1e-11]))
def test_a_step_needs_the_units_that_cover_it(part, units, off):
    threshold = min(1.0, part / max(part, units) + off)
    family = Family.of([(Step(threshold), 1.0)], units)
    fewest = next(u for u in range(units + 1) if covers(u / units, threshold, RELATIVE))
    assert family.steps.tolist() == [fewest]
    assert family.for_arms(1, [threshold], units).tolist() == [[1.0]]
