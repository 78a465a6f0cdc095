"""The generic functions that make a state a learner: each policy registers its own kernels for its state."""

from typing import Any

from allotment.arrays import FloatArray
from allotment.compiling import generic


@generic
def ask(state: Any, rng: Any, allocation: FloatArray) -> None:
    """Write this round's allocation; `rng` is the policy's own stream."""


@generic
def tell(state: Any, allocation: FloatArray, losses: FloatArray) -> None:
    """Take in the losses that were seen under the allocation just asked for."""


@generic
def adopt(state: Any, thresholds: FloatArray, rounds: int) -> None:
    """Start to learn loss rates with these thresholds, after so many rounds were spent on finding them.

    Only learners that can follow a threshold search need it. A threshold of inf says: cannot be covered.
    """
