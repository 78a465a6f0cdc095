"""Listed loss rates: the prior gives a weight to each of a few rates, and to no other.

The posterior is then a finite table, computed without quadrature, and a draw is exact. Every curve of the
family has a row, however unlikely. So theorems about draws from the exact posterior hold.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import number, positive
from allotment.compiling.decorators import kernel, lanes
from allotment.errors import ConflictError, InputError
from allotment.kernels.lane_math import lane_exp, lane_log
from allotment.policies.any_response.beliefs import YesNoCurves
from allotment.policies.any_response.choosing import NEVER, gather, most_likely

AT_ONCE = 4  # nodes that one step of an update covers
NO_CHANCE = 1e-300  # a probability instead of 0, for logarithms

Listed = tuple[tuple[float, float], ...]  # rates with their weights


def are_listed(rates: Any) -> bool:
    """Whether rates are pairs of rate and weight, rather than the two parameters of a Beta or Gamma."""
    return rates is not None and len(rates) > 0 and isinstance(rates[0], Sequence | np.ndarray)


def refuse_listed(rates: Any, situations: int) -> None:
    """Raise an error if rates are listed for several situations, whose rates differ by factors."""
    if situations > 1 and are_listed(rates):
        raise ConflictError(
            f"rates are listed, and situations are {situations}",
            "two parameters of a distribution, or one situation",
            what="rates",
            value=rates,
        )


def checked_listed(rates: Sequence[Sequence[float]]) -> Listed:
    """Check pairs of a rate from 0 to 1 and a weight above 0."""
    pairs = []
    for k, pair in enumerate(rates):
        try:
            rate, weight = pair
        except (TypeError, ValueError):
            raise InputError.of(f"rates[{k}]", pair, "(rate, weight)") from None
        checked = number(f"the rate of rates[{k}]", rate, "a number from 0 to 1", least=0.0, most=1.0)
        pairs.append((checked, positive(f"the weight of rates[{k}]", weight)))
    return tuple(pairs)


def equally_likely(shape: tuple[float, float], number: int) -> Listed:
    """Rates of equal weight that stand for a Beta: its quantiles at the middles of equal shares."""
    from scipy.special import betaincinv  # imported here, since only listed rates need it

    middles = (np.arange(number) + 0.5) / number
    return tuple((float(rate), 1.0) for rate in betaincinv(*shape, middles))


def listed_arrays(rates: Listed) -> tuple[FloatArray, FloatArray]:
    """The rates and the logs of their weights, filled up with weightless rates to a multiple of four."""
    room = -len(rates) % AT_ONCE
    found, weights = np.array([*rates, *[(0.5, 0.0)] * room]).T
    with np.errstate(divide="ignore"):
        return found.copy(), np.maximum(np.log(weights / weights.sum()), NEVER)


@lanes
def _add_seen(events: float, quiet: float, rate: float, seen: FloatArray, out: FloatArray) -> None:
    """Add the log-likelihood of the evidence at one amount, curve by curve."""
    for h in range(out.size):
        chance = rate * seen[h]
        out[h] += events * lane_log(max(chance, NO_CHANCE)) + quiet * lane_log(max(1.0 - chance, NO_CHANCE))


@kernel
def weigh_listed(curves: YesNoCurves, arm: int) -> float:
    """Compute the rows of an arm, one for every curve; return the logarithm of their unit of weight."""
    prior, rows, seen = curves.prior, curves.rows, curves.bench.seen
    used, count, best = prior.weights.shape[1], gather(rows, arm, seen), NEVER
    log_weight, total = curves.bench.densities.log_density[:used], rows.total[arm]
    rows.used[arm], curves.nodes[arm] = used, prior.listed.size
    for h in range(used):
        rows.curve[arm, h], total[h] = h, 0.0
    for m in range(prior.listed.size):
        rate, weight = prior.listed[m], curves.weight[arm, m]
        for h in range(used):
            own = prior.weights[arm, h]
            log_weight[h] = prior.log_listed[m] + (math.log(own) if own > 0.0 else NEVER)
            curves.rate[arm, m, h] = rate
        for k in range(count):
            _add_seen(seen.events[k], seen.quiet[k], rate, prior.seen_at[seen.amounts[k], :used], log_weight)
        here = most_likely(log_weight)
        if here > best:  # the unit of weight changes
            smaller = math.exp(max(best - here, NEVER))
            best = here
            for h in range(used):
                total[h] *= smaller
                for earlier in range(m):
                    curves.weight[arm, earlier, h] *= smaller
        for h in range(used):
            weight[h] = lane_exp(log_weight[h] - best)
            total[h] += weight[h]
    return best


@lanes
def draw_listed(curves: YesNoCurves, arm: int, row: int, left: float, side: float) -> float:
    """Draw the loss rate, given the row's curve; `left` is uniform up to the row's weight."""
    listed, rate, total, mean = curves.prior.listed, 0.0, 0.0, 0.0
    for m in range(listed.size):
        weight = float(curves.weight[arm, m, row])
        if weight > 0.0 and left >= total:
            rate = listed[m]
        total += weight
        mean += weight * listed[m]
    if side != 0.0 and total > 0.0:
        rate = min(rate, mean / total) if side < 0.0 else max(rate, mean / total)
    return rate
