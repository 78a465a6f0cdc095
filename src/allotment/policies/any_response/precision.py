"""How closely beliefs about response curves are computed; `tuning.py` has the numbers."""

from typing import NamedTuple


class Precision(NamedTuple):
    """Which curves and loss rates count, and how many loss rates each curve is computed at."""

    cut: float  # a curve whose weight is below e^-cut times the largest is left out
    drop: float  # loss rates reach to where their density has fallen by e^-drop
    nodes: int  # loss rates for each curve; a multiple of 16
