"""Random order, drawn from the NumPy stream that is handed in."""

from typing import Any

from allotment.arrays import IntArray
from allotment.compiling.decorators import kernel


@kernel
def shuffle(rng: Any, items: IntArray, count: int) -> None:
    """Put the first `count` items into uniformly random order (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
