"""The compiled posterior of every arm's threshold and loss rate; `threshold_posterior.py` has the formulas.

Each arm has a row of weights; if all arms share one threshold, there is one row. A round multiplies the
weights by the probabilities that the candidates gave to the report, relative to an upper bound. So weights
never grow. At the ends of a row, weights below NEGLIGIBLE are dropped, and later rounds skip them. Once the
rest of a row has sunk below WORN, dropped weights might matter, and the row is computed again from its
evidence. Until then, each dropped weight is at most 1e-20 of the row. Rows are also computed again every
FRESH rounds, before rounding errors add up.
"""

import math
from typing import NamedTuple

import numpy as np

from allotment import special as plain
from allotment.arrays import FloatArray, IntArray
from allotment.compiling.comparisons import covers
from allotment.compiling.decorators import Entry, kernel, lanes
from allotment.evidence import Evidence
from allotment.policies.joint.tuning import NEGLIGIBLE
from allotment.tolerance import EVIDENCE_SLACK

log_beta = kernel(plain.log_beta)

# The tables of beliefs, and their values where an arm has no candidate.
TABLES = {
    "levels": np.inf,
    "log_prior": -np.inf,
    "on_grid": 1.0,
    "rounds_below": 0.0,
    "losses_below": 0.0,
    "weights": 0.0,
}


class Beliefs(NamedTuple):
    """Evidence and weights, by arm and candidate. The last candidate, inf, means "cannot be covered".

    Evidence is cumulative over the amounts below each candidate, so the last candidate has all of it.
    """

    counts: bool  # whether losses are counts
    shape: tuple[float, float]  # the loss rate's prior: (α, β) of a Beta, or (a, b) of a Gamma; at least 1
    leak: float  # under cover: a share of the rate for counts, a probability for yes/no losses
    levels: FloatArray  # arms x candidates, or one row: increasing, then inf
    last: IntArray  # by row: the position of "cannot be covered"
    log_prior: FloatArray  # like the levels
    on_grid: FloatArray  # like the levels: factors of the weights if thresholds are on the grid
    log_odds: float  # the prior log-odds that thresholds are on the grid
    between: IntArray  # by row: the number of candidates off the grid
    resolution: float  # the distance of the multiples
    finest: float  # cells wider than this may be cut
    rounds_below: FloatArray  # arms x candidates
    losses_below: FloatArray  # arms x candidates
    weights: FloatArray  # like the levels
    totals: FloatArray  # the sums of the rows of weights
    on_grid_totals: FloatArray  # the same, if thresholds are on the grid
    start: IntArray  # by row: the range of candidates whose weights are kept
    stop: IntArray
    age: IntArray  # by row: rounds since its weights were computed
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
    """Compute the beliefs after the evidence. A single row of levels is shared by all arms."""
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
    """Add a whole table of evidence."""
    for k in range(arms.size):
        covered = candidates_covered(beliefs, arms[k], amounts[k])
        add(beliefs, arms[k], amounts[k], covered, rounds[k], losses[k])
    for row in range(beliefs.totals.size):
        weigh(beliefs, row)


@lanes
def row_of(beliefs: Beliefs, arm: int) -> int:
    """The row of weights of an arm."""
    return arm if beliefs.totals.size > 1 else 0


@lanes
def candidates_covered(beliefs: Beliefs, arm: int, amount: float) -> int:
    """The number of candidates that an amount covers."""
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
    """The log-likelihood of an arm's evidence if this candidate is its threshold."""
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
            weights[j] += weights[j - 1] - known  # no evidence in between
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
    """Add up the weights of a row under the hypothesis that thresholds are on the grid."""
    total = beliefs.totals[row]
    if beliefs.between[row] > 0:
        total = 0.0
        for j in range(beliefs.start[row], beliefs.stop[row]):
            total += beliefs.on_grid[row, j] * beliefs.weights[row, j]
    beliefs.on_grid_totals[row] = total


@kernel
def chance_on_grid(beliefs: Beliefs) -> float:
    """The probability that the thresholds of all arms are on the grid."""
    log_odds = beliefs.log_odds
    for row in range(beliefs.totals.size):
        if beliefs.on_grid_totals[row] != beliefs.totals[row] and log_odds > -math.inf:
            share = beliefs.on_grid_totals[row] / beliefs.totals[row]
            log_odds += math.log(share) if share > 0.0 else -math.inf
    return 1.0 / (1.0 + math.exp(min(-log_odds, 700.0))) if log_odds > -math.inf else 0.0


@lanes
def drop_negligible(beliefs: Beliefs, row: int) -> None:
    """Drop negligible weights at the ends of a row."""
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
    """Count rounds and losses at an amount that covers the first `covered` candidates."""
    size = beliefs.last[row_of(beliefs, arm)] + 1
    # Slices that are counted from 0 go several candidates at once.
    rounds_below, losses_below = (
        beliefs.rounds_below[arm, covered:size],
        beliefs.losses_below[arm, covered:size],
    )
    for j in range(rounds_below.size):
        rounds_below[j] += rounds
    if losses > 0.0:
        for j in range(losses_below.size):
            losses_below[j] += losses
    beliefs.granted[0] += amount * rounds


@lanes
def candidate_at(beliefs: Beliefs, row: int, quantile: float) -> tuple[int, float]:
    """The candidate at a quantile of the posterior; a uniform quantile gives a posterior draw.

    The second number is the position of the quantile within the candidate's weight, from 0 to 1.
    """
    start, stop = beliefs.start[row], beliefs.stop[row]
    weights, bar, total = beliefs.weights[row, start:stop], quantile * beliefs.totals[row], 0.0
    whole, j = weights.size - weights.size % 4, 0
    while j < whole:  # four at once, while the quantile lies beyond them
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
    """The same under the hypothesis that thresholds are on the grid."""
    start, stop = beliefs.start[row], beliefs.stop[row]
    bar, total, j = quantile * beliefs.on_grid_totals[row], 0.0, start
    for k in range(start, stop):
        weight = beliefs.on_grid[row, k] * beliefs.weights[row, k]
        if weight > 0.0:
            j, total = k, total + weight
            if total > bar:
                break
    return j
