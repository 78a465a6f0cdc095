"""Which thresholds can matter: the candidate set of Lemma 1, and allocation equivalence (section 3)."""

import numpy as np
from numpy.typing import ArrayLike

from allotment.checks import FloatArray, nonnegative, whole
from allotment.problem import Problem
from allotment.tolerance import covers, how_many_fit, slack_of


def candidate_thresholds(arms: int, budget: float) -> FloatArray:
    """Θ of Lemma 1, increasing: min(1, Q/M) for M = K, K-1, …, max(1, ⌊Q⌋).

    Whatever threshold all arms share, granting the right one of these covers as many arms. With a budget of 0
    there is none: nothing can be covered.

    >>> candidate_thresholds(4, 2.5).tolist()
    [0.625, 0.8333333333333334, 1.0]
    """
    arms = whole("arms", arms, least=1)
    budget = nonnegative("budget", budget)
    if budget <= slack_of(budget):
        return np.zeros(0)
    fewest = min(arms, max(1, how_many_fit(1.0, budget, slack_of(budget))))
    counts = np.arange(arms, fewest - 1, -1)
    return np.minimum(1.0, budget / counts)


def arms_covered(threshold: float, arms: int, budget: float) -> int:
    """M: how many arms the budget covers at this threshold, min(⌊Q/θ⌋, K)."""
    return min(arms, how_many_fit(threshold, budget, slack_of(budget)))


def allocation_equivalent(problem: Problem, thresholds: ArrayLike) -> bool:
    """Whether one can plan with these thresholds instead of the true ones and lose nothing.

    They must be at least the true ones, so that granting them covers, and the best plan made with them must
    be as good as the best plan. (The paper's definition compares the optima alone; by it 0.69 would do for
    0.7 at Q = 7, although granting 0.69 covers nothing.)

    >>> problem = Problem([0.9, 0.5, 0.2], thresholds=0.3, budget=1.0)
    >>> allocation_equivalent(problem, 1 / 3), allocation_equivalent(problem, 0.29)
    (True, False)
    """
    supposed = Problem(problem.loss_rates, thresholds, problem.budget, severities=problem.severities)
    if not covers(supposed.thresholds, problem.thresholds, problem.slack).all():
        return False
    return bool(supposed.best.loss <= problem.best.loss + slack_of(problem.best.loss))
