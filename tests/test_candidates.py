import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment import InputError, Problem, allocation_equivalent, candidate_thresholds
from allotment.candidates import arms_covered
from strategies import problems


@pytest.mark.parametrize(
    ("arms", "budget", "expected"),
    [
        (3, 2.0, [2 / 3, 1.0]),
        (3, 3.0, [1.0]),
        (3, 10.0, [1.0]),
        (1, 0.4, [0.4]),
        (4, 0.6, [0.15, 0.2, 0.3, 0.6]),
        (4, 2.5, [0.625, 2.5 / 3, 1.0]),
        (5, 0.0, []),
    ],
)
def test_the_candidate_set_of_lemma_1(arms, budget, expected):
    assert candidate_thresholds(arms, budget).tolist() == pytest.approx(expected)


def test_sizes_from_the_notes():
    assert candidate_thresholds(20, 7.0).size == 14
    capped = candidate_thresholds(20, 7.5)
    assert capped[-1] == 1.0
    assert capped.size == 14
    assert arms_covered(capped[-1], 20, 7.5) == 7


@given(st.integers(1, 40), st.floats(1e-3, 45.0), st.floats(1e-3, 1.0))
def test_lemma_1_some_candidate_serves_for_every_threshold(arms, budget, threshold):
    candidates = candidate_thresholds(arms, budget)
    assert (np.diff(candidates) > 0).all()
    covered = arms_covered(threshold, arms, budget)
    if covered == 0:
        return
    able = candidates[candidates >= threshold - 1e-12]
    assert able.size
    assert arms_covered(able[0], arms, budget) == covered


@given(problems(same_threshold=True), st.floats(1e-3, 1.0))
@settings(max_examples=100, deadline=None)
def test_equivalence_means_that_planning_with_it_loses_nothing(problem, supposed):
    equivalent = allocation_equivalent(problem, supposed)
    plan = Problem(problem.loss_rates, supposed, problem.budget).best.allocation
    if equivalent:
        assert problem.regret(plan) <= 1e-11
    else:
        too_low = supposed < problem.thresholds[0] - problem.slack
        assert too_low or problem.regret(plan) > 1e-13


def test_the_printed_definition_is_not_enough():
    problem = Problem.named("paper-1")
    assert not allocation_equivalent(problem, 0.69)
    assert allocation_equivalent(problem, 0.7)
    assert not allocation_equivalent(problem, 0.71)


@given(problems())
@settings(max_examples=60, deadline=None)
def test_lemma_3_thresholds_may_be_overestimated_by_gamma(problem):
    best = problem.best
    over = problem.thresholds + best.gamma
    if over.max() <= 1.0:
        assert allocation_equivalent(problem, over)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="arms is 0; expected a whole number of at least 1"):
        candidate_thresholds(0, 1.0)
    with pytest.raises(InputError, match="budget is -1"):
        candidate_thresholds(2, -1)
