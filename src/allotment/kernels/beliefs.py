"""What is believed of every arm's threshold and loss rate: the posterior of `posterior.py`, compiled.

Each arm has a row of weights, or all arms share one, when one threshold holds for all of them. Weights are
kept as plain numbers. A round multiplies them by the chances that the candidates gave to what was seen, as
shares of the largest possible chance. So a weight never grows: one below NEGLIGIBLE is dropped, and later
rounds pass over it. Once all that is left of a row has sunk below WORN, dropped weights might matter, and the
row is weighed anew from its evidence. Until then what was dropped is at most 1e-20 of the row.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling import kernel
from allotment.kernels.sampling import draw_beta, draw_gamma

NEGLIGIBLE = 1e-40
WORN = 1e-20
HALF_LOG_TWO_PI = 0.9189385332046727


class Beliefs(NamedTuple):
    """Evidence and weights: a column for each candidate, the last one for "cannot be covered".

    Evidence counts rounds at amounts below the candidate, so that the last column counts all rounds.
    """

    counted: bool  # whether incidents are counted; then `quiet` holds all rounds, quiet or not
    first: float  # parameters of the loss rate's prior, each at least 1
    second: float
    leak: float
    log_prior: FloatArray
    quiet: FloatArray  # arms x columns: n(j)
    losses: FloatArray  # arms x columns: S(j)
    weights: FloatArray  # arms x columns, or one row
    totals: FloatArray  # of the rows of weights
    start: IntArray  # of the columns whose weight is not dropped, by row
    stop: IntArray


def new_beliefs(
    arms: int, prior: FloatArray, *, counted: bool, shape: Sequence[float], leak: float, shared: bool
) -> Beliefs:
    """What is believed before anything is seen."""
    rows = 1 if shared else arms
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    return Beliefs(
        counted=counted,
        first=shape[0],
        second=shape[1],
        leak=leak,
        log_prior=log_prior,
        quiet=np.zeros((arms, prior.size)),
        losses=np.zeros((arms, prior.size)),
        weights=np.tile(prior, (rows, 1)),
        totals=np.full(rows, prior.sum()),
        start=np.zeros(rows, np.int64),
        stop=np.full(rows, prior.size),
    )


@kernel
def log_gamma(x: float) -> float:
    """The logarithm of Γ(x) for x > 0, by Stirling's series; compiled or not, it is the same number."""
    shift = 1.0
    while x < 10.0:
        shift *= x
        x += 1.0
    r = 1.0 / (x * x)
    series = 1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))
    return (x - 0.5) * math.log(x) - x + HALF_LOG_TWO_PI + series / x - math.log(shift)


@kernel
def _log_likelihood(beliefs: Beliefs, arm: int, candidate: int) -> float:
    """Of all that was seen of an arm, if this candidate is its threshold."""
    quiet, losses, last = beliefs.quiet[arm], beliefs.losses[arm], beliefs.log_prior.size - 1
    covered_quiet, covered_losses = quiet[last] - quiet[candidate], losses[last] - losses[candidate]
    result = 0.0
    if covered_losses > 0.0:
        if beliefs.leak == 0.0:
            return -math.inf
        result += covered_losses * math.log(beliefs.leak)
    if beliefs.counted:
        exposure = quiet[candidate] + beliefs.leak * covered_quiet
        return result - (beliefs.first + losses[last]) * math.log(beliefs.second + exposure)
    a, b = beliefs.first + losses[candidate], beliefs.second + quiet[candidate]
    result += covered_quiet * math.log(1.0 - beliefs.leak)
    return result + log_gamma(a) + log_gamma(b) - log_gamma(a + b)


@kernel
def weigh(beliefs: Beliefs, row: int) -> None:
    """Compute a row of weights from its evidence."""
    weights, highest = beliefs.weights[row], -math.inf
    every_arm = beliefs.weights.shape[0] == 1
    for j in range(weights.size):
        weights[j] = beliefs.log_prior[j]
        if every_arm:
            for i in range(beliefs.quiet.shape[0]):
                weights[j] += _log_likelihood(beliefs, i, j)
        else:
            weights[j] += _log_likelihood(beliefs, row, j)
        highest = max(highest, weights[j])
    total = 0.0
    for j in range(weights.size):
        weights[j] = math.exp(weights[j] - highest)
        total += weights[j]
    beliefs.totals[row] = total
    beliefs.start[row], beliefs.stop[row] = 0, weights.size
    _drop_negligible(beliefs, row)


@kernel
def _drop_negligible(beliefs: Beliefs, row: int) -> None:
    """Pass over the ends of a row from now on, where they have become negligible."""
    weights, start, stop = beliefs.weights[row], beliefs.start[row], beliefs.stop[row]
    while start < stop and weights[start] < NEGLIGIBLE:
        weights[start] = 0.0
        start += 1
    while start < stop and weights[stop - 1] < NEGLIGIBLE:
        stop -= 1
        weights[stop] = 0.0
    beliefs.start[row], beliefs.stop[row] = start, stop


