"""Lower bounds of loss rates from rounds without a grant: how Refute values cover."""

from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes
from allotment.kernels.loss_rates import hoeffding_radius, kl_lower_bounds
from allotment.randomness.bits import Bits, unsown_bits
from allotment.randomness.laws import draw_beta

BOUNDS = "kl", "hoeffding", "draws"
_KL, _HOEFFDING, _DRAWS = range(3)


class RateBounds(NamedTuple):
    """By arm, what it lost in rounds without a grant, and how little it may lose in truth."""

    kind: int  # a position in BOUNDS
    bits: Bits
    severities: FloatArray
    rounds: FloatArray  # with a report, at whatever amount
    seen: FloatArray  # n_i: rounds without a grant, with a report
    losses: FloatArray  # S_i: in these rounds
    bounds: FloatArray  # the lower bounds
    gaps: FloatArray  # how far KL bounds lie below the means; the next bounds start from them
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
        gaps=np.zeros(arms),
        values=np.zeros(arms),
        latest=np.zeros(1),
    )


@lanes
def bound_rates(rates: RateBounds) -> None:
    """Bound every loss rate for the next round."""
    t = rates.latest[0] + 1.0
    if rates.kind == _KL:
        kl_lower_bounds(t, rates.seen, rates.losses, rates.gaps, rates.bounds)
    for i in range(rates.seen.size):
        n, s = rates.seen[i], rates.losses[i]
        if rates.kind == _DRAWS:
            rates.bounds[i] = draw_beta(rates.bits, 1.0 + s, 1.0 + (n - s))
        elif rates.kind == _HOEFFDING:
            rates.bounds[i] = max(s / n - hoeffding_radius(t, n), 0.0) if n > 0.0 else 0.0
        rates.values[i] = rates.severities[i] * rates.bounds[i]


@kernel
def expected_rate(rates: RateBounds, arm: int) -> float:
    """The expected loss rate of an arm."""
    return (rates.losses[arm] + 1.0) / (rates.seen[arm] + 2.0)


@lanes
def observe(rates: RateBounds, arm: int, rounds: float, losses: float, is_open: bool) -> None:
    """Count rounds of an arm; if it was open, without a grant, they show its rate."""
    rates.rounds[arm] += rounds
    rates.latest[0] = max(rates.latest[0], rates.rounds[arm])
    if is_open:
        rates.seen[arm] += rounds
        rates.losses[arm] += losses
