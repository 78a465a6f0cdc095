"""The paper's worlds are what they were before there were others."""

import numpy as np
import pytest

from allotment import EqualSplit, Problem, Step, simulate
from allotment.worlds.environment import CensoredCounts, CensoredLosses

COUNTS = Problem([3.0, 0.2, 1.0], [0.5, 0.3, 0.6], 0.9, losses="counts", severities=[1, 2, 3])


def test_steps_are_played_by_the_kernels_that_they_had():
    assert isinstance(Problem.named("paper-1").environment(), CensoredLosses)
    assert isinstance(Problem([0.5], budget=1.0, response=Step(0.4)).environment(), CensoredLosses)
    assert isinstance(COUNTS.environment(), CensoredCounts)


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (Problem.named("paper-1"), 2700.000000000025),
        (Problem.named("paper-2"), 1035.0000000000105),
        (COUNTS, 1500.0),
        (Problem.random(12, seed=5, thresholds="clustered"), 1758.6916915504394),
    ],
)
def test_regret_is_what_it_was(problem, expected):
    result = simulate(problem, EqualSplit(), horizon=500, replications=2, seed=11)
    assert result["Equal split"].final[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ({}, [61.846565855155255, 59.31935315559099, 2.384988444707584, 2.8688600577930794]),
        (
            {"rates": "low", "thresholds": "same"},
            [4.665674475597202, 15.764005054373175, 0.6896752211288265, 0.1561798513620678],
        ),
        (
            {"rates": "gapped", "thresholds": "clustered", "resolution": 0.01, "tightness": 0.6},
            [64.06666666666666, 39.730000000000004, 2.9579999999999997, 0.6],
        ),
        (
            {"rates": "high", "hopeless": True},
            [90.92328292757765, 59.31935315559099, 2.291361421609815, 4.93443002889654],
        ),
    ],
)
def test_seeds_give_the_problems_that_they_gave(kind, expected):
    problem, weights = Problem.random(15, seed=3, **kind), np.arange(1, 16)
    found = [problem.loss_rates @ weights, problem.thresholds @ weights, problem.budget, problem.best.loss]
    assert found == pytest.approx(expected, rel=1e-13)


def test_a_plain_problem_is_written_as_it_was():
    assert list(Problem.named("paper-2").to_dict()) == [
        "budget",
        "loss_rates",
        "thresholds",
        "severities",
        "names",
        "losses",
    ]
