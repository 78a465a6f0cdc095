"""A family of response curves: what a place may be like, before anything was seen of it.

The standard family holds steps at every unit with several leaks, straight lines to a cap, lines that bend
once, exponential and logistic curves, and a flat one (nothing helps). Curves of one kind share a weight,
which can be learnt from all arms together. A family of one's own is a list of responses with their weights.

Parameters are continuous, so a curve of the standard family stands for all curves whose parameters lie around
its own. Where the evidence has narrowed, finer curves take its place: its ranges of leaks, caps, bends,
scales, middles and widths are halved and its weight split evenly, again and again, so the prior stays what
it is.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import number, positive
from allotment.errors import InputError
from allotment.tolerance import RELATIVE
from allotment.worlds.responses import Exponential, Linear, Logistic, Piecewise, Response, Step

LEAST = 1e-9  # no curve says "never": reports that it cannot explain must leave something to compare

# Leaks of steps, with their shares. Further apart, one between two of them fits neither after some hundred
# rounds, and other curves are tried in its place.
LEAKS = ((0.0, 0.2), (0.01, 0.18), (0.02, 0.18), (0.04, 0.16), (0.08, 0.16), (0.2, 0.12))

BENDS_FROM = 10  # units in a full grant: if they are fewer, other curves come near those that bend

PARTS = 32  # how many curves of one level may stand for a coarse one

STEP, GRADUAL, FLAT, OTHER = "step", "gradual", "flat", "other"


def full_units(unit: float) -> int:
    """How many units make a full grant; an error unless they do so exactly."""
    expected = "a number above 0 and at most 1 that divides 1"
    unit = number("unit", unit, expected, above=0.0, most=1.0)
    full = round(1.0 / unit)
    if abs(full * unit - 1.0) > 1e-9:
        raise InputError.of("unit", unit, expected)
    return full


class Levels(NamedTuple):
    """Which curves are parts of which; coarse curves stand first."""

    coarse: IntArray  # by curve: the coarse curve that it is a part of; itself if it is coarse
    part: FloatArray  # by curve: its share of that curve's weight
    finer: IntArray  # curves x 2: where the finer curves begin and end that it falls into


def one_level(curves: int) -> Levels:
    """So many curves that fall into no finer ones."""
    return Levels(np.arange(curves), np.ones(curves), np.zeros((curves, 2), np.int64))


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
    weights: FloatArray  # prior weight of each coarse curve within its kind
    kinds: IntArray  # the kind of each curve; coarse curves of a kind stand in a row
    kind_weights: FloatArray  # prior weight of each kind; sums to 1
    steps: IntArray  # by coarse curve: how many units cover the arm; 0 if it is no step
    levels: Levels

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
        kinds = _standard(units)
        steps = [np.round(each.given.get("thresholds", 0.0) * units).astype(np.int64) for each in kinds]
        tables = [each.table(units) for each in kinds]
        coarse = _gathered(
            [
                (kind, row, each.weight / len(table), step)
                for kind, (each, table) in enumerate(zip(kinds, tables, strict=True))
                for row, step in zip(table, np.broadcast_to(steps[kind], len(table)), strict=True)
            ]
        )
        return _with_finer(coarse, kinds, units)

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
        levels=one_level(kind.size),
    )


NOTHING: Mapping[str, float] = MappingProxyType({})


class _Kind(NamedTuple):
    """Curves of one kind, each for a range of parameters."""

    weight: float
    response: Callable[..., Response]
    given: dict[str, FloatArray]  # parameters, by curve
    gaps: Mapping[str, float] = NOTHING  # from one to the next, where there are others between them,
    ratios: Mapping[str, float] = NOTHING  # as a difference and as a ratio

    def table(self, units: int) -> FloatArray:
        """What remains, curves x amounts."""
        lists = {name: values.tolist() for name, values in self.given.items()}
        size = next(iter(self.given.values())).size
        return np.maximum(self.response(**lists).table(size, units, RELATIVE), LEAST)

    def halved(self) -> "_Kind":
        """Curves in the middle of both halves of every range; the parts of a curve stand side by side."""
        given = self.given
        for name in (*self.gaps, *self.ratios):
            given = {each: np.repeat(values, 2) for each, values in given.items()}
            side = np.tile([-0.25, 0.25], given[name].size // 2)
            given[name] = given[name] + side * self.gaps.get(name, 0.0)
            given[name] = given[name] * self.ratios.get(name, 1.0) ** side
        gaps = {name: gap / 2.0 for name, gap in self.gaps.items()}
        return self._replace(given=given, gaps=gaps, ratios={k: v**0.5 for k, v in self.ratios.items()})


def _with_finer(family: Family, kinds: Sequence[_Kind], units: int) -> Family:
    """The family with its finer curves, kind after kind and level after level."""
    tables, of_kind = [family.remaining], [family.kinds]
    coarse, part = [family.levels.coarse], [family.levels.part]
    finer, end = [(np.arange(0), 0, 0)], family.kinds.size
    for kind, each in enumerate(kinds):
        ways = parts = 2 ** (len(each.gaps) + len(each.ratios))
        above = within = np.flatnonzero(family.kinds == kind)
        while 1 < parts <= PARTS:
            each, within = each.halved(), np.repeat(within, ways)
            tables.append(each.table(units))
            of_kind.append(np.full(within.size, kind))
            coarse.append(within)
            part.append(np.full(within.size, 1.0 / parts))
            finer.append((above, end, ways))
            above, end, parts = np.arange(end, end + within.size), end + within.size, parts * ways
    falls = np.zeros((end, 2), np.int64)
    for above, first, ways in finer:
        falls[above, 0] = first + ways * np.arange(above.size)
        falls[above, 1] = falls[above, 0] + ways
    return replace(
        family,
        remaining=np.concatenate(tables),
        kinds=np.concatenate(of_kind),
        levels=Levels(np.concatenate(coarse), np.concatenate(part), falls),
    )


def _bent(at: Sequence[float], left: Sequence[float]) -> Response:
    """Lines that bend once, where so much is left; a full grant prevents everything."""
    points = sorted({0.0, *at, 1.0})
    rows = [np.interp(points, [0.0, x, 1.0], [1.0, y, 0.0]).tolist() for x, y in zip(at, left, strict=True)]
    return Piecewise(points, rows)


def _bends(units: int) -> list[_Kind]:
    """Lines that bend at 0.2, 0.3, … 0.8; none where units are few, and other curves come near."""
    tenth, left = np.repeat(np.arange(2, 9), 4), np.tile([0.2, 0.4, 0.6, 0.8], 7)
    bent = np.abs(tenth / 10 + left - 1.0) > 1e-9
    at = np.round(tenth / 10 * units) / units  # where a curve bends, that amount may be the best
    gaps = {"at": 0.1, "left": 0.2}
    return [_Kind(0.04, _bent, {"at": at[bent], "left": left[bent]}, gaps)] if units >= BENDS_FROM else []


def _standard(units: int) -> list[_Kind]:
    """The coarse curves of every kind."""
    at = np.arange(1, units + 1) / units
    caps = units * min(2, max(1, 40 // units))  # they lie closer than units, where units are few
    lines = max(caps * 3 // 2, min(caps * 2, 60))  # to a cap of 2; of 1.5 where they are many, to save time
    fulls, gap = np.arange(1, lines + 1) / caps, 1.0 / caps
    middles, slopes = (np.arange(20) + 0.5) / 20, np.geomspace(0.3, 60.0, 30)
    kinds = [
        _Kind(
            0.5 * share,
            Step,
            {"thresholds": at, "leak": np.full(units, leak)},
            ratios={"leak": 2.0} if leak > 0.0 else {},
        )
        for leak, share in LEAKS
    ]
    kinds += [
        _Kind(0.2 * 0.7, Linear, {"full": fulls}, gaps={"full": gap}),
        _Kind(
            0.2 * 0.3,
            Linear,
            {"full": fulls[3::4], "leak": np.full(fulls[3::4].size, 0.05)},
            gaps={"full": 4.0 * gap},
        ),
        _Kind(0.15, Exponential, {"scale": 1.0 / slopes}, ratios={"scale": slopes[1] / slopes[0]}),
    ]
    kinds += [
        _Kind(
            0.15 / 4,
            Logistic,
            {"middle": middles, "width": np.full(20, width)},
            gaps={"middle": 0.05},
            ratios={"width": 2.0},
        )
        for width in (0.02, 0.04, 0.08, 0.16)
    ]
    return [*kinds, *_bends(units), _Kind(0.01, Linear, {"full": np.array([1e12])})]
