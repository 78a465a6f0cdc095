"""The candidate thresholds that no loss has refuted yet: what Refute knows of thresholds.

A loss at an amount refutes every candidate up to it. A quiet round refutes nothing; it only makes the
candidates above its amount less likely, by the chance of a quiet round at an uncovered arm.
"""

import math
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.comparisons import covers, fits
from allotment.compiling.decorators import kernel, lanes, shared
from allotment.policies._rate_bounds import RateBounds, expected_rate
from allotment.policies.base.policy import Setting
from allotment.randomness.bits import draw_uniform
from allotment.tolerance import EVIDENCE_SLACK

THOROUGH = 10  # raises are weighed in this many times the rounds with jumps; later, all are equal
NEGLIGIBLE = 1e-6  # candidates this unlikely, relative to the smallest one left, are worth no raise


class CandidatesLeft(NamedTuple):
    """By arm, the candidates left, and how likely quiet rounds make each."""

    shared: bool  # one threshold for all arms: a loss at one refutes for all
    levels: FloatArray  # the candidates, increasing, then inf: nothing covers the arm
    lowest: IntArray  # by arm: the position of the smallest candidate left
    quiet: FloatArray  # arms x levels: quiet rounds at amounts below this level, but not the level before
    log_quiet: FloatArray  # by arm: the logarithm of the chance of a quiet round while uncovered
    stakes: FloatArray  # by arm: the expected cost of a round while uncovered
    goal: IntArray  # by arm: the candidate of its best raise,
    worth: FloatArray  # and what that raise prevents per unit; 0: no raise
    contradictions: FloatArray  # one number: losses at grants of 1, which cover every arm


def all_candidates(setting: Setting, candidates: FloatArray, *, shared: bool) -> CandidatesLeft:
    """Start with every candidate."""
    arms = setting.arms
    levels = np.append(candidates, np.inf)
    return CandidatesLeft(
        shared=shared,
        levels=levels,
        lowest=np.zeros(arms, np.int64),
        quiet=np.zeros((arms, levels.size)),
        log_quiet=np.zeros(arms),
        stakes=np.zeros(arms),
        goal=np.zeros(arms, np.int64),
        worth=np.zeros(arms),
        contradictions=np.zeros(1),
    )


@lanes
def first_above(left: CandidatesLeft, amount: float, guess: int) -> int:
    """The position of the first candidate that an amount does not cover: the guess, if it is right."""
    low, high = 0, left.levels.size - 1
    middle = guess - 1
    while low < high:
        if covers(amount, left.levels[middle], EVIDENCE_SLACK):
            low = middle + 1
        else:
            high = middle
        middle = low if low == guess else (low + high) // 2
    return low


@lanes
def learn(left: CandidatesLeft, arm: int, amount: float, rounds: float, losses: float, granted: int) -> None:
    """Learn from rounds at a positive amount, most likely of the granted candidate."""
    above = first_above(left, amount, max(granted, 0) + 1)
    left.quiet[arm, above] += rounds - losses
    if losses <= 0.0:
        return
    if covers(amount, 1.0, EVIDENCE_SLACK):
        left.contradictions[0] += losses
    for i in range(left.lowest.size):
        if i == arm or left.shared:
            left.lowest[i] = max(left.lowest[i], above)


@kernel
def expect_losses(left: CandidatesLeft, rates: RateBounds, arm: int) -> None:
    """Note how much quiet rounds of an arm tell, and what its losses cost."""
    rate = expected_rate(rates, arm)
    left.log_quiet[arm] = math.log1p(-rate)
    left.stakes[arm] = rate * rates.severities[arm]


@shared
def draw_candidate(left: CandidatesLeft, rates: RateBounds, arm: int) -> int:
    """Draw a candidate left, in proportion to how likely quiet rounds make it; the end if there is none."""
    expect_losses(left, rates, arm)
    below, weight, total, drawn = 0.0, 1.0, 0.0, left.lowest[arm]
    for k in range(left.lowest[arm], left.levels.size - 1):
        if k > left.lowest[arm] and left.quiet[arm, k] > 0.0:
            below += left.quiet[arm, k]
            weight = math.exp(below * left.log_quiet[arm])
        total += weight
        if draw_uniform(rates.bits) * total < weight:
            drawn = k
    return drawn


@kernel
def plan_raise(left: CandidatesLeft, arm: int, granted: int, unspent: float, slack: float) -> None:
    """Find the raise from a granted candidate that prevents most expected cost per unit, if any fits."""
    below, weight, total, gain, best = 0.0, 1.0, 0.0, 0.0, 0.0
    for k in range(left.lowest[arm], left.levels.size - 1):
        if k > left.lowest[arm] and left.quiet[arm, k] > 0.0:
            below += left.quiet[arm, k]
            weight = math.exp(below * left.log_quiet[arm])
        if weight < NEGLIGIBLE:
            break
        total += weight
        if k > granted:
            gain += weight
            price = left.levels[k] - left.levels[granted]
            if gain > best * price and fits(price, unspent, slack):
                best, left.goal[arm] = gain / price, k
    left.worth[arm] = best * left.stakes[arm] / total if best > 0.0 else 0.0


@shared
def spend_rest(
    left: CandidatesLeft, rates: RateBounds, granted: IntArray, unspent: float, slack: float
) -> None:
    """Raise grants where that prevents most per unit, the best raise first."""
    for i in range(granted.size):
        left.worth[i] = 0.0
        if granted[i] >= 0:
            expect_losses(left, rates, i)
            plan_raise(left, i, granted[i], unspent, slack)
    while True:
        best = 0
        for i in range(1, granted.size):
            if left.worth[i] > left.worth[best]:
                best = i
        if left.worth[best] <= 0.0:
            return
        price = left.levels[left.goal[best]] - left.levels[granted[best]]
        if fits(price, unspent, slack):
            unspent -= price
            granted[best] = left.goal[best]
        plan_raise(left, best, granted[best], unspent, slack)


@lanes
def share_rest(left: CandidatesLeft, granted: IntArray, unspent: float, slack: float) -> None:
    """Raise grants by equal shares; what one arm does not use goes to later ones."""
    sharing = 0
    for i in range(granted.size):
        sharing += granted[i] >= 0
    for i in range(granted.size):
        if granted[i] < 0:
            continue
        before = left.levels[granted[i]]
        while fits(left.levels[granted[i] + 1] - before, unspent / sharing, slack):
            granted[i] += 1
        unspent -= left.levels[granted[i]] - before
        sharing -= 1


@lanes
def use_rest(
    left: CandidatesLeft, rates: RateBounds, jumps: int, granted: IntArray, unspent: float, slack: float
) -> None:
    """Raise grants with the rest of the budget; -1 stands for no grant, and stays."""
    if rates.latest[0] < THOROUGH * jumps:
        spend_rest(left, rates, granted, unspent, slack)
    else:
        share_rest(left, granted, unspent, slack)
