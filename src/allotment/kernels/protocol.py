"""The protocol of a learner's state: generic functions that each policy registers for the class of its state.

Every state has `ask` and `tell`. States that use situations have `enter`. States that can follow a
threshold search have `adopt`. States with weights to draw from have `is_sound`. States with results to report
have `report`. These are compiled; `ready_for` and `ask_in_python_seconds` are plain Python.
"""

import math
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import generic, generic_with_default, kernel


@generic
def ask(state: Any, rng: Any, allocation: FloatArray) -> None:
    """Write this round's allocation. A policy of your own registers a kernel with `@ask.register`.

    Parameters
    ----------
    state : NamedTuple
        The state of the learner.
    rng : numpy.random.Generator
        The policy's own random stream.
    allocation : FloatArray
        Where to write the grant of each arm.
    """


@generic
def tell(state: Any, allocation: FloatArray, losses: FloatArray) -> None:
    """Learn the losses of a round. A policy of your own registers a kernel with `@tell.register`.

    It must learn from the allocation and the losses alone, never from anything that `ask` left in the state.

    Parameters
    ----------
    state : NamedTuple
        The state of the learner.
    allocation : FloatArray
        The grant of each arm.
    losses : FloatArray
        The loss of each arm; NaN where nobody reported.
    """


@generic_with_default
def enter(state: Any, situation: int) -> None:
    """Note the situation of the round that follows. A policy that uses situations registers a kernel for it.

    It runs before `ask`, and before `tell` of a round that was not asked for. So `ask` and `tell` find the
    situation in the state. A policy that does not declare `Accepts(situations=True)` is only ever told 0.

    Parameters
    ----------
    state : NamedTuple
        The state of the learner.
    situation : int
        The situation, counted from 0.
    """


@generic_with_default
def is_sound(state: Any) -> bool:
    """Check that beliefs are finite numbers to draw from. A policy that computes weights registers a kernel.

    It runs before every decision of a learner, and at the end of every simulated replication. If it is false,
    these raise a `BeliefError`.

    Parameters
    ----------
    state : NamedTuple
        The state of the learner.

    Returns
    -------
    bool
        Whether the policy can decide.
    """
    return True


@kernel
def are_weights(weights: FloatArray) -> bool:
    """Whether the weights of every row add up to a finite number above 0."""
    for row in range(weights.shape[0]):
        total = 0.0
        for k in range(weights.shape[1]):
            total += weights[row, k]
        if not 0.0 < total < math.inf:
            return False
    return True


@generic
def adopt(state: Any, thresholds: FloatArray, rounds: int) -> None:
    """Start to learn loss rates with these thresholds, after a search that took `rounds` rounds.

    Only learners that can follow a threshold search need it. A threshold of inf means that nothing covers the
    arm.
    """


@singledispatch
def ask_in_python_seconds(state: Any) -> float:
    """Estimate how long `ask` takes in plain Python; too long, unless a policy registers an estimate."""
    return math.inf


@singledispatch
def ready_for(state: Any, amounts: FloatArray) -> Any:
    """The state, or one with more room, that can learn from amounts that it did not ask for."""
    return state


class Findings(NamedTuple):
    """The results that states report beside allocations; None where a policy has no such result.

    Attributes
    ----------
    search_rounds : IntArray or None
        The rounds that the threshold search took.
    thresholds : FloatArray or None
        The thresholds found. NaN: the search is not over; inf: nothing covers the arm.
    unproved : IntArray or None
        The knapsacks solved without a proof of the optimum.
    contradictions : IntArray or None
        The losses at grants that reach a threshold taken for known.
    """

    search_rounds: IntArray | None = None
    thresholds: FloatArray | None = None
    unproved: IntArray | None = None
    contradictions: IntArray | None = None


class Reports(NamedTuple):
    """The arrays that `report` writes to, with a row for each state."""

    counts: FloatArray  # SEARCH_ROUNDS, UNPROVED and CONTRADICTIONS; NaN: there is no such work
    thresholds: FloatArray

    @classmethod
    def blank(cls, states: int, arms: int) -> "Reports":
        """Make empty arrays."""
        return cls(np.full((states, 3), np.nan), np.full((states, arms), np.nan))

    def findings(self) -> Findings:
        """Read what `report` wrote."""
        search_rounds, unproved, contradictions = (_counted(column) for column in self.counts.T)
        thresholds = None if search_rounds is None else self.thresholds
        return Findings(search_rounds, thresholds, unproved, contradictions)


def _counted(column: FloatArray) -> IntArray | None:
    return None if np.isnan(column).any() else column.astype(np.int64)


SEARCH_ROUNDS, UNPROVED, CONTRADICTIONS = range(3)  # columns of a report


@generic_with_default
def report(state: Any, counts: FloatArray, thresholds: FloatArray) -> None:
    """Write the results of a state into one row of `Reports`. Most states have none."""
