"""The Kullback-Leibler divergence, and the logarithms of the Beta and Gamma functions.

Plain Python; compiled code uses `kernel(divergence)` and `kernel(log_beta)`. The divergence is safe at 0, at
1 and close to equality. The logarithms are exact enough for posteriors after millions of rounds, and both
forms compute the same bits. `math.lgamma` would not: Numba has a function of its own for it."""

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


LARGE = 10.0  # from here on Stirling's series is exact to rounding
HALF_LOG_TWO_PI = 0.9189385332046727


def log_beta(a: float, b: float) -> float:
    """The logarithm of B(a, b) = Γ(a)·Γ(b)/Γ(a + b) for a, b > 0.

    Three logarithms of Γ would nearly cancel: with a million rounds each is some 10⁷, and the difference is
    off by 1e-9. Written as Stirling's series of all three together, the large parts cancel on paper. Small
    arguments are raised to LARGE first, by B(a, b) = B(a + 1, b)·(a + b)/a.

    >>> round(log_beta(2.0, 3.0), 12) == round(math.log(1 / 12), 12)
    True
    """
    shift = 1.0
    while a < LARGE:
        shift *= (a + b) / a
        a += 1.0
    while b < LARGE:
        shift *= (a + b) / b
        b += 1.0
    total = a + b
    main = (
        (a - 0.5) * math.log(a / total) + b * math.log1p(-a / total)
        if a < b
        else ((a - 0.5) * math.log1p(-b / total) + b * math.log(b / total))
    )
    rest = 0.0  # what Stirling's formula leaves out of each
    for sign, x in ((1.0, a), (1.0, b), (-1.0, total)):
        r = 1.0 / (x * x)
        series = 1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))
        rest += sign * series / x
    return main - 0.5 * math.log(b) + HALF_LOG_TWO_PI + rest + math.log(shift)


def log_gamma(x: float) -> float:
    """The logarithm of Γ(x) for x > 0: Stirling's series, small arguments raised to LARGE first.

    >>> round(log_gamma(5.0), 12) == round(math.log(24), 12)
    True
    """
    shift = 1.0
    while x < LARGE:
        shift *= x
        x += 1.0
    r = 1.0 / (x * x)
    series = 1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))
    return (x - 0.5) * math.log(x) - x + HALF_LOG_TWO_PI + series / x - math.log(shift)
