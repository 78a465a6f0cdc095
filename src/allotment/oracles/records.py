"""Arrays of records, the memory of the oracles.

Few arrays of records, not many of numbers: a compiled function pays for each array that it is handed.
"""

from typing import Any

import numpy as np
from numba.extending import overload

Records = np.recarray[Any, Any]


def records(count: int, kind: np.dtype[Any]) -> Records:
    """An array of records whose fields are attributes, as they are in compiled code."""
    return np.empty(count, kind).view(np.recarray)


@overload(records)
def _compiled_records(count: Any, kind: Any) -> Any:
    def make(count: Any, kind: Any) -> Any:
        return np.empty(count, kind)

    return make
