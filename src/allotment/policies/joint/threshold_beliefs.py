"""What is believed of every arm's threshold and loss rate: `threshold_posterior.py`, compiled.

Each arm has a row of weights, or all arms share one, when one threshold holds for all of them. Weights are
kept as plain numbers. A round multiplies them by the chances that the candidates gave to what was seen, as
shares of the largest possible chance. So a weight never grows: at the ends of a row, one below NEGLIGIBLE is
dropped, and later rounds pass over it. Once all that is left of a row has sunk below WORN, dropped weights
might matter, and the row is weighed anew from its evidence. Until then each that was dropped is at most 1e-20
of the row. A row is also weighed anew every so many rounds, before rounding errors add up.
"""

import math
from typing import NamedTuple

import numpy as np

from allotment import log_beta as plain
from allotment.arrays import FloatArray, IntArray
from allotment.compiling.comparisons import covers
from allotment.compiling.decorators import Entry, kernel, lanes
from allotment.evidence import Evidence
from allotment.policies.joint.tuning import NEGLIGIBLE
from allotment.tolerance import EVIDENCE_SLACK

log_beta = kernel(plain.log_beta)

# The tables of beliefs, and what stands in them where an arm has no candidate.
TABLES = {
    "levels": np.inf,
    "log_prior": -np.inf,
    "on_grid": 1.0,
    "rounds_below": 0.0,
    "losses_below": 0.0,
    "weights": 0.0,
}


class Beliefs(NamedTuple):
    """Evidence and weights, by arm and candidate: the last candidate of an arm, inf, is "cannot be covered".

    Evidence is summed over the amounts below each candidate, so that the last one's is all there is.
    """

    counts: bool  # whether incidents are counted, or yes and no
    shape: tuple[float, float]  # of the loss rate's prior: (α, β) of a Beta, or (a, b) of a Gamma; at least 1
    leak: float  # of counts the share of the loss rate that cover leaves, of yes/no losses the chance of one
    levels: FloatArray  # arms x candidates, or one row; increasing, and inf from the last one on
    last: IntArray  # by row: where "cannot be covered" is
    log_prior: FloatArray  # like the levels
    on_grid: FloatArray  # like the levels: what weights are multiplied by if thresholds are on the grid
    log_odds: float  # of that, before any evidence
    between: IntArray  # by row: how many candidates are not on the grid
    resolution: float  # how far apart the multiples are
    finest: float  # cells wider than this may be cut
    rounds_below: FloatArray  # arms x candidates
    losses_below: FloatArray  # arms x candidates
    weights: FloatArray  # like the levels
    totals: FloatArray  # of the rows of weights
    on_grid_totals: FloatArray  # the same, if thresholds are on the grid
    start: IntArray  # of the candidates whose weight is not dropped, by row
    stop: IntArray
    age: IntArray  # by row: rounds since it was weighed
    granted: FloatArray  # one number: amounts times rounds, in all


def new_beliefs(
    arms: int,
    levels: FloatArray,
    prior: FloatArray,
    *,
    counts: bool,
    shape: tuple[float, float],
    leak: float,
    evidence: Evidence,
    on_grid: FloatArray | None = None,
    log_odds: float = -np.inf,
    resolution: float = np.inf,
    finest: float = np.inf,
) -> Beliefs:
    """What is believed after the evidence; one row of levels stands for all arms together."""
    rows = levels.shape[0]
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    beliefs = Beliefs(
        counts=counts,
        shape=shape,
        leak=leak,
        levels=levels,
        last=np.isfinite(levels).sum(axis=1),
        log_prior=log_prior,
        on_grid=np.ones(levels.shape) if on_grid is None else on_grid,
        log_odds=log_odds,
        between=np.zeros(rows, np.int64) if on_grid is None else (on_grid == 0.0).sum(axis=1),
        resolution=resolution,
        finest=finest,
        rounds_below=np.zeros((arms, levels.shape[1])),
        losses_below=np.zeros((arms, levels.shape[1])),
        weights=np.zeros(levels.shape),
        totals=np.zeros(rows),
        on_grid_totals=np.zeros(rows),
        start=np.zeros(rows, np.int64),
        stop=np.zeros(rows, np.int64),
        age=np.zeros(rows, np.int64),
        granted=np.zeros(1),
    )
    _weigh_evidence(beliefs, *evidence.columns())
    return beliefs


@Entry
def _weigh_evidence(
    beliefs: Beliefs, arms: IntArray, amounts: FloatArray, rounds: FloatArray, losses: FloatArray
) -> None:
    """Take in a table of evidence at once."""
    for k in range(arms.size):
        covered = candidates_covered(beliefs, arms[k], amounts[k])
        add(beliefs, arms[k], amounts[k], covered, rounds[k], losses[k])
    for row in range(beliefs.totals.size):
        weigh(beliefs, row)


@lanes
def row_of(beliefs: Beliefs, arm: int) -> int:
    """Which row of weights is about this arm."""
    return arm if beliefs.totals.size > 1 else 0


