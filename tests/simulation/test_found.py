import math

import numpy as np
import pytest

from allotment import (
    CsbDt,
    EqualSplit,
    Exponential,
    NotApplicableError,
    Problem,
    allocation_equivalent,
    simulate,
)
from allotment.simulation.found import Found, count_found

PROBLEM = Problem([0.9, 0.5, 0.2], [0.3, 0.4, 0.6], budget=1.0)  # best: cover the first two, 0.3 to spare
NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("thresholds", "how"),
    [
        ([0.3, 0.4, 0.6], "right"),
        ([0.45, 0.55, 1.0], "right"),  # not exact, and nothing is lost by it
        ([0.3, 0.4, INF], "right"),  # given up: it would not have been covered anyway
        ([0.29, 0.4, 0.6], "too_low"),
        ([0.29, INF, 0.6], "too_low"),
        ([0.6, 0.5, 0.6], "too_high"),
        ([0.3, INF, 0.6], "too_high"),
        ([INF, INF, INF], "too_high"),
        ([0.3, NAN, 0.6], "unfinished"),
        ([0.29, NAN, INF], "unfinished"),
    ],
)
def test_each_end_of_a_search_is_counted_as_what_it_is(thresholds, how):
    found = count_found(PROBLEM, np.array([thresholds, [0.3, 0.4, 0.6]]))
    expected = {"right": 1, "too_low": 0, "too_high": 0, "unfinished": 0}
    expected[how] += 1
    assert found == Found(**expected, given_up=int(INF in thresholds))
    assert found.replications == 2
    assert how == "unfinished" or allocation_equivalent(PROBLEM, thresholds) == (how == "right")


def test_the_sentence():
    assert str(Found(93, 2, 0, 5, 1)) == "right in 93 of 100; too low in 2, unfinished in 5"
    assert str(Found(5, 0, 0, 0, 0)) == "right in 5 of 5"


def test_a_result_answers_for_policies_that_search():
    two = Problem.named("paper-2")
    for budget, right in ((2.0, 0), (2.05, 8)):  # the first is hopeless
        problem = Problem(two.loss_rates, two.thresholds, budget)
        result = simulate(problem, [CsbDt(), EqualSplit()], horizon=900, replications=8, seed=1)
        assert list(result.found()) == ["CSB-DT"]
        assert result.found()["CSB-DT"] == Found(right, 0, 8 - right, 0, 0)
    short = simulate(two, CsbDt(), horizon=50, replications=3, seed=1)
    assert short.found()["CSB-DT"].unfinished == 3


def test_where_there_are_no_thresholds_none_can_be_right():
    soft = Problem([0.5, 0.4], budget=0.6, response=Exponential(0.3), unit=0.1)
    result = simulate(soft, CsbDt(), horizon=50, replications=2, seed=1)
    with pytest.raises(NotApplicableError, match="there are no thresholds here"):
        result.found()
