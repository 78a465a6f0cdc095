"""The Kullback-Leibler divergence of Bernoulli distributions, safe at 0, at 1 and close to equality.

Plain Python; compiled code uses `kernel(divergence)`.
"""

import math

CLOSE, APART = 0.01, 0.5


def divergence(p: float, q: float) -> float:
    """The Kullback-Leibler divergence of two Bernoulli distributions.

    d(p, q) = p·log(p/q) + (1-p)·log((1-p)/(1-q)). It is infinite where q excludes what p allows.

    Parameters
    ----------
    p : float
        The first probability.
    q : float
        The second probability.

    Returns
    -------
    float
        The divergence, in nats.

    Examples
    --------
    >>> divergence(0.5, 0.5), divergence(0.5, 0.0), round(divergence(0.5, 0.25), 6)
    (0.0, inf, 0.143841)
    """
    if p == q:
        return 0.0
    if (q <= 0.0 and p > 0.0) or (q >= 1.0 and p < 1.0):
        return math.inf
    if p <= 0.0:
        return -math.log1p(-q)
    if p >= 1.0:
        return -math.log(q)
    up, down = (p - q) / q, (q - p) / (1.0 - q)
    if abs(up) >= CLOSE or abs(down) >= CLOSE:
        log_up = math.log1p(up) if abs(up) < APART else math.log(p) - math.log(q)
        log_down = math.log1p(down) if abs(down) < APART else math.log(1.0 - p) - math.log(1.0 - q)
        return p * log_up + (1.0 - p) * log_down
    # Where p and q are close, the terms above nearly cancel. In log(1+u) = u - u²/2 + …, the two first parts
    # add up to a known number. Summing the rest to the eighth power is exact to rounding.
    rest = 0.0
    for power in range(8, 1, -1):
        sign = 1.0 if power % 2 else -1.0
        rest += sign * (p * up**power + (1.0 - p) * down**power) / power
    return -up * down + rest
