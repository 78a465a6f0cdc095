"""What all loss-rate learners share: with thresholds known, they choose whom to cover, and watch the rest.

An arm that is not covered is granted nothing, and its loss is seen. A learner estimates the loss rates, an
oracle picks the arms whose estimated stakes are worth most, and those are granted their thresholds.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.compiling.comparisons import covers, fits, floor_with_tolerance
from allotment.compiling.decorators import inlined, kernel, lanes
from allotment.oracles.protocol import choose, fit
from allotment.tolerance import EVIDENCE_SLACK, slack_of


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
    rounds: FloatArray  # of which there was a report of the arm, at whatever amount
    seen: FloatArray  # those at amounts below the threshold: others tell nothing
    losses: FloatArray  # seen in those
    estimates: FloatArray  # of the loss rates, written by the learner when a choice is due
    stakes: FloatArray
    chosen: BoolArray
    searched: FloatArray  # one number: rounds of a threshold search before
    latest: FloatArray  # one number: the same, and the most rounds of any arm since
    age: IntArray  # one number: rounds since the last choice
    contradictions: FloatArray  # one number: losses at amounts of at least the threshold


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
        rounds=np.zeros(arms),
        seen=np.zeros(arms),
        losses=np.zeros(arms),
        estimates=np.zeros(arms),
        stakes=np.zeros(arms),
        chosen=np.zeros(arms, np.bool_),
        searched=np.zeros(1),
        latest=np.zeros(1),
        age=np.zeros(1, np.int64),
        contradictions=np.zeros(1),
    )


@kernel
def know(coverage: Coverage, thresholds: FloatArray, rounds: int) -> None:
    """Adopt the thresholds, after a search that took `rounds` rounds."""
    for i in range(thresholds.size):
        coverage.thresholds[i] = thresholds[i]
        if coverage.grid > 0 and thresholds[i] < math.inf:
            coverage.thresholds[i] = floor_with_tolerance(thresholds[i] * coverage.grid + 0.5) / coverage.grid
    coverage.searched[0] = coverage.latest[0] = rounds
    fit(coverage.oracle, coverage.thresholds, coverage.budget)


@lanes
def choice_is_due(coverage: Coverage) -> bool:
    """Whether estimates are wanted this round; between choices the last one stands."""
    return coverage.age[0] == 0


@kernel
def _add_worthless(coverage: Coverage) -> None:
    """Cover arms whose estimate is zero while there is room: no gain to the oracle, but losses prevented."""
    worthless_arms = 0
    for i in range(coverage.chosen.size):
        worthless_arms += coverage.stakes[i] == 0.0
    if worthless_arms == 0:
        return
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


@lanes
def hand_out(coverage: Coverage, allocation: FloatArray) -> None:
    """Grant the chosen arms their thresholds."""
    for i in range(allocation.size):
        allocation[i] = coverage.thresholds[i] if coverage.chosen[i] else 0.0


@kernel
def this_round(coverage: Coverage) -> float:
    """The number of the next round, counted from 1 and including the threshold search."""
    return coverage.latest[0] + 1.0


@kernel
def watch(coverage: Coverage, arm: int, amount: float, rounds: float, losses: float) -> bool:
    """Count rounds of an arm at an amount; says whether they tell something of its loss rate."""
    coverage.rounds[arm] += rounds
    coverage.latest[0] = max(coverage.latest[0], coverage.searched[0] + coverage.rounds[arm])
    if covers(amount, coverage.thresholds[arm], EVIDENCE_SLACK):
        coverage.contradictions[0] += losses
        return False
    coverage.seen[arm] += rounds
    coverage.losses[arm] += losses
    return True


@lanes
def watch_round(coverage: Coverage, allocation: FloatArray, losses: FloatArray) -> None:
    """`watch` one round of every arm that is reported.

    Arms go several at once, since loops have no branches and write to one array each. NaN equals nothing.
    """
    rounds, seen, lost, thresholds = coverage.rounds, coverage.seen, coverage.losses, coverage.thresholds
    latest, contradictions = coverage.latest[0] - coverage.searched[0], 0.0
    for i in range(losses.size):
        rounds[i] += 1.0 if losses[i] == losses[i] else 0.0
    for i in range(losses.size):
        is_open = allocation[i] < thresholds[i] - EVIDENCE_SLACK
        seen[i] += 1.0 if is_open & (losses[i] == losses[i]) else 0.0
    for i in range(losses.size):
        is_open = allocation[i] < thresholds[i] - EVIDENCE_SLACK
        lost[i] += losses[i] if is_open & (losses[i] == losses[i]) else 0.0
    for i in range(losses.size):
        is_open = allocation[i] < thresholds[i] - EVIDENCE_SLACK
        contradictions += 0.0 if is_open | (losses[i] != losses[i]) else losses[i]
        latest = max(latest, rounds[i])
    coverage.contradictions[0] += contradictions
    coverage.latest[0] = coverage.searched[0] + latest


@lanes
def grow_older(coverage: Coverage) -> None:
    """One round more since the last choice."""
    coverage.age[0] = (coverage.age[0] + 1) % coverage.solve_every
