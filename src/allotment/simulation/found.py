"""Counts how often the thresholds that searches found are good enough to plan with."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from allotment.arrays import FloatArray
from allotment.theory.equivalence import allocation_equivalent
from allotment.theory.premises import check_steps
from allotment.tolerance import covers
from allotment.worlds.problem import Problem
from allotment.worlds.world import World


@dataclass(frozen=True)
class Found:
    """In how many replications a search ended how; the first four add up to all of them."""

    right: int  # planning with the thresholds found loses nothing
    too_low: int  # granting some threshold that was found does not cover
    too_high: int  # all cover, but what is best does not fit the budget any more
    unfinished: int  # the horizon came first
    given_up: int  # an arm was given up as one that cannot be covered; these are among the others, too

    @property
    def replications(self) -> int:
        """How many there are."""
        return self.right + self.too_low + self.too_high + self.unfinished

    def __str__(self) -> str:
        wrong = {"too low": self.too_low, "too high": self.too_high, "unfinished": self.unfinished}
        parts = [f"{how} in {count}" for how, count in wrong.items() if count]
        return "; ".join([f"right in {self.right} of {self.replications}", *[", ".join(parts)] * bool(parts)])


def count_found(world: World, found: FloatArray) -> Found:
    """Count rows of thresholds: inf is an arm given up, NaN one whose search was not over."""
    problem = cast(Problem, world)
    check_steps(problem)  # which says so if it is not one
    unfinished = np.isnan(found).any(axis=1)
    given_up = int(np.isposinf(found).any(axis=1).sum())
    counts = {"right": 0, "too_low": 0, "too_high": 0}
    rows, times = np.unique(found[~unfinished], axis=0, return_counts=True)  # many replications find the same
    for thresholds, count in zip(rows, times.tolist(), strict=True):
        if not covers(thresholds, problem.thresholds, problem.slack).all():
            counts["too_low"] += count
        else:
            counts["right" if allocation_equivalent(problem, thresholds) else "too_high"] += count
    return Found(**counts, unfinished=int(unfinished.sum()), given_up=given_up)
