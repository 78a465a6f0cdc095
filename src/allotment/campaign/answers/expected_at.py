"""What a stored plan expects of a place at any amount, its variance, and the band of a sum."""

import math
from collections.abc import Sequence

QUANTILE = 1.6448536269514722  # of the normal distribution: 5 % lie above it
NEARLY = 1e-9  # costs are sums of products, which are rounded


def losses_at(
    losses: Sequence[float], variances: Sequence[float] | None, units: float
) -> tuple[float, float]:
    """The expected losses at an amount, and their variance: p·(1 - p) for yes or no losses."""
    mean = between_units(losses, units)
    return mean, mean * (1.0 - mean) if variances is None else between_units(variances, units)


def finds_at(losses: Sequence[float], variances: Sequence[float] | None, units: float) -> tuple[float, float]:
    """The expected finds at an amount, and their variance.

    Finds are the losses without a grant less those at the amount. A yes/no find has the variance p·(1 - p).
    A count has the variance of a Poisson number, its mean, plus the variance of its uncertain rate. Plans
    store that of the rate of losses, R without a grant and R·s at the amount. The rate of finds is R·(1 - s);
    its variance follows from the two as long as R and s are independent.
    """
    alone, left = losses[0], between_units(losses, units)
    mean = max(alone - left, 0.0)
    if variances is None:
        return mean, mean * (1.0 - mean)
    if alone <= 0.0:
        return mean, mean
    square = variances[0] - alone + alone**2  # the mean of R²
    square_left = between_units(variances, units) - left + left**2
    share = min(left / alone, 1.0)
    of_share = min(max(square_left / square, share**2), share)  # the mean of s²
    return mean, mean + max(square * (1.0 - 2.0 * share + of_share) - mean**2, 0.0)


def between_units(row: Sequence[float], units: float) -> float:
    """A stored number at an amount: linear between whole units, and constant above the last.

    >>> between_units([0.4, 0.2, 0.1], 0.5), between_units([0.4, 0.2, 0.1], 7.0)
    (0.30000000000000004, 0.1)
    """
    last = len(row) - 1
    if units >= last:
        return float(row[last])
    below = math.floor(units)
    return float(row[below] + (units - below) * (row[below + 1] - row[below]))


def band(mean: float, variance: float) -> tuple[float, float]:
    """The 90 % band of a sum; it does not go below 0."""
    reach = QUANTILE * math.sqrt(max(variance, 0.0))
    return max(mean - reach, 0.0), mean + reach


def is_inside(value: float, low: float, high: float) -> bool:
    """Whether a band holds a value."""
    return low - NEARLY <= value <= high + NEARLY
