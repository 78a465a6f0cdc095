"""The family of the plain AnyResponse and its finer curves, from docs/explanation/any-response.md."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammainc

from allotment import Step

LEAST = 1e-9
STEP_WEIGHT, LINE_WEIGHT, EXPONENTIAL_WEIGHT, LOGISTIC_WEIGHT, FLAT_WEIGHT = 0.25, 0.2, 0.4, 0.15, 0.01
LEAKS = [  # leak, share, ratio; without a leak there is no range of leaks
    (0.0, 0.22, 1.0),
    (0.01, 0.16, 2.0),
    (0.02, 0.16, 2.0),
    (0.04, 0.16, 2.2),
    (0.1, 0.14, 2.5),
    (0.25, 0.1, 2.5),
    (0.5, 0.06, 2.0),
]
GRADUAL_LEAKS = [(0.0, 0.64, 1.0), (0.07, 0.12, 2.9), (0.2, 0.12, 2.5), (0.45, 0.12, 2.4)]
CAPS, CAPS_BY_UNIT, MOST_LINES = 40, 2, 60
SLOPES, FIRST_EXPONENT, LAST_EXPONENT = 30, 0.3, 60.0
MIDDLES, WIDTHS, WIDTH_RATIO = 20, (0.02, 0.04, 0.08, 0.16), 2.0
LEAKING_MIDDLES, LEAKING_WIDTHS, LEAKING_WIDTH_RATIO = 10, (0.06,), 4.0
THINNED_LINES, THINNED_SLOPES = 6, 3
CAPPED_WEIGHT, LEAST_CAPPED, CAPPED_RATIO = 0.1, 0.2, 1.1
PARTS = 32
ROUNDING = 1e-9  # of amounts in units


class Parameter(NamedTuple):
    """A value that stands for a range: a distance, a ratio, or neither."""

    value: float = 0.0
    distance: float = 0.0
    ratio: float = 1.0

    def halves(self):
        if self.distance > 0.0:
            return [Parameter(self.value + side * self.distance / 4, self.distance / 2) for side in (-1, 1)]
        if self.ratio > 1.0:
            root = math.sqrt(self.ratio)
            return [Parameter(self.value * root ** (side / 2), ratio=root) for side in (-1, 1)]
        return [self]


EXACT = Parameter()


@dataclass(frozen=True)
class Curve:
    """A shape with its parameters. `share` is the part of a coarse curve's prior that a finer one has."""

    shape: Callable  # of the amounts, `place` and `width`
    prior: float = 0.0
    place: Parameter = EXACT  # a threshold, a cap or a middle
    width: Parameter = EXACT  # a scale or a width
    leak: Parameter = EXACT
    share: float = 1.0
    kind: int = 0

    @cache  # noqa: B019 (a handful of families)
    def remaining(self, units):
        shape = self.shape(np.arange(units + 1) / units, self.place.value, self.width.value)
        return np.maximum(LEAST, shape + self.leak.value * (1.0 - shape))

    @cache  # noqa: B019
    def parts(self):
        """Finer curves, or none."""
        halves = list(product(self.place.halves(), self.width.halves(), self.leak.halves()))
        share = self.share / len(halves)
        if len(halves) == 1 or share < 1.0 / PARTS:
            return []
        prior = self.prior / len(halves)
        return [
            replace(self, prior=prior, share=share, place=place, width=width, leak=leak)
            for place, width, leak in halves
        ]


def step(x, place, _width):
    return np.where(x < place, 1.0, 0.0)


def line(x, place, _width):
    return np.maximum(0.0, 1.0 - x / place)


def exponential(x, _place, width):
    return np.exp(-x / width)


def logistic(x, place, width):
    return expit((place - x) / width) / expit(place / width)


def flat(x, _place, _width):
    return np.ones_like(x)


def capped(x, _place, width):
    """E[(N - n)+] / E[N] with n units, for a Poisson number N with the mean `width`."""
    at_least = gammainc(np.arange(1, x.size), width)
    return 1.0 - np.append(0.0, np.cumsum(at_least)) / width


