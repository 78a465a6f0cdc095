"""An equal split in whole units grants all that it can, and the same to every arm over time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import EqualSplit, Evidence, InputError, Problem, trace

UNITS = st.sampled_from([1, 2, 3, 10, 20])


@given(UNITS, st.integers(1, 9), st.integers(0, 60), st.integers(1, 40))
@settings(deadline=None, max_examples=60)
def test_grants_are_whole_units_spend_the_budget_and_are_equal_over_time(full, arms, budget, rounds):
    problem = Problem([0.5] * arms, 1 / full, budget / full, unit=1 / full)
    played = trace(problem, EqualSplit(unit=1 / full), horizon=rounds, seed=1)
    units = played.allocations * full
    assert np.allclose(units, np.rint(units))
    assert (np.rint(units).sum(axis=1) == min(budget, arms * full)).all()
    assert np.ptp(np.rint(units), axis=1).max() <= 1
    assert np.ptp(np.rint(np.cumsum(units, axis=0)), axis=1).max() <= 1


@given(UNITS, st.integers(1, 9))
def test_a_share_of_whole_units_is_the_same_as_without_a_unit(full, arms):
    for each in range(full + 1):
        budget = arms * each / full
        plain, units = (EqualSplit(unit=unit).start(arms, budget, seed=0) for unit in (None, 1 / full))
        assert plain.ask() == pytest.approx(units.ask(), abs=1e-12)


@given(st.integers(0, 30), st.integers(2, 6), st.data())
@settings(deadline=None, max_examples=40)
def test_whose_turn_it_is_follows_from_the_number_of_rounds_alone(rounds, arms, data):
    policy, budget = EqualSplit(unit=0.5), data.draw(st.integers(0, 2 * arms)) / 2
    told, parts = (policy.start(arms, budget, seed=0) for _ in range(2))
    first = np.arange(arms) == 0
    for _ in range(rounds):
        told.tell([1] * arms, [0.0] * arms)
        for part in (first, ~first):
            parts.tell(np.where(part, 0.0, math.nan), [0.5] * arms)
    known = Evidence(arms, [(arm, 0.5, rounds, 0) for arm in range(arms) if rounds])
    informed = policy.start(arms, budget, seed=0, evidence=known)
    assert told.ask().tolist() == parts.ask().tolist() == informed.ask().tolist()


def test_in_whole_units_it_is_no_straw_man():
    """One unit for four arms: a fourth of a unit covers nobody, a unit in turn covers one arm at a time."""
    problem = Problem([0.5] * 4, 1.0, 1.0, unit=1.0)
    plain, units = (trace(problem, EqualSplit(unit=unit), horizon=400, seed=1) for unit in (None, 1.0))
    assert plain.regret[-1] == pytest.approx(400 * 0.5)
    assert units.regret[-1] == pytest.approx(0.0)


def test_a_unit_that_does_not_divide_one_is_named():
    with pytest.raises(
        InputError, match=r"unit is 0.3; expected a number above 0 and at most 1 that divides"
    ):
        EqualSplit(unit=0.3)
