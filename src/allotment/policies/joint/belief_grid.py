"""The candidates of an arm change: an amount granted between two candidates becomes a candidate itself.

A candidate stands for its cell, the amounts between its predecessor and itself. Off the grid, all amounts of
a cell are equally likely until an observation inside it, so cutting a cell changes no belief. Granting an
amount inside a cell cuts it. Candidates are the multiples of the resolution and the amounts in the evidence,
whatever their order. Candidates that a loss has excluded for good make room for others, and so do candidates
between multiples that are far too high.
"""

import math
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes
from allotment.policies.joint.threshold_beliefs import TABLES, Beliefs, candidates_covered, row_of
from allotment.policies.joint.tuning import ABOUT_ONE, DEEPER_STEPS, ROOM, STEPS
from allotment.tolerance import EVIDENCE_SLACK


@lanes
def lower_end(beliefs: Beliefs, row: int, candidate: int) -> float:
    """The lower end of a candidate's cell."""
    return beliefs.levels[row, candidate - 1] if candidate > 0 else 0.0


@lanes
def inside(beliefs: Beliefs, row: int, candidate: int, share: float) -> float:
    """The amount at a share of the way up a candidate's cell."""
    low = lower_end(beliefs, row, candidate)
    return low + share * (beliefs.levels[row, candidate] - low)


@lanes
def chance_up_to(beliefs: Beliefs, row: int, candidate: int) -> float:
    """The probability that the threshold is at most this candidate."""
    weight = 0.0
    for j in range(beliefs.start[row], candidate + 1):
        weight += beliefs.weights[row, j]
    return weight / beliefs.totals[row]


@lanes
def reach_of(beliefs: Beliefs, row: int, candidate: int, amount: float) -> float:
    """How far up a candidate's cell an amount reaches; 0 if it does not reach into the cell."""
    above = amount - lower_end(beliefs, row, candidate)
    return min(1.0, above / width_of(beliefs, row, candidate)) if above >= beliefs.finest else 0.0


@lanes
def share_of(beliefs: Beliefs, row: int, candidate: int, share: float) -> float:
    """A share of a candidate's cell, rounded up to whole steps."""
    steps = min(float(STEPS), width_of(beliefs, row, candidate) / beliefs.finest)
    return min(1.0, math.floor(1.0 + steps * share) / steps)


@lanes
def width_of(beliefs: Beliefs, row: int, candidate: int) -> float:
    """The width of a candidate's cell."""
    return beliefs.levels[row, candidate] - lower_end(beliefs, row, candidate)


@lanes
def may_be_cut(beliefs: Beliefs, row: int, candidate: int, room: int) -> bool:
    """Whether a cell is wide enough to be cut, and the row has room for a candidate off the grid."""
    if candidate >= beliefs.last[row] or width_of(beliefs, row, candidate) < 2.0 * beliefs.finest:
        return False
    if beliefs.between[row] < room:
        return True
    between = 0
    for j in range(beliefs.start[row], beliefs.stop[row]):
        between += 1 if beliefs.on_grid[row, j] == 0.0 else 0
    return between < room


@kernel
def after_step(beliefs: Beliefs, row: int, candidate: int, deeper: bool) -> float:
    """The share of a cell that is left after one step down; 1 if the cell should not be cut.

    Going down in steps costs one loss, when a step passes the threshold, however small the steps are. Halving
    the cell would cost a loss every other time.
    """
    if not may_be_cut(beliefs, row, candidate, ROOM):
        return 1.0
    width, step = width_of(beliefs, row, candidate), beliefs.resolution / STEPS
    while width < ABOUT_ONE * step:
        if not deeper:
            return 1.0
        step /= DEEPER_STEPS
    step = max(step, beliefs.finest)
    return 1.0 - step / width if width - step >= beliefs.finest else 1.0


@lanes
def _ruled_out(beliefs: Beliefs, row: int) -> int:
    """The number of candidates that a loss has excluded for good.

    Without a leak, only losses drop low candidates.
    """
    return beliefs.start[row] if beliefs.leak == 0.0 else 0


