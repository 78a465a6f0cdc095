"""The logarithms of the Beta and Gamma functions, exact enough for posteriors after millions of rounds.

Plain Python; compiled code uses `kernel(log_beta)`. Both compute the same bits. `math.lgamma` would not:
Numba has a function of its own for it.
"""

import math

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
