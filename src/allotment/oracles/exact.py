"""The exact 0-1 knapsack on real-valued weights and values, as a compiled oracle that allocates nothing.

Weights become whole numbers of a unit so small that nothing is lost but below 2⁻⁶⁰ of the capacity, and are
rounded down: every choice that fits also fits in units. So the best choice in units is the best of all
unless it turns out too heavy by that hair, which is checked, and then searched again with less room.
"""

import math

from allotment.checks import BoolArray, FloatArray
from allotment.compiling import kernel
from allotment.oracles.core import find_core
from allotment.oracles.oracle import choose, fit
from allotment.oracles.states import advance, bound_of, start, take_found
from allotment.oracles.workspace import ExactKnapsack, exact_oracle
from allotment.tolerance import slack_of

__all__ = ["ExactKnapsack", "exact_oracle"]

_slack_of = kernel(slack_of)

LARGEST = 1.7976931348623157e308
UNLIMITED = 1 << 62


@fit.register
def _fit(oracle: ExactKnapsack, weights: FloatArray, capacity: float) -> None:
    widened = min(capacity + _slack_of(capacity), LARGEST)
    scale = math.ldexp(1.0, 61 - math.frexp(widened)[1])
    oracle.room[0] = int(widened * scale)
    for i in range(weights.size):
        oracle.weights[i] = weights[i]
        if weights[i] <= widened:
            oracle.units[i] = int(weights[i] * scale)
            oracle.inverse[i] = 1.0 / oracle.units[i] if oracle.units[i] > 0 else 1e30
        else:
            oracle.units[i] = -1
            oracle.inverse[i] = 0.0


@kernel
def begin(oracle: ExactKnapsack, values: FloatArray, chosen: BoolArray) -> float:
    """Take the values of this solve; the choice to start from is the previous one if it still fits.

    Returns the number that values are scaled by.
    """
    worth, units = oracle.worth, oracle.units
    highest = 0.0
    for i in range(values.size):
        if units[i] >= 0:
            highest = max(highest, values[i])
    scale = math.ldexp(1.0, max(-math.frexp(highest)[1], -1020))
    spare = oracle.room[0]
    for i in range(values.size):
        worth[i] = values[i] * scale if units[i] >= 0 else 0.0
        chosen[i] = oracle.previous[i] and worth[i] > 0.0
        if chosen[i] and spare >= 0:
            spare -= units[i]
    if spare < 0:
        chosen[:] = False
    return scale


@choose.register
def _choose(oracle: ExactKnapsack, values: FloatArray, chosen: BoolArray) -> bool:
    begin(oracle, values, chosen)
    core = find_core(oracle, chosen, 0.0, 0)
    search = advance(oracle, core, start(oracle, core), UNLIMITED)
    take_found(oracle, search, chosen)
    oracle.previous[:] = chosen
    proved = bound_of(oracle, core, search) <= search.best + core.tolerance
    if not proved:
        oracle.unproved[0] += 1
    return proved
