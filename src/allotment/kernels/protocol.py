"""What makes a state a learner: generic functions that each policy registers for the class of its state.

`ask` and `tell` every state has; `adopt` those that can follow a threshold search. They are compiled.
`reseed`, `ready_for`, `findings` and `ask_in_python_seconds` are plain Python, for before and after.
"""

import math
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import generic


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
def reseed(state: Any, rng: np.random.Generator) -> None:
    """Seed what a state draws from by itself; most draw from the stream that `ask` is handed."""


@singledispatch
def ask_in_python_seconds(state: Any) -> float:
    """How long `ask` takes in plain Python, about; unless a policy says so, too long."""
    return math.inf


@singledispatch
def ready_for(state: Any, amounts: FloatArray) -> Any:
    """The state, or one with more room, that can be told of amounts which it did not ask for."""
    return state


class Findings(NamedTuple):
    """What a state can report of its work, beside its allocations; None where there is no such work."""

    search_rounds: int | None = None  # spent on finding thresholds
    thresholds: FloatArray | None = None  # NaN: the search is not over; inf: the arm cannot be covered
    unproved: int | None = None  # knapsacks solved without a proof that the choice is best
    contradictions: int | None = None  # losses at amounts of at least a threshold that was taken for known


@singledispatch
def findings(state: Any) -> Findings:
    """What a state has to report; most have nothing."""
    return Findings()
