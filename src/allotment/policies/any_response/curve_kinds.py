"""The kinds of curves in the standard family, by parameters: coarse curves, and their divisions."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from allotment.arrays import FloatArray
from allotment.policies.any_response.tuning import (
    CAPPED_RATIO,
    CAPPED_WEIGHT,
    CAPS,
    CAPS_BY_UNIT,
    EXPONENTIAL_WEIGHT,
    FIRST_EXPONENT,
    FLAT_WEIGHT,
    GRADUAL_LEAKS,
    LAST_EXPONENT,
    LEAKING_MIDDLES,
    LEAKING_WIDTH_RATIO,
    LEAKING_WIDTHS,
    LEAKS,
    LEAST,
    LEAST_CAPPED,
    LINE_WEIGHT,
    LOGISTIC_WEIGHT,
    MIDDLES,
    MOST_LINES,
    PARTS,
    SLOPES,
    STEP_WEIGHT,
    TABLED,
    THINNED_LINES,
    THINNED_SLOPES,
    WIDTH_RATIO,
    WIDTHS,
)
from allotment.tolerance import RELATIVE, ceil_with_tolerance
from allotment.worlds.responses import Capped, Exponential, Linear, Logistic, Step

NOTHING: Mapping[str, float] = MappingProxyType({})


class Tabled(Protocol):
    """Curves that can be tabled, as responses can."""

    def table(self, arms: int, units: int, slack: float) -> FloatArray:
        """The remaining shares: curves x amounts."""


class CappedAt(NamedTuple):
    """Every unit prevents at most one incident of a Poisson number with this mean."""

    mean: list[float]

    def table(self, arms: int, units: int, slack: float) -> FloatArray:
        """The remaining shares: curves x amounts."""
        return Capped().expected_table(np.array(self.mean), units, 0.0)


class Kind(NamedTuple):
    """Curves of one kind, each for a range of parameters."""

    weight: float
    response: Callable[..., Tabled]
    given: dict[str, FloatArray]  # the parameters of each curve
    gaps: Mapping[str, float] = NOTHING  # distances of neighbouring curves, if there are curves in between
    ratios: Mapping[str, float] = NOTHING  # the same as ratios

    def table(self, units: int) -> FloatArray:
        """The remaining shares: curves x amounts."""
        lists = {name: values.tolist() for name, values in self.given.items()}
        size = next(iter(self.given.values())).size
        return np.maximum(self.response(**lists).table(size, units, RELATIVE), LEAST)

    def halved(self) -> "Kind":
        """The curves in the middle of both halves of every range; the parts of a curve are neighbours."""
        given = self.given
        for name in (*self.gaps, *self.ratios):
            given = {each: np.repeat(values, 2) for each, values in given.items()}
            side = np.tile([-0.25, 0.25], given[name].size // 2)
            given[name] = given[name] + side * self.gaps.get(name, 0.0)
            given[name] = given[name] * self.ratios.get(name, 1.0) ** side
        gaps = {name: gap / 2.0 for name, gap in self.gaps.items()}
        return self._replace(given=given, gaps=gaps, ratios={k: v**0.5 for k, v in self.ratios.items()})

    @property
    def ways(self) -> int:
        """The number of finer curves that replace one."""
        return 2 ** (len(self.gaps) + len(self.ratios))

    def is_computed(self, units: int) -> bool:
        """Whether its finer curves are computed instead of tabled."""
        return units > TABLED and self.response in (Step, Linear)


def _caps(units: int) -> tuple[int, int]:
    """The number of caps of lines up to a full grant, and in all."""
    caps = units * min(CAPS_BY_UNIT, max(1, CAPS // units))  # with few units, caps are closer than units
    return caps, max(caps * 3 // 2, min(caps * 2, MOST_LINES))


def standard_kinds(units: int, capped: bool = False) -> list[Kind]:
    """The coarse curves of every kind; `capped` adds that every unit finds at most one incident."""
    at = np.arange(1, units + 1) / units
    kinds = [
        Kind(
            STEP_WEIGHT * share,
            Step,
            {"thresholds": at, "leak": np.full(units, leak)},
            ratios={"leak": ratio} if leak > 0.0 else {},
        )
        for leak, share, ratio in LEAKS
    ]
    for leak, share, ratio in GRADUAL_LEAKS:
        kinds += _gradual(leak, share, ratio, units)
    kinds.append(Kind(FLAT_WEIGHT, Linear, {"full": np.array([1e12])}))
    return [*kinds, _capped(units)] if capped else kinds


def _capped(units: int) -> Kind:
    """Curves by mean count, up to where all units of a full grant find an incident each."""
    highest = units + 4.0 * math.sqrt(units)
    many = ceil_with_tolerance(math.log(highest / LEAST_CAPPED) / math.log(CAPPED_RATIO))
    means = LEAST_CAPPED * CAPPED_RATIO ** np.arange(many + 1.0)
    return Kind(CAPPED_WEIGHT, CappedAt, {"mean": means}, ratios={"mean": CAPPED_RATIO})


def _gradual(leak: float, share: float, ratio: float, units: int) -> list[Kind]:
    """Lines, exponential and logistic curves with this leak."""
    caps, lines = _caps(units)
    thin_lines, thin_slopes = (min(THINNED_LINES, lines), THINNED_SLOPES) if leak else (1, 1)
    fulls = np.arange(thin_lines, lines + 1, thin_lines) / caps
    slopes = np.geomspace(FIRST_EXPONENT, LAST_EXPONENT, SLOPES)[::thin_slopes]
    many = LEAKING_MIDDLES if leak else MIDDLES
    middles = (np.arange(many) + 0.5) / many
    widths, width_ratio = (LEAKING_WIDTHS, LEAKING_WIDTH_RATIO) if leak else (WIDTHS, WIDTH_RATIO)

    def kind(
        weight: float,
        response: Callable[..., Tabled],
        given: dict[str, FloatArray],
        gaps: Mapping[str, float] = NOTHING,
        ratios: Mapping[str, float] = NOTHING,
    ) -> Kind:
        if leak:
            size = next(iter(given.values())).size
            given, ratios = {**given, "leak": np.full(size, leak)}, {**ratios, "leak": ratio}
        return Kind(weight * share, response, given, gaps, ratios)

    return [
        kind(LINE_WEIGHT, Linear, {"full": fulls}, {"full": thin_lines / caps}),
        kind(
            EXPONENTIAL_WEIGHT, Exponential, {"scale": 1.0 / slopes}, ratios={"scale": slopes[1] / slopes[0]}
        ),
        *(
            kind(
                LOGISTIC_WEIGHT / len(widths),
                Logistic,
                {"middle": middles, "width": np.full(many, width)},
                {"middle": 1.0 / many},
                {"width": width_ratio},
            )
            for width in widths
        ),
    ]


class Sizes(NamedTuple):
    """The numbers of curves of a family."""

    coarse: int
    tabled: int  # with a row in its table, coarse and finer
    curves: int  # in all
    kinds: int
    most: int  # that an arm may have once they are divided
    capped: bool = False


def standard_sizes(units: int, capped: bool = False) -> Sizes:
    """The sizes of the standard family, computed without its tables."""
    kinds = standard_kinds(units, capped)
    sizes = [next(iter(each.given.values())).size for each in kinds]
    finer = [_finer(each.ways) * size for each, size in zip(kinds, sizes, strict=True)]
    computed = sum(more for each, more in zip(kinds, finer, strict=True) if each.is_computed(units))
    coarse, curves = sum(sizes), sum(sizes) + sum(finer)
    divided = [(each.ways, more // each.ways) for each, more in zip(kinds, finer, strict=True)]
    return Sizes(coarse, curves - computed, curves, len(kinds), _most_parts(divided, coarse), capped)


def _most_parts(divided: list[tuple[int, int]], room: int) -> int:
    """The largest number of curves after dividing up to `room` curves; `divided` has (ways, curves) pairs."""
    parts = 0
    for ways, many in sorted(divided, reverse=True):
        taken = min(many, room)
        parts, room = parts + ways * taken, room - taken
    return parts + room


def _finer(ways: int) -> int:
    """The number of finer curves of a curve that divides into `ways` parts, on all levels together."""
    parts, total = ways, 0
    while 1 < parts <= PARTS:
        parts, total = parts * ways, total + parts
    return total
