"""Confidence sequences: intervals for a mean that hold at every time at once, however often someone looks.

The mean may change from round to round. The exact limits follow Howard, Ramdas, McAuliffe and Sekhon (2021,
Theorem 4), mixed over six values of λ. The approximate limits follow Waudby-Smith, Arbour, Sinha, Kennedy and
Ramdas (2024). docs/explanation/effect.md has the derivation.
"""

import math

import numpy as np

from allotment.arrays import FloatArray

ALPHA = 0.05  # all limits together miss with at most this probability
MIXED, SMALLEST, LARGEST = 6, 0.03, 0.6  # the values of λ, in geometric steps: how many, and in units of 1/c
STEPS = 60  # of Newton's method at most; it needs about six


def growth(rates: FloatArray, bound: float) -> FloatArray:
    """ψ(λ) = (-log(1 - cλ) - cλ)/c², for λ below 1/c.

    If Y ≥ -c, exp(λY - ψ(λ)Y²) ≤ 1 + λY.
    """
    scaled = bound * rates
    return (-np.log1p(-scaled) - scaled) / bound**2


def mixed_rates(bound: float) -> FloatArray:
    """The values of λ."""
    return np.geomspace(SMALLEST, LARGEST, MIXED) / bound


def log_wealth(margins: FloatArray, squares: FloatArray, bound: float) -> FloatArray:
    """The logarithm of the mean over λ of exp(λr - ψ(λ)V), where r are margins and V squares."""
    rates = mixed_rates(bound)
    powers = np.multiply.outer(margins, rates) - np.multiply.outer(squares, growth(rates, bound))
    top: FloatArray = powers.max(axis=-1)
    return top + np.log(np.exp(powers - top[..., None]).mean(axis=-1))


def exact_margin(squares: FloatArray, bound: float, alpha: float = ALPHA) -> FloatArray:
    """How far below the sum of the terms the sum of their means can be, on one side, by sums of squares V.

    It is the r at which the mean over λ of exp(λr - ψ(λ)V) is 2/α. This mean's logarithm is convex and rises
    with r, so Newton's method falls to r from any start above it.
    """
    squares = np.asarray(squares, dtype=np.float64)
    rates = mixed_rates(bound)
    costs = np.multiply.outer(squares, growth(rates, bound))
    goal = math.log(2.0 / alpha)
    margins: FloatArray = ((goal + math.log(MIXED) + costs) / rates).min(axis=-1)
    for _ in range(STEPS):
        powers = np.multiply.outer(margins, rates) - costs
        top = powers.max(axis=-1)
        weights = np.exp(powers - top[..., None])
        total = weights.sum(axis=-1)
        excess = top + np.log(total / MIXED) - goal
        step = excess * total / (weights @ rates)
        margins = margins - step
        if (step <= 1e-12 * margins).all():
            break
    return margins


def exact_limits(
    terms: FloatArray, centres: FloatArray, below: float, above: float, alpha: float = ALPHA
) -> tuple[FloatArray, FloatArray]:
    """Limits of the mean of the first n terms' expectations, for every n.

    Each term lies between its centre - `below` and its centre + `above`. Centres, and the two bounds, are
    known before the term is drawn.
    """
    rounds = np.arange(1, len(terms) + 1)
    means = np.cumsum(terms) / rounds
    squares = np.cumsum((terms - centres) ** 2)
    return (
        means - exact_margin(squares, below, alpha) / rounds,
        means + exact_margin(squares, above, alpha) / rounds,
    )


def tightest_at(squares: float, alpha: float = ALPHA) -> float:
    """The η with the smallest approximate margin, nearly, where the sum of squares is this."""
    double = -2.0 * math.log(alpha)
    return math.sqrt((double + math.log(double) + 1.0) / squares)


def approximate_margin(squares: FloatArray, eta: float, alpha: float = ALPHA) -> FloatArray:
    """The margin on both sides that covers at all times in the limit of many rounds, by sums of squares."""
    variance = np.asarray(squares, dtype=np.float64)
    found: FloatArray = np.sqrt((variance + eta**-2) * np.log((eta**2 * variance + 1.0) / alpha**2))
    return found


def approximate_limits(terms: FloatArray, centres: FloatArray, eta: float) -> tuple[FloatArray, FloatArray]:
    """The same as `exact_limits`, in the limit of many rounds and without bounds of terms."""
    rounds = np.arange(1, len(terms) + 1)
    means = np.cumsum(terms) / rounds
    margins = approximate_margin(np.cumsum((terms - centres) ** 2), eta) / rounds
    return means - margins, means + margins
