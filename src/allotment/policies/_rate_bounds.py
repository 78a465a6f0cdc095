"""Lower bounds of loss rates from rounds without a grant: how Refute values cover."""

import math
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel
from allotment.kernels.bits import Bits, unsown_bits
from allotment.kernels.confidence import hoeffding_radius, kl_lower_bound_near
from allotment.kernels.laws import draw_beta

BOUNDS = KL, HOEFFDING, DRAWS = "kl", "hoeffding", "draws"
_HOEFFDING, _DRAWS = BOUNDS.index(HOEFFDING), BOUNDS.index(DRAWS)


class RateBounds(NamedTuple):
    """By arm, what it lost in rounds without a grant, and how little it may lose in truth."""

    kind: int  # a position in BOUNDS
    bits: Bits
    severities: FloatArray
    rounds: FloatArray  # with a report, at whatever amount
    seen: FloatArray  # n_i: rounds without a grant, with a report
    losses: FloatArray  # S_i: in these rounds
    bounds: FloatArray  # the lower bounds; the next ones start from them
    values: FloatArray  # the bounds times the severities
    latest: FloatArray  # one number: the most rounds of any arm


def rate_bounds(kind: str, severities: FloatArray) -> RateBounds:
    """Start without any observation."""
    arms = severities.size
    return RateBounds(
        kind=BOUNDS.index(kind),
        bits=unsown_bits(),
        severities=np.array(severities),
        rounds=np.zeros(arms),
        seen=np.zeros(arms),
        losses=np.zeros(arms),
        bounds=np.zeros(arms),
        values=np.zeros(arms),
        latest=np.zeros(1),
    )


@kernel
def bound_rates(rates: RateBounds) -> None:
    """Bound every loss rate for the next round."""
    t = rates.latest[0] + 1.0
    for i in range(rates.seen.size):
        n, s = rates.seen[i], rates.losses[i]
        if rates.kind == _DRAWS:
            rates.bounds[i] = draw_beta(rates.bits, 1.0 + s, 1.0 + (n - s))
        elif n > 0.0 and rates.kind == _HOEFFDING:
            rates.bounds[i] = max(s / n - hoeffding_radius(t, n), 0.0)
        elif n > 0.0:
            rates.bounds[i] = kl_lower_bound_near(rates.bounds[i], s / n, n, max(math.log(t / n), 0.0))
        rates.values[i] = rates.severities[i] * rates.bounds[i]


@kernel
def count_rounds(rates: RateBounds, arm: int, rounds: float) -> None:
    """Count rounds of an arm, at whatever amount."""
    rates.rounds[arm] += rounds
    rates.latest[0] = max(rates.latest[0], rates.rounds[arm])


@kernel
def observe_rate(rates: RateBounds, arm: int, rounds: float, losses: float) -> float:
    """Learn from rounds without a grant; returns the expected loss rate."""
    rates.seen[arm] += rounds
    rates.losses[arm] += losses
    return (rates.losses[arm] + 1.0) / (rates.seen[arm] + 2.0)
