"""The gaps ∇ of sections 3 and 4: by how much an allocation is worse than the best one."""

import functools
import math
from typing import NamedTuple

import numpy as np

from allotment.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from allotment.errors import NotApplicableError
from allotment.oracles.few_items import sums_over_sets
from allotment.theory.premises import check_steps
from allotment.tolerance import fits, slack_of
from allotment.worlds.problem import Problem

ENUMERABLE_ARMS = 20


def gap(problem: Problem, allocation: ArrayLike) -> float:
    """∇_a: the expected loss per round of an allocation beyond the best allocation's.

    Parameters
    ----------
    problem : Problem
        The problem.
    allocation : array_like
        A grant for each arm, within the budget.

    Returns
    -------
    float
        The gap.
    """
    return problem.regret(allocation)


def largest_gap(problem: Problem) -> float:
    """∇_m: the gap of the worst allocation, which covers nothing.

    Parameters
    ----------
    problem : Problem
        A problem with thresholds.

    Returns
    -------
    float
        The gap.
    """
    check_steps(problem)
    return problem.regret(np.zeros(problem.arms))


def smallest_gap(problem: Problem) -> float:
    """∇_min: the smallest gap of an allocation that is not optimal.

    Parameters
    ----------
    problem : Problem
        A problem with thresholds and at most 20 arms.

    Returns
    -------
    float
        The gap.

    Raises
    ------
    NotApplicableError
        If every allocation is optimal, or there are more than 20 arms.

    Examples
    --------
    >>> smallest_gap(Problem([0.9, 0.5, 0.25], thresholds=0.5, budget=1.0))
    0.25
    """
    gaps = suboptimal_sets(problem).gaps
    if gaps.size == 0:
        raise NotApplicableError("every allocation is optimal here, so there is no smallest gap ∇_min")
    return float(gaps.min())


class SuboptimalSets(NamedTuple):
    """All suboptimal sets of arms that an allocation can leave uncovered."""

    gaps: FloatArray  # ∇ of each
    sizes: IntArray  # how many arms each leaves uncovered
    members: IntArray  # which, one bit for each arm

    def with_arm(self, arm: int) -> BoolArray:
        """Which of the sets leave this arm uncovered."""
        return (self.members >> arm) & 1 == 1


@functools.lru_cache(maxsize=8)
def suboptimal_sets(problem: Problem) -> SuboptimalSets:
    """Enumerate the sets; for problems of at most 20 arms."""
    check_steps(problem)
    if problem.arms > ENUMERABLE_ARMS:
        raise NotApplicableError(
            f"the gaps of all allocations are found by looking at every set of arms, for up to "
            f"{ENUMERABLE_ARMS} arms; this problem has {problem.arms}"
        )
    stakes = problem.severities * problem.loss_rates
    everything = (1 << problem.arms) - 1
    uncovered = np.arange(everything + 1)
    weights = sums_over_sets(problem.thresholds)[everything - uncovered]
    gaps = sums_over_sets(stakes) - problem.best.loss
    tie = slack_of(math.fsum(stakes))
    suboptimal = fits(weights, problem.budget, problem.slack) & (gaps > tie)
    sizes = np.bitwise_count(uncovered[suboptimal]).astype(np.int64)
    return SuboptimalSets(gaps[suboptimal], sizes, uncovered[suboptimal])
