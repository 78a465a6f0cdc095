"""The precision of the posterior of response curves; `tuning.py` has the numbers."""

from typing import NamedTuple


class Precision(NamedTuple):
    """Which curves and loss rates count, and how many loss rates each curve is computed at."""

    cut: float  # curves with a weight below e^-cut times the largest are left out
    drop: float  # loss rates reach to the point where their density has fallen by e^-drop
    nodes: int  # loss rates for each curve; a multiple of 4, since updates take four at once