@kernel
def _reweigh(beliefs: Beliefs, row: int, arm: int, covered: int, lost: bool) -> float:
    """Multiply weights by the chances of a loss, or of a quiet round; return their total.

    Candidates below `covered` are covered by the amount: they give a loss the chance of the leak. Those from
    there on are not: with S losses and n quiet rounds below candidate j, it is (α + S)/(α + β + S + n). A
    quiet round is the same with the names exchanged, which is what `hits` and `misses` are for. All chances
    are divided by one number that none of them exceeds, so that weights never grow.
    """
    last, split = beliefs.log_prior.size - 1, max(covered, beliefs.start[row])
    hits, misses = beliefs.quiet[arm], beliefs.losses[arm]
    first, second = beliefs.second, beliefs.first
    if lost:
        hits, misses, first, second = misses, hits, second, first
    # Counts grow with the column, so this bounds the chances in all columns from `covered` on.
    largest = (first + hits[last]) / (first + hits[last] + second + misses[covered])
    total = 0.0
    if covered > 0:
        chance = beliefs.leak if lost else 1.0 - beliefs.leak
        largest = max(largest, chance)
        weights, chance = beliefs.weights[row, : min(covered, beliefs.stop[row])], chance / largest
        for j in range(beliefs.start[row], weights.size):
            weights[j] *= chance
            total += weights[j]
    share = 1.0 / largest
    weights, hits, misses = beliefs.weights[row, split : beliefs.stop[row]], hits[split:], misses[split:]
    for j in range(weights.size):
        seen = first + hits[j]
        weights[j] *= share * seen / (seen + (second + misses[j]))
        total += weights[j]
    return total


@kernel
def _reweigh_by_count(beliefs: Beliefs, row: int, arm: int, covered: int, count: float) -> float:
    """Multiply weights by the chances of a count of incidents; return their total.

    The counterpart of `_reweigh`: with A = a + all incidents so far and r = b + the exposure of a candidate,
    x incidents in a round of exposure e (1, or the leak where the amount covers) have a chance in proportion
    to r^A/(r + e)^(A + x), and e^x.
    """
    rounds, weights, leak = beliefs.quiet[arm], beliefs.weights[row], beliefs.leak
    last = weights.size - 1
    shape = beliefs.first + beliefs.losses[arm, last]
    # The chance r^A / (r + 1)^(A + x) is largest at r = A / x; for x = 0, at the largest r there is.
    rate, more = beliefs.second + rounds[last], 1.0 if covered == 0 else leak
    if count > 0.0:
        rate, more = shape / count, 1.0
    largest = shape * math.log(rate) - (shape + count) * math.log(rate + more)
    total = 0.0
    for j in range(beliefs.start[row], beliefs.stop[row]):
        rate = beliefs.second + rounds[j] + leak * (rounds[last] - rounds[j])
        more = leak if j < covered else 1.0
        log_chance = shape * math.log(rate) - (shape + count) * math.log(rate + more)
        if count > 0.0 and j < covered:
            log_chance += count * math.log(leak) if leak > 0.0 else -math.inf
        weights[j] *= math.exp(log_chance - largest)
        total += weights[j]
    return total


@kernel
def learn(beliefs: Beliefs, arm: int, covered: int, losses: float) -> None:
    """Take in a round of an arm at an amount that covers this many candidates."""
    row = arm if beliefs.weights.shape[0] > 1 else 0
    if beliefs.counted:
        beliefs.totals[row] = _reweigh_by_count(beliefs, row, arm, covered, losses)
        _add(beliefs.quiet[arm, covered:], 1.0)
    else:
        beliefs.totals[row] = _reweigh(beliefs, row, arm, covered, losses > 0.0)
        _add(beliefs.quiet[arm, covered:], 1.0 - losses)
    _add(beliefs.losses[arm, covered:], losses)
    if beliefs.totals[row] < WORN:
        weigh(beliefs, row)
    else:
        _drop_negligible(beliefs, row)


@kernel
def _add(counts: FloatArray, number: float) -> None:
    if number > 0.0:
        for j in range(counts.size):
            counts[j] += number


@kernel
def candidate_at(beliefs: Beliefs, row: int, quantile: float) -> int:
    """The candidate at a quantile of the posterior: a posterior draw, if the quantile is uniform."""
    weights, bar, total = beliefs.weights[row], quantile * beliefs.totals[row], 0.0
    for j in range(beliefs.start[row], beliefs.stop[row]):
        total += weights[j]
        if total > bar:
            return j
    return beliefs.stop[row] - 1


@kernel
def rounds_seen(beliefs: Beliefs, arm: int) -> float:
    """How many rounds of an arm have been taken in."""
    last = beliefs.log_prior.size - 1
    return beliefs.quiet[arm, last] + (0.0 if beliefs.counted else beliefs.losses[arm, last])


@kernel
def rate_law(beliefs: Beliefs, arm: int, candidate: int, trust: float) -> tuple[float, float]:
    """Parameters of the loss rate's Beta (of counts: Gamma), if this candidate is the threshold.

    The evidence is counted `trust` times.
    """
    quiet, losses = beliefs.quiet[arm, candidate], beliefs.losses[arm, candidate]
    if beliefs.counted:
        last = beliefs.log_prior.size - 1
        quiet += beliefs.leak * (beliefs.quiet[arm, last] - quiet)
        losses = beliefs.losses[arm, last]
    return beliefs.first + trust * losses, beliefs.second + trust * quiet


@kernel
def draw_rate(beliefs: Beliefs, rng: Any, arm: int, candidate: int, trust: float) -> float:
    """Draw the loss rate, if this candidate is the threshold, with the evidence counted `trust` times."""
    first, second = rate_law(beliefs, arm, candidate, trust)
    if beliefs.counted:
        return draw_gamma(rng, first) / second
    return draw_beta(rng, first, second)


@kernel
def expected_rate(beliefs: Beliefs, arm: int, candidate: int) -> float:
    """The loss rate to expect, if this candidate is the threshold."""
    first, second = rate_law(beliefs, arm, candidate, 1.0)
    return first / second if beliefs.counted else first / (first + second)
