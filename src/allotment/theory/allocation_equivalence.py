"""Which thresholds one can plan with instead of the true ones: allocation equivalence (section 3)."""

import numpy as np

from allotment.arrays import ArrayLike
from allotment.checks import per_arm
from allotment.theory.premises import check_steps
from allotment.tolerance import covers, slack_of
from allotment.worlds.problem import Problem


def allocation_equivalent(problem: Problem, thresholds: ArrayLike) -> bool:
    """Whether one can plan with these thresholds instead of the true ones and lose nothing.

    They must be at least the true ones, so that granting them covers, and the best plan made with them must
    be as good as the best plan. (The paper's definition compares the optima alone; by it 0.69 would do for
    0.7 at Q = 7, although granting 0.69 covers nothing.) An infinite one stands for an arm that is given up.

    >>> problem = Problem([0.9, 0.5, 0.2], thresholds=0.3, budget=1.0)
    >>> allocation_equivalent(problem, 1 / 3), allocation_equivalent(problem, 0.29)
    (True, False)
    """
    check_steps(problem)
    planned = list(np.ravel(per_arm(thresholds, problem.arms)))
    given_up = np.array([each == np.inf for each in planned])
    rates = problem.loss_rates
    if given_up.any() and given_up.size == problem.arms:  # to plan as if nothing were lost there is the same
        rates = np.where(given_up, 0.0, rates)
        thresholds = np.where(given_up, 1.0, planned)
    supposed = Problem(rates, thresholds, problem.budget, severities=problem.severities)
    if not covers(supposed.thresholds, problem.thresholds, problem.slack).all():
        return False
    missed = float(problem.stakes[given_up].sum()) if given_up.any() else 0.0
    return bool(supposed.best.loss + missed <= problem.best.loss + slack_of(problem.best.loss))
