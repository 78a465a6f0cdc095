"""The types of the arrays that are handed around."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
else:

    class ArrayLike:
        """What NumPy makes an array of: an array, a list of numbers, a number.

        NumPy's own name for it fills `help` with twenty lines, wherever it stands.
        """


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
