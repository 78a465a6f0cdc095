"""Which thresholds one can plan with instead of the true ones: allocation equivalence (section 3)."""

from allotment.arrays import ArrayLike
from allotment.theory.premises import check_steps
from allotment.tolerance import covers, slack_of
from allotment.worlds.problem import Problem


def allocation_equivalent(problem: Problem, thresholds: ArrayLike) -> bool:
    """Whether one can plan with these thresholds instead of the true ones and lose nothing.

    They must be at least the true ones, so that granting them covers, and the best plan made with them must
    be as good as the best plan. (The paper's definition compares the optima alone; by it 0.69 would do for
    0.7 at Q = 7, although granting 0.69 covers nothing.)

    >>> problem = Problem([0.9, 0.5, 0.2], thresholds=0.3, budget=1.0)
    >>> allocation_equivalent(problem, 1 / 3), allocation_equivalent(problem, 0.29)
    (True, False)
    """
    check_steps(problem)
    supposed = Problem(problem.loss_rates, thresholds, problem.budget, severities=problem.severities)
    if not covers(supposed.thresholds, problem.thresholds, problem.slack).all():
        return False
    return bool(supposed.best.loss <= problem.best.loss + slack_of(problem.best.loss))
