"""How many moves limits need: the fewest units that arms can gain over what they had."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from allotment.arrays import ArrayLike
from allotment.oracles.shares.allocate import allocate
from allotment.oracles.shares.limits import whole_numbers


def fewest_moves(
    budget: int,
    before: ArrayLike,
    *,
    most: ArrayLike,
    least: ArrayLike | None = None,
    groups: Mapping[Any, tuple[Any, Any, Any]] | None = None,
    crew: ArrayLike | None = None,
) -> int:
    """The smallest `moves` with which `allocate` finds anything within these limits.

    >>> fewest_moves(4, before=[2, 2, 0], most=3, least=[0, 0, 1], crew=2)
    2
    """
    had = whole_numbers("before", before, np.size(before))
    amounts = np.arange(int(whole_numbers("most", most, had.size).max()) + 1)
    gains = -np.maximum(amounts[None, :] - had[:, None], 0.0)
    shares = allocate(gains, budget, least=least, most=most, groups=groups, crew=crew)
    return -round(shares.value)
