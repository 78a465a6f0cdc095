"""What all loss-rate learners share: with thresholds known, they choose whom to cover, and watch the rest.

An arm that is not covered is granted nothing, and its loss is seen. A learner estimates the loss rates, an
oracle picks the arms whose estimated stakes are worth most, and those are granted their thresholds.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.comparisons import fits
from allotment.compiling import inlined, kernel
from allotment.oracles.protocol import choose, fit
from allotment.tolerance import slack_of

ROUND, AGE = 0, 1


class Coverage(NamedTuple):
    """Thresholds, what has been seen of each arm, and the choice in force."""

    oracle: Any
    budget: float
    slack: float
    solve_every: int
    cover_worthless: bool
    grid: int  # thresholds are rounded to 1/grid; 0 leaves them as they are
    severities: FloatArray
    thresholds: FloatArray
    seen: FloatArray  # rounds in which the arm was left uncovered
    losses: FloatArray  # losses in those rounds
    estimates: FloatArray  # of the loss rates, written by the learner when a choice is due
    stakes: FloatArray
    chosen: BoolArray
    clock: IntArray  # ROUND: rounds that are over; AGE: rounds since the last choice


def new_coverage(
    oracle: Any,
    budget: float,
    severities: FloatArray,
    solve_every: int = 1,
    cover_worthless: bool = True,
    grid: int = 0,
) -> Coverage:
    """A coverage that waits for `know` to hand it the thresholds."""
    arms = severities.size
    return Coverage(
        oracle=oracle,
        budget=budget,
        slack=slack_of(budget),
        solve_every=solve_every,
        cover_worthless=cover_worthless,
        grid=grid,
        severities=np.array(severities),
        thresholds=np.full(arms, np.inf),
        seen=np.zeros(arms),
        losses=np.zeros(arms),
        estimates=np.zeros(arms),
        stakes=np.zeros(arms),
        chosen=np.zeros(arms, np.bool_),
        clock=np.zeros(2, np.int64),
    )


@kernel
def know(coverage: Coverage, thresholds: FloatArray, rounds: int) -> None:
    """Take the thresholds, after so many rounds."""
    for i in range(thresholds.size):
        coverage.thresholds[i] = thresholds[i]
        if coverage.grid > 0 and thresholds[i] < math.inf:
            coverage.thresholds[i] = math.floor(thresholds[i] * coverage.grid + 0.5) / coverage.grid
    coverage.clock[ROUND] = rounds
    fit(coverage.oracle, coverage.thresholds, coverage.budget)


@kernel
def choice_is_due(coverage: Coverage) -> bool:
    """Whether estimates are wanted this round; between choices the last one stands."""
    return coverage.clock[AGE] == 0


@kernel
def _add_worthless(coverage: Coverage) -> None:
    """Cover arms whose estimate is zero while there is room: no gain to the oracle, but losses prevented."""
    left = coverage.budget
    for i in range(coverage.chosen.size):
        if coverage.chosen[i]:
            left -= coverage.thresholds[i]
    for i in range(coverage.chosen.size):
        worthless = coverage.stakes[i] == 0.0 and not coverage.chosen[i]
        if worthless and fits(coverage.thresholds[i], left, coverage.slack):
            coverage.chosen[i] = True
            left -= coverage.thresholds[i]


@inlined
def choose_by_oracle(coverage: Coverage) -> None:
    """Choose whom to cover: those whose estimated stakes are worth most together."""
    for i in range(coverage.stakes.size):
        coverage.stakes[i] = coverage.severities[i] * coverage.estimates[i]
    choose(coverage.oracle, coverage.stakes, coverage.chosen)
    if coverage.cover_worthless:
        _add_worthless(coverage)


@kernel
def hand_out(coverage: Coverage, allocation: FloatArray) -> None:
    """Grant the chosen arms their thresholds."""
    for i in range(allocation.size):
        allocation[i] = coverage.thresholds[i] if coverage.chosen[i] else 0.0


@kernel
def watch(coverage: Coverage, losses: FloatArray) -> None:
    """Count what the uncovered arms showed."""
    for i in range(losses.size):
        if not coverage.chosen[i]:
            coverage.seen[i] += 1.0
            coverage.losses[i] += losses[i]
    coverage.clock[ROUND] += 1
    coverage.clock[AGE] = (coverage.clock[AGE] + 1) % coverage.solve_every
