"""The multiples of a resolution, at which the search for thresholds starts."""

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import positive
from allotment.tolerance import ceil_with_tolerance


def grid(resolution: float, most: float = 1.0) -> FloatArray:
    """The multiples of a resolution up to `most`, and `most` itself.

    >>> grid(0.3).tolist()
    [0.3, 0.6, 0.9, 1.0]
    """
    resolution, most = positive("resolution", resolution), positive("most", most)
    inner = resolution * np.arange(1, ceil_with_tolerance(most / resolution))
    return np.append(np.round(inner, 12), most)
