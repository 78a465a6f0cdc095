"""Formats intervals."""

import math


def interval(low: float, high: float, digits: int = 1) -> str:
    """An interval by its ends.

    >>> interval(42.96, 53.04), interval(math.nan, math.nan)
    ('43.0 to 53.0', '-')
    """
    return "-" if math.isnan(low) else f"{low:.{digits}f} to {high:.{digits}f}"


def with_margin(mean: float, high: float, digits: int = 1) -> str:
    """A mean and how far its interval, which is symmetric, reaches to either side.

    >>> with_margin(286.71, 302.9)
    '286.7 ± 16.2'
    """
    shown = f"{mean:.{digits}f}"
    return shown if math.isnan(high) else f"{shown} ± {high - mean:.{digits}f}"
