"""The density of an arm's loss rate μ under many curves at once, as a density of θ = log(-log(1 - μ)).

If curve h has the share q at an amount with `quiet` quiet rounds, the density of μ is proportional to
μ^(first - 1) · (1 - μ)^(second - 1) · Π (1 - μ·q)^quiet. Loops go over curves side by side.
"""

import math

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes
from allotment.kernels.lane_math import lane_exp, lane_log
from allotment.policies.any_response.bench import PeakSearch, RateDensities
from allotment.policies.any_response.tuning import (
    FARTHEST,
    HIGHEST,
    HIGHEST_GUESS,
    LOWEST,
    MANY,
    NARROWEST,
    NEAR,
    WIDEST,
)

SMALL = 0.01  # below this, 1 - e^-x is a short series
AT_ONCE = 15  # quiet rounds per logarithm, at most: their probability is above 1e-220


@lanes
def _find_rates(theta: FloatArray, scale: FloatArray, rate: FloatArray, rest: FloatArray) -> None:
    """Write e^θ, μ and 1 - μ."""
    for h in range(theta.size):
        e = lane_exp(theta[h])
        left = lane_exp(-e)
        short = e * (1.0 - e * (1 / 2 - e * (1 / 6 - e * (1 / 24 - e * (1 / 120)))))
        scale[h], rest[h] = e, left
        rate[h] = short if e < SMALL else 1.0 - left


@lanes
def _begin_density(
    first: float, second: float, theta: FloatArray, scale: FloatArray, rate: FloatArray, out: FloatArray
) -> None:
    for h in range(theta.size):
        out[h] = theta[h] - second * scale[h] + (first - 1.0) * lane_log(rate[h])


@lanes
def _add_density(quiet: float, seen: FloatArray, rate: FloatArray, rest: FloatArray, out: FloatArray) -> None:
    """Add the log-likelihood of the quiet rounds at one amount."""
    for h in range(out.size):
        out[h] += quiet * lane_log(rest[h] + rate[h] * (1.0 - seen[h]))


@lanes
def _multiply_quiet(
    times: int, seen: FloatArray, rate: FloatArray, rest: FloatArray, product: FloatArray
) -> None:
    """Multiply by the probability of at most 15 quiet rounds (four bits); faster than a logarithm."""
    for h in range(product.size):
        once = rest[h] + rate[h] * (1.0 - seen[h])
        twice = once * once
        four = twice * twice
        odd = (once if times & 1 else 1.0) * (twice if times & 2 else 1.0)
        product[h] *= odd * (four if times & 4 else 1.0) * (four * four if times & 8 else 1.0)


@lanes
def _add_log(product: FloatArray, out: FloatArray) -> None:
    """Add the logarithm of the product, and start a new product."""
    for h in range(out.size):
        out[h] += lane_log(product[h])
        product[h] = 1.0


@kernel
def log_densities(
    at: RateDensities, quiet: FloatArray, shares: FloatArray, curves: int, first: float, second: float
) -> None:
    """Write the rates at θ and the log of the density there, for the first `count` curves."""
    theta, scale, rate, rest = at.theta[:curves], at.scale[:curves], at.rate[:curves], at.rest[:curves]
    product, log_density = at.product[:curves], at.log_density[:curves]
    _find_rates(theta, scale, rate, rest)
    _begin_density(first, second, theta, scale, rate, log_density)
    few = 0
    for h in range(curves):
        product[h] = 1.0
    for k in range(quiet.size):
        seen = shares[k, :curves]
        times = int(min(quiet[k], AT_ONCE + 1.0))
        if times > AT_ONCE or times != quiet[k]:  # aged evidence has fractions
            _add_density(quiet[k], seen, rate, rest, log_density)
        elif times > 0:
            if few + times > AT_ONCE:
                _add_log(product, log_density)
                few = 0
            _multiply_quiet(times, seen, rate, rest, product)
            few += times
    if few > 0:
        _add_log(product, log_density)


@lanes
def _add_exposure(quiet: float, seen: FloatArray, exposure: FloatArray) -> None:
    for h in range(exposure.size):
        exposure[h] += quiet * seen[h]


