"""Censored semi-bandits are other bandits in disguise once thresholds are known: Propositions 1 and 3.

The arms that are left uncovered are the arms that are played. Problems go over to bandits and back, and so do
learners; regret stays the same, round by round.
"""

from typing import Protocol

import numpy as np

from allotment.arrays import BoolArray, FloatArray
from allotment.errors import InputError
from allotment.theory.bandits import BanditLearner, CombinatorialBandit, KnapsackFamily, MultiplePlayBandit
from allotment.theory.premises import arms_to_cover, check_severities
from allotment.tolerance import covers
from allotment.worlds.feasibility import feasible
from allotment.worlds.problem import Problem


class AllocationLearner(Protocol):
    """What `Policy.start` gives: a learner that splits the budget."""

    def ask(self) -> FloatArray:
        """Return this round's allocation."""

    def tell(self, losses: FloatArray) -> None:
        """Take in the losses that were seen."""


def multiple_play_bandit(problem: Problem) -> MultiplePlayBandit:
    """The bandit that a problem with one threshold is (Proposition 1): m = K - min(⌊Q/θ⌋, K) plays.

    >>> multiple_play_bandit(Problem([0.9, 0.5, 0.2], thresholds=0.7, budget=1.5)).plays
    1
    """
    covered = arms_to_cover(problem)
    return MultiplePlayBandit(problem.loss_rates, problem.arms - covered)


def combinatorial_bandit(problem: Problem) -> CombinatorialBandit:
    """The bandit that a problem with known thresholds is (Proposition 3).

    Its superarms are the sets that an allocation can leave uncovered: those whose complement fits the budget.
    """
    check_severities(problem)
    return CombinatorialBandit(problem.loss_rates, KnapsackFamily(problem.thresholds, problem.budget))


def problem_of(bandit: MultiplePlayBandit | CombinatorialBandit) -> Problem:
    """A problem that is this bandit: the way back of Propositions 1 and 3.

    For multiple plays it is not unique; this one has θ = 1 and Q = K - m. Of the combinatorial bandits, those
    with a knapsack family have one; weights above 1 are scaled down, the capacity with them.
    """
    arms = bandit.loss_rates.size
    if isinstance(bandit, MultiplePlayBandit):
        return Problem(bandit.loss_rates, 1.0, arms - bandit.plays)
    if not isinstance(bandit.family, KnapsackFamily):
        raise InputError("the superarms are listed one by one; only a knapsack family makes a problem")
    scale = max(1.0, float(bandit.family.weights.max()))
    return Problem(bandit.loss_rates, bandit.family.weights / scale, bandit.family.capacity / scale)


class AsBanditLearner:
    """A learner of allocations as a learner of superarms: it plays what it leaves uncovered."""

    def __init__(self, learner: AllocationLearner, problem: Problem) -> None:
        self._learner = learner
        self._problem = problem

    def play(self) -> BoolArray:
        """Play the arms whose grants are below their thresholds."""
        return ~covers(self._learner.ask(), self._problem.thresholds, self._problem.slack)

    def see(self, losses: FloatArray) -> None:
        """Take in the losses of the arms just played."""
        self._learner.tell(losses)


class AsAllocationLearner:
    """A learner of superarms as a learner of allocations: what it does not play is granted its threshold."""

    def __init__(self, learner: BanditLearner, problem: Problem) -> None:
        self._learner = learner
        self._problem = problem
        self._allocation: FloatArray | None = None  # this round's, once asked for

    def ask(self) -> FloatArray:
        """Return this round's allocation; asked again before `tell`, the same."""
        if self._allocation is None:
            allocation = np.where(self._learner.play(), 0.0, self._problem.thresholds)
            feasible(allocation, self._problem.arms, self._problem.budget)
            self._allocation = allocation
        return self._allocation.copy()

    def tell(self, losses: FloatArray) -> None:
        """Take in the losses that were seen."""
        if self._allocation is None:
            raise InputError("losses were told for no allocation; ask first")
        self._allocation = None
        self._learner.see(losses)


def play_problem(problem: Problem, learner: AllocationLearner, losses: FloatArray) -> FloatArray:
    """Cumulative regret, in means, of a learner on a problem; `losses` holds a row for each round."""
    regret = np.zeros(len(losses))
    for t, row in enumerate(losses):
        allocation = learner.ask()
        regret[t] = problem.regret(allocation)
        learner.tell(np.where(covers(allocation, problem.thresholds, problem.slack), 0.0, row))
    return np.cumsum(regret)
