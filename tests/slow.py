"""Slow, plain computations that fast ones are held against."""

import itertools
import math
from decimal import Decimal, localcontext

from scipy.optimize import brentq


def slow_divergence(p, q):
    """The formula itself, with fifty digits."""
    with localcontext() as context:
        context.prec = 50
        p, q = Decimal(p), Decimal(q)
        parts = [(p, q), (1 - p, 1 - q)]
        if any(a > 0 and b == 0 for a, b in parts):
            return math.inf
        return float(sum(a * (a / b).ln() for a, b in parts if a > 0))


def slow_kl_lower_bound(mean, seen, level):
    """The same by bracketing: on a logarithmic scale, as the root may be tiny."""
    if mean == 0.0 or level == 0.0:
        return mean

    def excess(log_q):
        return slow_divergence(mean, math.exp(log_q)) - level / seen

    low, high = -700.0, math.log(mean)
    if excess(low) <= 0.0:
        return 0.0
    if excess(high) >= 0.0:  # no room between the mean and its logarithm, rounded
        return mean
    return math.exp(brentq(excess, low, high, xtol=1e-15, rtol=1e-14, maxiter=500))


def maximal_covers(problem):
    """Every set of arms that fits and leaves no room for one more, found the slow way."""
    arms = range(problem.arms)
    room = problem.budget + problem.slack
    for size in range(problem.arms + 1):
        for cover in itertools.combinations(arms, size):
            weight = math.fsum(problem.thresholds[list(cover)])
            others = [problem.thresholds[i] for i in arms if i not in cover]
            if weight <= room and all(weight + other > room for other in others):
                yield cover
