"""Learners of loss rates, for known thresholds: one wrapper around whichever way there is to estimate.

A way to estimate is a NamedTuple, the estimator, with an `estimate` kernel of its own. What else a round
takes (whom to cover, what was seen, when a choice is due) is the same for all, and lives in the coverage.
Below are bounds of loss rates: Hoeffding's, and KL bounds for one arm or for all arms.
"""

import math
from typing import Any, NamedTuple

from allotment import special as plain
from allotment.arrays import FloatArray
from allotment.compiling.comparisons import covers
from allotment.compiling.decorators import generic, generic_with_default, kernel, lanes
from allotment.kernels.coverage import (
    Coverage,
    choice_is_due,
    choose_by_oracle,
    grow_older,
    hand_out,
    know,
    watch,
    watch_round,
)
from allotment.kernels.lane_math import lane_log
from allotment.kernels.protocol import CONTRADICTIONS, UNPROVED, adopt, ask, report, tell
from allotment.oracles.protocol import unproved
from allotment.tolerance import EVIDENCE_SLACK


@generic
def estimate(estimator: Any, coverage: Coverage, rng: Any) -> None:
    """Write what each loss rate may be into `coverage.estimates`; called when a choice is due."""


@generic_with_default
def prepare(estimator: Any, coverage: Coverage) -> None:
    """Get ready, now that the thresholds are known. Most estimators have nothing to do."""


@generic_with_default
def decide(estimator: Any, coverage: Coverage) -> None:
    """Mark whom to cover in `coverage.chosen`: by default, what the oracle picks for the estimates."""
    choose_by_oracle(coverage)


@generic_with_default
def note(estimator: Any, coverage: Coverage, arm: int, rounds: float, losses: float) -> None:
    """Take in more of what an uncovered arm showed than the coverage counts. Most estimators need no more."""


class LossRateLearner(NamedTuple):
    """State: the coverage, and the way to estimate."""

    coverage: Coverage
    estimator: Any


@adopt.register
def _adopt(state: LossRateLearner, thresholds: FloatArray, rounds: int) -> None:
    know(state.coverage, thresholds, rounds)
    prepare(state.estimator, state.coverage)


@ask.register
@lanes
def _ask(state: LossRateLearner, rng: Any, allocation: FloatArray) -> None:
    if choice_is_due(state.coverage):
        estimate(state.estimator, state.coverage, rng)
        decide(state.estimator, state.coverage)
    hand_out(state.coverage, allocation)


@kernel
def take(state: LossRateLearner, arm: int, amount: float, rounds: float, losses: float) -> None:
    """Take in rounds of an arm at an amount."""
    if watch(state.coverage, arm, amount, rounds, losses):
        note(state.estimator, state.coverage, arm, rounds, losses)


@tell.register
@lanes
def _tell(state: LossRateLearner, allocation: FloatArray, losses: FloatArray) -> None:
    coverage = state.coverage
    watch_round(coverage, allocation, losses)
    for i in range(losses.size):
        if not (math.isnan(losses[i]) or covers(allocation[i], coverage.thresholds[i], EVIDENCE_SLACK)):
            note(state.estimator, coverage, i, 1.0, losses[i])
    grow_older(coverage)


@report.register
def _report(state: LossRateLearner, counts: FloatArray, thresholds: FloatArray) -> None:
    counts[UNPROVED] = unproved(state.coverage.oracle)
    counts[CONTRADICTIONS] = state.coverage.contradictions[0]


divergence = kernel(plain.divergence)

NEWTON_STEPS = 100  # far more than it takes; a loop in compiled code should have an end
CLOSE_ENOUGH = 1e-5  # a step relative to the gap below the mean; the error left is about its square


@kernel
def exploration_level(t: float, c: float) -> float:
    """f(t) = log t + c·log log t, without the second part below t = e."""
    level = math.log(t)
    return level + c * math.log(level) if level > 1.0 else level


@kernel
def hoeffding_radius(t: float, seen: float) -> float:
    """√(3·log t / (2·N)): how far below the mean of N losses the true rate may plausibly lie at round t."""
    return math.sqrt(1.5 * math.log(t) / seen)


@kernel
def kl_lower_bound(mean: float, seen: float, level: float) -> float:
    """The smallest q with N·d(mean, q) ≤ level: the KL-UCB index for losses; 0 without observations."""
    if seen <= 0.0 or mean <= 0.0:
        return 0.0
    bound = level / seen
    if mean >= 1.0:
        return math.exp(-bound)
    # Both starts are too low: d(p, q) ≥ 2(p-q)², and d(p, q) ≥ p·log(p/q) + (1-p)·log(1-p). From below,
    # Newton's steps on a convex decreasing function never overshoot.
    tail = mean * math.exp(((1.0 - mean) * math.log1p(-mean) - bound) / mean)
    q = max(mean - math.sqrt(0.5 * bound), tail)
    for _ in range(NEWTON_STEPS):
        excess = divergence(mean, q) - bound
        if q <= 0.0 or q >= mean or excess <= 0.0:
            break
        step = excess * q * (1.0 - q) / (mean - q)
        q += step
        if step <= 1e-15 * q:
            break
    return min(q, mean)


@lanes
def kl_lower_bounds(
    t: float, seen: FloatArray, losses: FloatArray, gaps: FloatArray, bounds: FloatArray
) -> None:
    """Write the bounds of all arms at the level log(t/N), from the last round's gaps below the means.

    A gap changes little in a round, so two steps of Newton's find most, several arms at a time.
    """
    unsettled = 0
    for i in range(bounds.size):
        n = max(seen[i], 1.0)
        p, level = losses[i] / n, lane_log(t / n) / n
        inside = (gaps[i] > 0.0) & (gaps[i] < p) & (p < 1.0)
        p = p if inside else 0.5
        first = p - (gaps[i] if inside else 0.25)
        second = max(_newton(p, first, level), 0.5 * first)
        third = _newton(p, second, level)
        settled = inside & (abs(third - second) <= CLOSE_ENOUGH * (p - second)) & (third > 0.0)
        bounds[i] = third
        gaps[i] = p - third if settled else 0.0
        unsettled += not settled
    if unsettled > 0:
        for i in range(bounds.size):
            if gaps[i] <= 0.0:
                mean = losses[i] / max(seen[i], 1.0)
                bounds[i] = kl_lower_bound(mean, seen[i], max(math.log(t / max(seen[i], 1.0)), 0.0))
                gaps[i] = mean - bounds[i]


@lanes
def _newton(p: float, q: float, level: float) -> float:
    """One step towards the q below p whose divergence d(p, q) is the level."""
    excess = p * lane_log(p / q) + (1.0 - p) * lane_log((1.0 - p) / (1.0 - q)) - level
    return q + excess * q * (1.0 - q) / (p - q)
