"""With known thresholds, a censored semi-bandit is another bandit: Propositions 1 and 3.

The arms left uncovered are the arms that are played. Problems convert to bandits and back, and so do
learners. Regret stays the same, round by round.
"""

from typing import Protocol

import numpy as np

from allotment.arrays import ArrayLike, BoolArray, FloatArray
from allotment.checks import per_arm
from allotment.errors import InputError
from allotment.theory.bandits import BanditLearner, CombinatorialBandit, KnapsackFamily, MultiplePlayBandit
from allotment.theory.premises import arms_to_cover, check_severities, check_steps
from allotment.tolerance import covers, slack_of
from allotment.worlds.problem import Problem
from allotment.worlds.units import feasible


class AllocationLearner(Protocol):
    """A learner that splits the budget, as `Policy.start` makes it."""

    def ask(self) -> FloatArray:
        """Return this round's allocation."""

    def tell(self, losses: FloatArray) -> None:
        """Take in the losses that were seen."""


def multiple_play_bandit(problem: Problem) -> MultiplePlayBandit:
    """Convert a problem with one threshold to a multiple-play bandit (Proposition 1).

    Parameters
    ----------
    problem : Problem
        A problem whose arms share one threshold θ.

    Returns
    -------
    MultiplePlayBandit
        The bandit with m = K - min(⌊Q/θ⌋, K) plays.

    Raises
    ------
    NotApplicableError
        If the arms do not share one threshold.

    Examples
    --------
    >>> multiple_play_bandit(Problem([0.9, 0.5, 0.2], thresholds=0.7, budget=1.5)).plays
    1
    """
    covered = arms_to_cover(problem)
    return MultiplePlayBandit(problem.loss_rates, problem.arms - covered)


def combinatorial_bandit(problem: Problem) -> CombinatorialBandit:
    """Convert a problem with known thresholds to a combinatorial semi-bandit (Proposition 3).

    Its superarms are the sets of arms that an allocation can leave uncovered.

    Parameters
    ----------
    problem : Problem
        A problem with thresholds and equal severities.

    Returns
    -------
    CombinatorialBandit
        The bandit.

    Raises
    ------
    NotApplicableError
        If severities differ, or the problem has no thresholds.
    """
    check_severities(problem)
    return CombinatorialBandit(problem.loss_rates, KnapsackFamily(problem.thresholds, problem.budget))


def problem_of(bandit: MultiplePlayBandit | CombinatorialBandit) -> Problem:
    """Convert a bandit to a problem: the way back of Propositions 1 and 3.

    A multiple-play bandit gives θ = 1 and Q = K - m, one of many possible problems. For a knapsack family,
    weights above 1 are scaled down, and the capacity with them.

    Parameters
    ----------
    bandit : MultiplePlayBandit or CombinatorialBandit
        The bandit.

    Returns
    -------
    Problem
        The problem.

    Raises
    ------
    InputError
        If the superarms are listed one by one.
    """
    arms = bandit.loss_rates.size
    if isinstance(bandit, MultiplePlayBandit):
        return Problem(bandit.loss_rates, 1.0, arms - bandit.plays)
    if not isinstance(bandit.family, KnapsackFamily):
        raise InputError("the superarms are listed one by one; only a knapsack family makes a problem")
    scale = max(1.0, float(bandit.family.weights.max()))
    return Problem(bandit.loss_rates, bandit.family.weights / scale, bandit.family.capacity / scale)


class AsBanditLearner:
    """A learner of allocations that plays superarms: it plays the arms that it leaves uncovered.

    Parameters
    ----------
    learner : Learner
        The learner of allocations.
    problem : Problem
        The problem that it learns.
    """

    def __init__(self, learner: AllocationLearner, problem: Problem) -> None:
        self._learner = learner
        self._problem = problem

    def play(self) -> BoolArray:
        """Play the arms whose grants are below their thresholds."""
        return ~covers(self._learner.ask(), self._problem.thresholds, self._problem.slack)

    def see(self, losses: FloatArray) -> None:
        """Learn the losses of the arms just played.

        Parameters
        ----------
        losses : FloatArray
            The loss of each arm; 0 for arms that were not played.
        """
        self._learner.tell(losses)


class AsAllocationLearner:
    """A learner of superarms that splits a budget: it grants the threshold to each arm that it does not play.

    Parameters
    ----------
    learner : BanditLearner
        The learner of superarms.
    problem : Problem
        The problem whose budget it splits.
    """

    def __init__(self, learner: BanditLearner, problem: Problem) -> None:
        self._learner = learner
        self._problem = problem
        self._allocation: FloatArray | None = None  # this round's, once asked for

    def ask(self) -> FloatArray:
        """Get this round's allocation. Asking again before `tell` gives the same answer."""
        if self._allocation is None:
            allocation = np.where(self._learner.play(), 0.0, self._problem.thresholds)
            feasible(allocation, self._problem.arms, self._problem.budget)
            self._allocation = allocation
        return self._allocation.copy()

    def tell(self, losses: FloatArray) -> None:
        """Learn the losses of the round.

        Parameters
        ----------
        losses : FloatArray
            The observed loss of each arm.

        Raises
        ------
        InputError
            If `ask` was not called before.
        """
        if self._allocation is None:
            raise InputError("losses were told for no allocation; ask first")
        self._allocation = None
        self._learner.see(losses)


def play_problem(problem: Problem, learner: AllocationLearner, losses: FloatArray) -> FloatArray:
    """Play a problem, and compute the learner's cumulative regret in means.

    Parameters
    ----------
    problem : Problem
        The problem.
    learner : Learner
        The learner.
    losses : FloatArray
        Rounds x arms: the losses without grants, from `draw_losses`.

    Returns
    -------
    FloatArray
        The cumulative regret after each round.
    """
    regret = np.zeros(len(losses))
    for t, row in enumerate(losses):
        allocation = learner.ask()
        regret[t] = problem.regret(allocation)
        learner.tell(np.where(covers(allocation, problem.thresholds, problem.slack), 0.0, row))
    return np.cumsum(regret)


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