@lanes
def _guess(first: float, exposure: FloatArray, theta: FloatArray) -> None:
    """Write a first guess of the peak, exact for small rates and never far too high."""
    for h in range(theta.size):
        guess = lane_log(first / exposure[h])
        theta[h] = guess if guess < HIGHEST_GUESS else HIGHEST_GUESS


@lanes
def _begin_slope(
    first: float,
    second: float,
    scale: FloatArray,
    rate: FloatArray,
    rest: FloatArray,
    slope: FloatArray,
    bend: FloatArray,
) -> None:
    for h in range(scale.size):
        speed = rest[h] * scale[h] / rate[h]  # the derivative of log μ
        slope[h] = (first - 1.0) * speed - second * scale[h] + 1.0
        bend[h] = second * scale[h] - (first - 1.0) * speed * (1.0 - scale[h] - speed)


@lanes
def _part_of(
    seen: FloatArray, scale: FloatArray, rate: FloatArray, rest: FloatArray, part: FloatArray
) -> None:
    """Write how fast the log of 1 - μ·q falls as θ grows."""
    for h in range(part.size):
        part[h] = seen[h] * rest[h] * scale[h] / (rest[h] + rate[h] * (1.0 - seen[h]))


@lanes
def _add_slope(
    quiet: float, part: FloatArray, scale: FloatArray, slope: FloatArray, bend: FloatArray
) -> None:
    for h in range(part.size):
        slope[h] -= quiet * part[h]
        bend[h] += quiet * part[h] * (1.0 - scale[h] + part[h])


@lanes
def _go_on(
    slope: FloatArray,
    bend: FloatArray,
    low: FloatArray,
    high: FloatArray,
    theta: FloatArray,
    spread: FloatArray,
) -> int:
    """Move towards the peaks by Newton steps within brackets; return the number of curves not there yet."""
    far = 0
    for h in range(theta.size):
        here, steep, curvature = theta[h], slope[h], bend[h]
        curvature = curvature if curvature > 1.0 / (WIDEST * WIDEST) else 1.0 / (WIDEST * WIDEST)
        bottom = here if steep > 0.0 else low[h]
        top = high[h] if steep > 0.0 else here
        near = 1.0 / math.sqrt(curvature)
        low[h], high[h], spread[h] = bottom, top, near
        after = here + steep / curvature
        inside = ((bottom < after) & (after < top)) | (after == here)
        lowest = bottom if bottom > here - FARTHEST else here - FARTHEST
        highest = top if top < here + FARTHEST else here + FARTHEST
        after = after if inside else 0.5 * (lowest + highest)
        near = near if inside else NARROWEST  # the width of the peak is unknown here
        far += abs(after - here) > NEAR * near
        theta[h] = after
    return far


@kernel
def find_peaks(
    search: PeakSearch,
    at: RateDensities,
    spread: FloatArray,
    quiet: FloatArray,
    shares: FloatArray,
    curves: int,
    first: float,
    second: float,
) -> None:
    """Write the peak of the density of θ to `at`, and its width to `spread`."""
    theta, scale, rate, rest = at.theta[:curves], at.scale[:curves], at.rate[:curves], at.rest[:curves]
    slope, bend, part = search.slope[:curves], search.bend[:curves], search.part[:curves]
    low, high, width = search.low[:curves], search.high[:curves], spread[:curves]
    for h in range(curves):
        low[h], high[h], bend[h] = LOWEST, HIGHEST, second
    for k in range(quiet.size):
        _add_exposure(quiet[k], shares[k, :curves], bend)
    _guess(first, bend, theta)
    for _ in range(MANY):
        _find_rates(theta, scale, rate, rest)
        _begin_slope(first, second, scale, rate, rest, slope, bend)
        for k in range(quiet.size):
            if quiet[k] > 0.0:
                _part_of(shares[k, :curves], scale, rate, rest, part)
                _add_slope(quiet[k], part, scale, slope, bend)
        if _go_on(slope, bend, low, high, theta, width) == 0:
            break
