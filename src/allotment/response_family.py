"""A family of response curves: what a place may be like, before anything was seen of it.

The standard family holds steps at every unit with several leaks, straight lines to a cap, exponential and
logistic curves, and a flat one (nothing helps). Curves of one kind share a weight, which can be learnt from
all arms together. A family of one's own is a list of responses, each with its weight.
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import number, positive
from allotment.errors import InputError
from allotment.tolerance import RELATIVE
from allotment.worlds.responses import Exponential, Linear, Logistic, Response, Step

LEAST = 1e-9  # no curve says "never": reports that it cannot explain must leave something to compare

STEP, GRADUAL, FLAT, OTHER = "step", "gradual", "flat", "other"


def full_units(unit: float) -> int:
    """How many units make a full grant; an error unless they do so exactly."""
    expected = "a number above 0 and at most 1 that divides 1"
    unit = number("unit", unit, expected, above=0.0, most=1.0)
    full = round(1.0 / unit)
    if abs(full * unit - 1.0) > 1e-9:
        raise InputError.of("unit", unit, expected)
    return full


@dataclass(frozen=True, eq=False)
class Family:
    """Curves in whole units, by kind.

    >>> steps = Family.of([(Step(0.5), 2.0), (Step(1.0), 1.0)], units=2)
    >>> steps.remaining.round(6).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    >>> steps.weights.round(3).tolist(), steps.steps.tolist()
    ([0.667, 0.333], [1, 2])
    """

    remaining: FloatArray  # curves x amounts: the share of the loss rate that is left at 0, 1, … units
    weights: FloatArray  # prior weight of each curve within its kind
    kinds: IntArray  # the kind of each curve; curves of a kind stand in a row
    kind_weights: FloatArray  # prior weight of each kind; sums to 1
    steps: IntArray  # how many units cover the arm; 0 if the curve is no step

    @classmethod
    def of(cls, members: Iterable[tuple[Response, float]], units: int) -> "Family":
        """A family of these responses, each with its weight and a kind of its own per class of response."""
        rows: list[tuple[str, FloatArray, float, int]] = []
        for position, member in enumerate(members):
            try:
                response, weight = member
            except (TypeError, ValueError):
                raise InputError.of(f"family[{position}]", member, "(response, weight)") from None
            if not isinstance(response, Response):
                raise InputError.of(f"family[{position}]", response, "a response")
            response.check_arms(1)
            weight = positive(f"the weight of family[{position}]", weight)
            rows.append((response.kind(), _curve(response, units), weight, _step_of(response, units)))
        if not rows:
            raise InputError.of("family", [], "at least one response with its weight")
        order = sorted(range(len(rows)), key=lambda k: rows[k][0])
        names = sorted({row[0] for row in rows})
        return _gathered([(names.index(rows[k][0]), *rows[k][1:]) for k in order])

    @staticmethod
    @functools.cache
    def standard(units: int) -> "Family":
        """The family that is taken where nobody knows better."""
        rows: list[tuple[int, FloatArray, float, int]] = []
        for kind, (weight, responses) in enumerate(_standard(units)):
            share = weight / len(responses)
            rows += [(kind, _curve(each, units), share, _step_of(each, units)) for each in responses]
        return _gathered(rows)

    def shape_of(self, curve: int) -> str:
        """What a curve is, in one word."""
        if self.steps[curve]:
            return STEP
        return FLAT if self.remaining[curve].min() > 1.0 - LEAST else GRADUAL

    def for_arms(self, arms: int, known: Sequence[float | None] | None, units: int) -> FloatArray:
        """The prior of every arm: where a threshold is known, only the steps at it, up to whole units."""
        prior = np.tile(self.weights, (arms, 1))
        for i, threshold in enumerate(known or ()):
            if threshold is None or threshold != threshold:
                continue
            needed = int(np.ceil(threshold * units - 1e-9))
            prior[i, self.steps != needed] = 0.0
            if not prior[i].any():
                raise InputError.of(f"thresholds[{i}]", threshold, "one that the family has a step at")
        return prior


def _curve(response: Response, units: int) -> FloatArray:
    return np.maximum(response.table(1, units, RELATIVE)[0], LEAST)


def _step_of(response: Response, units: int) -> int:
    """How many units cover the arm; 0 if the response is no step."""
    if not isinstance(response, Step):
        return 0
    threshold = np.atleast_1d(np.asarray(response.thresholds))[0]
    return int(np.ceil(threshold * units - 1e-9))


def _gathered(rows: list[tuple[int, FloatArray, float, int]]) -> Family:
    kinds, curves, weights, steps = zip(*rows, strict=True)
    kind, weight = np.array(kinds), np.array(weights)
    of_kind = np.bincount(kind, weight)
    return Family(
        remaining=np.array(curves),
        weights=weight / of_kind[kind],
        kinds=kind,
        kind_weights=of_kind / of_kind.sum(),
        steps=np.array(steps),
    )


def _standard(units: int) -> list[tuple[float, list[Any]]]:
    """Each kind's weight and responses."""
    at = np.arange(1, units + 1) / units
    finer = min(2, max(1, 40 // units))  # parameters lie closer than units, where units are few
    middles = (np.arange(20) + 0.5) / 20
    fulls = np.arange(1, 2 * units * finer + 1) / (units * finer)
    kinds: list[tuple[float, list[Any]]] = [
        (0.5 * share, [Step(each, leak) for each in at.tolist()])
        for leak, share in ((0.0, 0.2), (0.01, 0.25), (0.03, 0.25), (0.1, 0.2), (0.3, 0.1))
    ]
    kinds += [
        (0.2 * share, [Linear(full, leak) for full in fulls[start::every].tolist()])
        for leak, share, start, every in ((0.0, 0.7, 0, 1), (0.05, 0.3, 3, 4))
    ]
    kinds.append((0.15, [Exponential(1.0 / each) for each in np.geomspace(0.3, 60.0, 30).tolist()]))
    kinds += [
        (0.15 / 4, [Logistic(each, width) for each in middles.tolist()]) for width in (0.02, 0.04, 0.08, 0.16)
    ]
    kinds.append((0.01, [Linear(1e12)]))
    return kinds