@kernel
def _make_room(beliefs: Beliefs, arm: int, place: int) -> int:
    """Drop a candidate between multiples that is far too high; return the new position of `place`.

    The candidate above it takes over its cell.
    """
    last = beliefs.last[arm]
    for k in range(beliefs.stop[arm], last - 1):
        above = beliefs.log_prior[arm, k + 1]
        if beliefs.on_grid[arm, k] == 0.0 and above > -math.inf:
            together = np.logaddexp(above, beliefs.log_prior[arm, k])
            beliefs.log_prior[arm, k + 1] = together
            beliefs.on_grid[arm, k + 1] *= math.exp(above - together)
            for j in range(k + 1, last + 1):
                _copy(beliefs, arm, j, j - 1)
            beliefs.levels[arm, last] = math.inf
            beliefs.last[arm] -= 1
            beliefs.between[arm] -= 1
            return place - 1 if k < place else place
    return place


@kernel
def insert(beliefs: Beliefs, arm: int, amount: float, place: int) -> int:
    """Make an amount between candidates a candidate; return the number of candidates that it covers.

    It takes its part of the weight of the candidate above it. If there is no room, a candidate that is far
    too high goes. Otherwise the lowest one goes, if at least two are excluded; the next one remembers how far
    down the lowest cell reaches.
    """
    if beliefs.last[arm] + 1 == beliefs.levels.shape[1]:
        place = _make_room(beliefs, arm, place)
    below, size = lower_end(beliefs, arm, place), beliefs.last[arm] + 1
    share = (amount - below) / (beliefs.levels[arm, place] - below)
    if size < beliefs.levels.shape[1]:
        for j in range(size, place, -1):
            _copy(beliefs, arm, j - 1, j)
        beliefs.last[arm] = size
        if place >= beliefs.start[arm]:
            beliefs.stop[arm] += 1 if place < beliefs.stop[arm] else 0
        else:
            beliefs.start[arm] += 1
            beliefs.stop[arm] += 1
    elif _ruled_out(beliefs, arm) >= 2 and place > 0:
        beliefs.between[arm] -= 1 if beliefs.on_grid[arm, 0] == 0.0 else 0
        for j in range(1, place):
            _copy(beliefs, arm, j, j - 1)
        place -= 1
        _copy(beliefs, arm, place + 1, place)
        if place >= beliefs.start[arm] - 1:
            beliefs.start[arm] -= 1
    else:
        return place
    beliefs.levels[arm, place] = amount
    beliefs.log_prior[arm, place] += math.log(share)
    beliefs.log_prior[arm, place + 1] += math.log1p(-share)
    beliefs.weights[arm, place] *= share
    beliefs.weights[arm, place + 1] *= 1.0 - share
    beliefs.on_grid[arm, place] = 0.0
    beliefs.on_grid[arm, place + 1] /= 1.0 - share
    beliefs.between[arm] += 1
    return place + 1


@lanes
def _copy(beliefs: Beliefs, arm: int, source: int, target: int) -> None:
    beliefs.levels[arm, target] = beliefs.levels[arm, source]
    beliefs.log_prior[arm, target] = beliefs.log_prior[arm, source]
    beliefs.on_grid[arm, target] = beliefs.on_grid[arm, source]
    beliefs.rounds_below[arm, target] = beliefs.rounds_below[arm, source]
    beliefs.losses_below[arm, target] = beliefs.losses_below[arm, source]
    beliefs.weights[arm, target] = beliefs.weights[arm, source]


@lanes
def is_between(beliefs: Beliefs, arm: int, amount: float, covered: int) -> bool:
    """Whether an amount that covers `covered` candidates is itself no candidate, and below the highest."""
    row = row_of(beliefs, arm)
    if amount <= EVIDENCE_SLACK or covered >= beliefs.last[row]:
        return False
    return covered == 0 or beliefs.levels[row, covered - 1] < amount - EVIDENCE_SLACK


def with_candidates(beliefs: Beliefs, amounts: FloatArray) -> Beliefs:
    """The same beliefs, with each arm's granted amount among its candidates."""
    for arm, amount in enumerate(amounts.tolist()):
        covered = candidates_covered(beliefs, arm, amount)
        if is_between(beliefs, arm, amount, covered):
            if beliefs.last[arm] + 1 == beliefs.levels.shape[1]:
                beliefs = _widened(beliefs)
            insert(beliefs, arm, amount, covered)
    return beliefs


def _widened(beliefs: Beliefs) -> Beliefs:
    """The same beliefs, with room for half as many candidates again."""
    more = max(8, beliefs.levels.shape[1] // 2)
    tables: Any = {
        name: np.pad(getattr(beliefs, name), ((0, 0), (0, more)), constant_values=empty)
        for name, empty in TABLES.items()
    }
    return beliefs._replace(**tables)
