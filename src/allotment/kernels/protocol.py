"""What makes a state a learner: generic functions that each policy registers for the class of its state.

`ask` and `tell` every state has; `adopt` those that can follow a threshold search; `report` those that have
something to say of their work. They are compiled. `ready_for` and `ask_in_python_seconds` are plain Python.
"""

import math
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import generic, generic_with_default


@generic
def ask(state: Any, rng: Any, allocation: FloatArray) -> None:
    """Write this round's allocation; `rng` is the policy's own stream."""


@generic
def tell(state: Any, allocation: FloatArray, losses: FloatArray) -> None:
    """Take in the losses that were seen under an allocation; NaN where an arm was not reported.

    What there is to learn is in these two, and in nothing that `ask` left behind.
    """


@generic
def adopt(state: Any, thresholds: FloatArray, rounds: int) -> None:
    """Start to learn loss rates with these thresholds, after so many rounds were spent on finding them.

    Only learners that can follow a threshold search need it. A threshold of inf says: cannot be covered.
    """


@singledispatch
def ask_in_python_seconds(state: Any) -> float:
    """How long `ask` takes in plain Python, about; unless a policy says so, too long."""
    return math.inf


@singledispatch
def ready_for(state: Any, amounts: FloatArray) -> Any:
    """The state, or one with more room, that can be told of amounts which it did not ask for."""
    return state


class Findings(NamedTuple):
    """What states can report of their work, beside allocations; None where there is no such work.

    Arrays have a place for each of the states.
    """

    search_rounds: IntArray | None = None  # spent on finding thresholds
    thresholds: FloatArray | None = None  # NaN: the search is not over; inf: the arm cannot be covered
    unproved: IntArray | None = None  # knapsacks solved without a proof that the choice is best
    contradictions: IntArray | None = (
        None  # losses at amounts of at least a threshold that was taken for known
    )


class Reports(NamedTuple):
    """Where `report` writes, a row for each state."""

    counts: FloatArray  # SEARCH_ROUNDS, UNPROVED and CONTRADICTIONS; NaN: there is no such work
    thresholds: FloatArray

    @classmethod
    def blank(cls, states: int, arms: int) -> "Reports":
        """Nothing is written yet."""
        return cls(np.full((states, 3), np.nan), np.full((states, arms), np.nan))

    def findings(self) -> Findings:
        """What was written."""
        search_rounds, unproved, contradictions = (_counted(column) for column in self.counts.T)
        thresholds = None if search_rounds is None else self.thresholds
        return Findings(search_rounds, thresholds, unproved, contradictions)


def _counted(column: FloatArray) -> IntArray | None:
    return None if np.isnan(column).any() else column.astype(np.int64)


SEARCH_ROUNDS, UNPROVED, CONTRADICTIONS = range(3)  # columns of a report


@generic_with_default
def report(state: Any, counts: FloatArray, thresholds: FloatArray) -> None:
    """Write what a state has found out: one row of `Reports`. Most states have nothing to report."""
