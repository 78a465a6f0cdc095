"""Updates of beliefs: a round multiplies each weight by the report's probability under its candidate."""

import math

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes
from allotment.policies.joint.belief_grid import insert, is_between
from allotment.policies.joint.threshold_beliefs import (
    Beliefs,
    add,
    candidates_covered,
    drop_negligible,
    row_of,
    weigh,
    weigh_on_grid,
)
from allotment.policies.joint.tuning import FRESH, WORN


@lanes
def _sum(numbers: FloatArray) -> float:
    """Add four sums side by side, since each addition waits for the previous one."""
    a = b = c = d = 0.0
    whole = numbers.size - numbers.size % 4
    for j in range(0, whole, 4):
        a += numbers[j]
        b += numbers[j + 1]
        c += numbers[j + 2]
        d += numbers[j + 3]
    for j in range(whole, numbers.size):
        a += numbers[j]
    return (a + b) + (c + d)


@lanes
def _reweigh(beliefs: Beliefs, row: int, arm: int, covered: int, lost: bool) -> float:
    """Multiply weights by the probability of a loss, or of a quiet round; return their total.

    The amount covers the candidates below `covered`, which give a loss the probability of the leak. For any
    other candidate with S losses in N rounds below it, that probability is (α + S)/(α + β + N), and (β + N -
    S)/(α + β + N) for a quiet round. All probabilities are divided by a common upper bound, so that weights
    never grow.
    """
    first, second = beliefs.shape
    last, start, stop = beliefs.last[row], beliefs.start[row], beliefs.stop[row]
    rounds, losses = beliefs.rounds_below[arm], beliefs.losses_below[arm]
    # Both counts grow with the candidate, so this bounds the probabilities of all uncovered candidates.
    if lost:
        hits, misses = first + losses[last], second + (rounds[covered] - losses[covered])
    else:
        hits, misses = second + (rounds[last] - losses[last]), first + losses[covered]
    largest = hits / (hits + misses)
    if covered > 0:
        chance = beliefs.leak if lost else 1.0 - beliefs.leak
        largest = max(largest, chance)
        weights, chance = beliefs.weights[row, start : min(covered, stop)], chance / largest
        for j in range(weights.size):
            weights[j] *= chance
    share, both, split = 1.0 / largest, first + second, max(covered, start)
    weights, rounds, losses = beliefs.weights[row, split:stop], rounds[split:stop], losses[split:stop]
    if lost:
        for j in range(weights.size):
            weights[j] *= share * (first + losses[j]) / (both + rounds[j])
    else:
        for j in range(weights.size):
            weights[j] *= share * (second + (rounds[j] - losses[j])) / (both + rounds[j])
    return _sum(beliefs.weights[row, start:stop])


@kernel
def _reweigh_by_count(beliefs: Beliefs, row: int, arm: int, covered: int, count: float) -> float:
    """Multiply weights by the probability of a count of incidents; return their total.

    Let A = a + all incidents so far, and r = b + the exposure of a candidate. A round has exposure e: 1, or
    the leak if the amount covers. The probability of x incidents is proportional to e^x · r^A/(r + e)^(A +
    x).
    """
    rounds, weights, leak = beliefs.rounds_below[arm], beliefs.weights[row], beliefs.leak
    last, (first, second) = beliefs.last[row], beliefs.shape
    shape = first + beliefs.losses_below[arm, last]
    # r^A / (r + 1)^(A + x) is largest at r = A / x; for x = 0, at the largest r.
    rate, more = second + rounds[last], 1.0 if covered == 0 else leak
    if count > 0.0:
        rate, more = shape / count, 1.0
    largest = shape * math.log(rate) - (shape + count) * math.log(rate + more)
    total = 0.0
    for j in range(beliefs.start[row], beliefs.stop[row]):
        rate = second + rounds[j] + leak * (rounds[last] - rounds[j])
        more = leak if j < covered else 1.0
        log_chance = shape * math.log(rate) - (shape + count) * math.log(rate + more)
        if count > 0.0 and j < covered:
            log_chance += count * math.log(leak) if leak > 0.0 else -math.inf
        weights[j] *= math.exp(log_chance - largest)
        total += weights[j]
    return total


@lanes
def learn(beliefs: Beliefs, arm: int, amount: float, losses: float) -> None:
    """Update the beliefs of an arm by a round at an amount."""
    row, covered = row_of(beliefs, arm), candidates_covered(beliefs, arm, amount)
    if beliefs.finest < math.inf and is_between(beliefs, arm, amount, covered):
        covered = insert(beliefs, arm, amount, covered)
    if beliefs.counts:
        beliefs.totals[row] = _reweigh_by_count(beliefs, row, arm, covered, losses)
    else:
        beliefs.totals[row] = _reweigh(beliefs, row, arm, covered, losses > 0.0)
    add(beliefs, arm, amount, covered, 1.0, losses)
    beliefs.age[row] += 1
    if beliefs.totals[row] < WORN or beliefs.age[row] >= FRESH:
        weigh(beliefs, row)
    else:
        drop_negligible(beliefs, row)
        weigh_on_grid(beliefs, row)
