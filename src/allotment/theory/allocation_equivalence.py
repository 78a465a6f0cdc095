"""Allocation equivalence (section 3): thresholds that are as good to plan with as the true ones."""

import numpy as np

from allotment.arrays import ArrayLike
from allotment.checks import per_arm
from allotment.theory.premises import check_steps
from allotment.tolerance import covers, slack_of
from allotment.worlds.problem import Problem


def allocation_equivalent(problem: Problem, thresholds: ArrayLike) -> bool:
    """Whether planning with these thresholds, instead of the true ones, loses nothing.

    They must be at least the true thresholds, so that granting them covers the arms, and the best plan made
    with them must be as good as the best plan. The paper's definition compares the best plans alone. By it,
    0.69 would do for 0.7 at Q = 7, although granting 0.69 covers nothing.

    Parameters
    ----------
    problem : Problem
        A problem with thresholds.
    thresholds : float or array_like
        The thresholds to plan with. Infinity means that the arm is given up.

    Returns
    -------
    bool
        Whether they are equivalent.

    Raises
    ------
    NotApplicableError
        If the problem has no thresholds.

    Examples
    --------
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
