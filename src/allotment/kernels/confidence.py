"""Lower confidence bounds of loss rates: an optimist expects few losses."""

import math

from allotment import divergence as plain
from allotment.compiling.decorators import kernel

divergence = kernel(plain.divergence)

NEWTON_STEPS = 100  # far more than it takes; a loop in compiled code should have an end
CLOSE_ENOUGH = 1e-8  # a relative step: the error after a step of Newton is about its square


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


@kernel
def kl_lower_bound_near(guess: float, mean: float, seen: float, level: float) -> float:
    """The same, from a guess such as the bound of the round before: that most often takes one step."""
    if not 0.0 < guess < mean < 1.0:
        return kl_lower_bound(mean, seen, level)
    q, bound = guess, level / seen
    for _ in range(NEWTON_STEPS):
        step = (divergence(mean, q) - bound) * q * (1.0 - q) / (mean - q)
        q += step
        if not 0.0 < q < mean:
            break
        if abs(step) <= CLOSE_ENOUGH * q:
            return q
    return kl_lower_bound(mean, seen, level)