class Family(NamedTuple):
    """Curves in the order of their kinds, and the prior of the kinds, which sums to 1."""

    curves: list
    kinds: np.ndarray


@cache
def standard_family(units, with_capped=False):
    """The family for so many units in a full grant."""
    groups = [
        (STEP_WEIGHT * share, _steps(units, Parameter(leak, ratio=ratio))) for leak, share, ratio in LEAKS
    ]
    for value, share, ratio in GRADUAL_LEAKS:
        leak = Parameter(value, ratio=ratio)
        groups.append((LINE_WEIGHT * share, _lines(units, leak)))
        groups.append((EXPONENTIAL_WEIGHT * share, _exponentials(leak)))
        logistics = _logistics(leak)
        groups.extend((LOGISTIC_WEIGHT * share / len(logistics), curves) for curves in logistics)
    groups.append((FLAT_WEIGHT, [Curve(flat)]))
    if with_capped:
        groups.append((CAPPED_WEIGHT, _capped(units)))
    return _family([(weight, [1.0] * len(curves), curves) for weight, curves in groups])


def own_family(pairs, units):
    """The family of `curves=`: pairs of a response and its weight."""
    groups = []
    for name in sorted({type(response).__name__ for response, _ in pairs}):
        chosen = [(response, weight) for response, weight in pairs if type(response).__name__ == name]
        weights = [weight for _, weight in chosen]
        groups.append((sum(weights), weights, [_own_curve(response, units) for response, _ in chosen]))
    return _family(groups)


def _own_curve(response, units):
    if isinstance(response, Step):
        return Curve(
            step, place=Parameter(place_of(response.thresholds, units)), leak=Parameter(response.leak)
        )
    remaining = response.table(1, units, ROUNDING)[0]
    return Curve(lambda _x, _place, _width: remaining)


def place_of(threshold, units):
    """The smallest amount in whole units that reaches a threshold."""
    return math.ceil(threshold * units - ROUNDING) / units


def _family(groups):
    kinds = np.array([weight for weight, _, _ in groups])
    curves = [
        replace(curve, prior=weight / sum(weights), kind=kind)
        for kind, (_, weights, members) in enumerate(groups)
        for weight, curve in zip(weights, members, strict=True)
    ]
    return Family(curves, kinds / kinds.sum())


def _capped(units):
    means = [LEAST_CAPPED]
    while means[-1] < units + 4.0 * math.sqrt(units):
        means.append(means[-1] * CAPPED_RATIO)
    return [Curve(capped, width=Parameter(mean, ratio=CAPPED_RATIO)) for mean in means]


def _steps(units, leak):
    return [Curve(step, place=Parameter(k / units), leak=leak) for k in range(1, units + 1)]


def _lines(units, leak):
    caps = units * min(CAPS_BY_UNIT, max(1, CAPS // units))
    count = max(3 * caps // 2, min(2 * caps, MOST_LINES))
    every = min(THINNED_LINES, count) if leak.value > 0.0 else 1
    places = [Parameter(k / caps, distance=every / caps) for k in range(every, count + 1, every)]
    return [Curve(line, place=place, leak=leak) for place in places]


def _exponentials(leak):
    exponents = np.geomspace(FIRST_EXPONENT, LAST_EXPONENT, SLOPES)
    if leak.value > 0.0:
        exponents = exponents[::THINNED_SLOPES]
    ratio = float(next(b / a for a, b in pairwise(exponents)))
    return [Curve(exponential, width=Parameter(1.0 / b, ratio=ratio), leak=leak) for b in exponents.tolist()]


def _logistics(leak):
    """The curves of each width."""
    leaks = leak.value > 0.0
    count = LEAKING_MIDDLES if leaks else MIDDLES
    ratio = LEAKING_WIDTH_RATIO if leaks else WIDTH_RATIO
    places = [Parameter((k + 0.5) / count, distance=1.0 / count) for k in range(count)]
    return [
        [Curve(logistic, place=place, width=Parameter(width, ratio=ratio), leak=leak) for place in places]
        for width in (LEAKING_WIDTHS if leaks else WIDTHS)
    ]
