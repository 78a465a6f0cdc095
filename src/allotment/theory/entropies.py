"""Upper confidence limits for the entropies of best amounts, from draws.

The entropy of the observed shares is too low on average, by at most log(1 + (m - 1)/n) for n draws of one of
m values (Paninski, 2003). One draw changes it by at most (1 + log n)/n, so McDiarmid's inequality says how
far it may lie below its mean. The sum of all three is an upper limit with the stated confidence.
"""

import math

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import Entry
from allotment.kernels.protocol import ask


@Entry
def ask_often(state, rng, allocations):  # type: ignore[no-untyped-def]
    """Write the allocations of a learner that gets no reports in between."""
    for k in range(allocations.shape[0]):
        ask(state, rng, allocations[k])


def entropy_limit(drawn: FloatArray, values: int, error: float) -> float:
    """An upper limit of the entropy of a draw from `values` values, in nats, wrong with probability `error`.

    >>> round(entropy_limit(np.arange(10_000) % 4, 4, 0.05), 3), round(math.log(4), 3)
    (1.386, 1.386)
    """
    number = drawn.size
    shares = np.unique(drawn, return_counts=True)[1] / number
    observed = -float(shares @ np.log(shares))
    bias = math.log1p((values - 1) / number)
    spread = (1.0 + math.log(number)) * math.sqrt(-0.5 * math.log(error) / number)
    return min(observed + bias + spread, math.log(values))


def yes_no_limit(drawn: FloatArray, error: float) -> float:
    """The same for two values: the largest entropy of a probability that Hoeffding's inequality allows."""
    margin = math.sqrt(-0.5 * math.log(0.5 * error) / drawn.size)
    rarer = float(min(drawn.mean(), 1.0 - drawn.mean()))
    chance = min(rarer + margin, 0.5)
    return -chance * math.log(chance) - (1.0 - chance) * math.log1p(-chance)