@lanes
def candidates_covered(beliefs: Beliefs, arm: int, amount: float) -> int:
    """How many candidates an amount covers."""
    row = row_of(beliefs, arm)
    levels, low, high = beliefs.levels[row], 0, beliefs.last[row]
    while low < high:
        middle = (low + high) // 2
        if covers(amount, levels[middle], EVIDENCE_SLACK):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _log_likelihood(beliefs: Beliefs, arm: int, candidate: int) -> float:
    """Of all that was seen of an arm, if this candidate is its threshold."""
    last = beliefs.last[row_of(beliefs, arm)]
    rounds, losses = beliefs.rounds_below[arm, candidate], beliefs.losses_below[arm, candidate]
    covered_rounds = beliefs.rounds_below[arm, last] - rounds
    covered_losses = beliefs.losses_below[arm, last] - losses
    first, second = beliefs.shape
    result = 0.0
    if covered_losses > 0.0:
        if beliefs.leak == 0.0:
            return -math.inf
        result += covered_losses * math.log(beliefs.leak)
    if beliefs.counts:
        exposure = rounds + beliefs.leak * covered_rounds
        return result - (first + beliefs.losses_below[arm, last]) * math.log(second + exposure)
    result += (covered_rounds - covered_losses) * math.log1p(-beliefs.leak)
    return result + log_beta(first + losses, second + (rounds - losses))


@kernel
def weigh(beliefs: Beliefs, row: int) -> None:
    """Compute a row of weights from its evidence."""
    weights, highest, size = beliefs.weights[row], -math.inf, beliefs.last[row] + 1
    every_arm, known = beliefs.totals.size == 1, -math.inf
    for j in range(size):
        weights[j] = beliefs.log_prior[row, j]
        if every_arm:
            for i in range(beliefs.rounds_below.shape[0]):
                weights[j] += _log_likelihood(beliefs, i, j)
        elif j > 0 and known > -math.inf and beliefs.rounds_below[row, j] == beliefs.rounds_below[row, j - 1]:
            weights[j] += weights[j - 1] - known  # nothing was seen at amounts in between
        else:
            weights[j] += _log_likelihood(beliefs, row, j)
        known = beliefs.log_prior[row, j]
        highest = max(highest, weights[j])
    total = 0.0
    for j in range(size):
        weights[j] = math.exp(weights[j] - highest)
        total += weights[j]
    beliefs.totals[row] = total
    beliefs.start[row], beliefs.stop[row], beliefs.age[row] = 0, size, 0
    drop_negligible(beliefs, row)
    weigh_on_grid(beliefs, row)


@lanes
def weigh_on_grid(beliefs: Beliefs, row: int) -> None:
    """Add up what a row weighs if thresholds are on the grid."""
    total = beliefs.totals[row]
    if beliefs.between[row] > 0:
        total = 0.0
        for j in range(beliefs.start[row], beliefs.stop[row]):
            total += beliefs.on_grid[row, j] * beliefs.weights[row, j]
    beliefs.on_grid_totals[row] = total


@kernel
def chance_on_grid(beliefs: Beliefs) -> float:
    """That the thresholds of all arms are on the grid."""
    log_odds = beliefs.log_odds
    for row in range(beliefs.totals.size):
        if beliefs.on_grid_totals[row] != beliefs.totals[row] and log_odds > -math.inf:
            share = beliefs.on_grid_totals[row] / beliefs.totals[row]
            log_odds += math.log(share) if share > 0.0 else -math.inf
    return 1.0 / (1.0 + math.exp(min(-log_odds, 700.0))) if log_odds > -math.inf else 0.0


@lanes
def drop_negligible(beliefs: Beliefs, row: int) -> None:
    """Pass over the ends of a row from now on, where they have become negligible."""
    weights, start, stop = beliefs.weights[row], beliefs.start[row], beliefs.stop[row]
    while start < stop and weights[start] < NEGLIGIBLE:
        weights[start] = 0.0
        start += 1
    while start < stop and weights[stop - 1] < NEGLIGIBLE:
        stop -= 1
        weights[stop] = 0.0
    beliefs.start[row], beliefs.stop[row] = start, stop


@lanes
def add(beliefs: Beliefs, arm: int, amount: float, covered: int, rounds: float, losses: float) -> None:
    """Count rounds and losses at an amount that covers so many candidates."""
    size = beliefs.last[row_of(beliefs, arm)] + 1
    rounds_below, losses_below = beliefs.rounds_below[arm, :size], beliefs.losses_below[arm, :size]
    for j in range(covered, size):
        rounds_below[j] += rounds
    if losses > 0.0:
        for j in range(covered, size):
            losses_below[j] += losses
    beliefs.granted[0] += amount * rounds


@lanes
def candidate_at(beliefs: Beliefs, row: int, quantile: float) -> tuple[int, float]:
    """The candidate at a quantile of the posterior: a posterior draw, if the quantile is uniform.

    The second number says how far into the candidate's weight the quantile lies, as a share of it.
    """
    start, stop = beliefs.start[row], beliefs.stop[row]
    weights, bar, total = beliefs.weights[row, start:stop], quantile * beliefs.totals[row], 0.0
    whole, j = weights.size - weights.size % 4, 0
    while j < whole:  # four at once, as long as the quantile is further on
        four = (weights[j] + weights[j + 1]) + (weights[j + 2] + weights[j + 3])
        if total + four > bar:
            break
        total += four
        j += 4
    while j < weights.size - 1:
        if total + weights[j] > bar:
            break
        total += weights[j]
        j += 1
    return start + j, (bar - total) / weights[j]


@lanes
def on_grid_at(beliefs: Beliefs, row: int, quantile: float) -> int:
    """The same, if thresholds are on the grid."""
    start, stop = beliefs.start[row], beliefs.stop[row]
    bar, total, j = quantile * beliefs.on_grid_totals[row], 0.0, start
    for k in range(start, stop):
        weight = beliefs.on_grid[row, k] * beliefs.weights[row, k]
        if weight > 0.0:
            j, total = k, total + weight
            if total > bar:
                break
    return j
