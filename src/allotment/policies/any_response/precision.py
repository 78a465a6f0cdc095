"""How closely beliefs about response curves are computed."""

from typing import NamedTuple


class Precision(NamedTuple):
    """Which curves and loss rates count, and how many loss rates each curve is computed at."""

    cut: float  # a curve whose weight is below e^-cut times the largest is left out
    drop: float  # loss rates reach to where their density has fallen by e^-drop
    nodes: int  # loss rates for each curve; a multiple of 16


SIMULATING = Precision(cut=10.0, drop=8.0, nodes=16)  # expected losses are within some 2 %
PLANNING = Precision(cut=14.0, drop=10.0, nodes=32)  # within 0.1 %, which nobody can read off a plan
READING = Precision(cut=30.0, drop=18.0, nodes=96)  # exact in every digit that is shown
