"""Two parameters of Joint: the leak, and the multiples at which the search for thresholds starts.

A leak is a share of the loss rate for counts, a probability of a loss for yes/no losses."""

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import open_unit, positive
from allotment.errors import ConflictError
from allotment.tolerance import ceil_with_tolerance


def checked_leaks(losses: str, leak: float, leak_chance: float) -> tuple[float, float]:
    """Check the leak and the leak chance; raise an error for a leak that this kind of losses cannot have.

    With a share that remains under cover, a count's rate has a posterior in closed form; a yes/no rate has
    none.
    """
    if leak != 0.0:
        leak = open_unit("leak", leak)
        if losses == "binary":
            raise ConflictError(
                f"leak is {leak:g}, a share of the loss rate, but losses are yes or no",
                "leak_chance=…, the chance that a covered arm loses in a round, or AnyResponse, which learns "
                "the share",
                what="leak",
                value=leak,
            )
    if leak_chance != 0.0:
        leak_chance = open_unit("leak_chance", leak_chance)
        if losses == "counts":
            raise ConflictError(
                f"leak_chance is {leak_chance:g}, the chance of a yes/no loss, but losses are counts",
                "leak=…, the share of the loss rate that remains under full cover",
                what="leak_chance",
                value=leak_chance,
            )
    return leak, leak_chance


def grid(resolution: float, most: float = 1.0) -> FloatArray:
    """The multiples of a resolution up to `most`, and `most` itself.

    >>> grid(0.3).tolist()
    [0.3, 0.6, 0.9, 1.0]
    """
    resolution, most = positive("resolution", resolution), positive("most", most)
    inner = resolution * np.arange(1, ceil_with_tolerance(most / resolution))
    return np.append(np.round(inner, 12), most)
