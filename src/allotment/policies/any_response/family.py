"""Families of response curves: the prior of how a place may respond.

The standard family has steps at every unit, straight lines to a cap, exponential and logistic curves, each
with several leaks, and a flat curve (nothing helps). Curves of one kind share a weight, which can be learnt
from all arms. A family of your own is a list of responses with weights.

Parameters are continuous, so a curve of the standard family stands for all curves with parameters around its
own. Where the evidence has narrowed, finer curves replace it. Its ranges of leaks, caps, scales, middles and
widths are halved and its weight is split evenly, repeatedly, so that the prior stays the same.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import one_of, positive
from allotment.errors import InputError
from allotment.policies.any_response.curve_kinds import Kind, standard_kinds, standard_sizes
from allotment.policies.any_response.tuning import LEAST, PARTS
from allotment.tolerance import RELATIVE
from allotment.worlds.responses import Response, Step

STEP, GRADUAL, FLAT, OTHER = "step", "gradual", "flat", "other"
COARSE = "coarse"  # the name of the standard family without its finer curves
Curves = str | Sequence[tuple[Response, float]]


class Levels(NamedTuple):
    """Which curves are parts of which; coarse curves come first."""

    coarse: IntArray  # by curve: the coarse curve that it is a part of; itself if it is coarse
    part: FloatArray  # by curve: its share of that curve's weight
    finer: IntArray  # curves x 2: the range of its finer curves
    most: int  # the largest number of an arm's curves after a division


def may_be_capped(losses: str, sees: str, situations: int) -> bool:
    """Whether the standard family has curves on which a unit finds at most one incident.

    Such a curve belongs to a loss rate, so it cannot be the same in several situations.
    """
    return losses == "counts" and sees == "finds" and situations == 1


def one_level(curves: int) -> Levels:
    """Levels of curves without finer ones."""
    return Levels(np.arange(curves), np.ones(curves), np.zeros((curves, 2), np.int64), curves)


# Columns of outlines: the units that cover the arm (0 of a line), the amount at which a line ends (1 of a
# step), and the leak. They are one array, since each array of a state takes time in every call.
NEEDED, FULL, LEAK = range(3)


def no_outlines() -> FloatArray:
    """For families whose curves all have a row in the table."""
    return np.zeros((0, 3))


@dataclass(frozen=True, eq=False)
class Family:
    """A family of response curves in whole units, with prior weights, by kind.

    Attributes
    ----------
    remaining : FloatArray
        Curves x amounts: the share of the loss rate that remains at 0, 1, … units. The last curves may have
        outlines instead of a row.
    weights : FloatArray
        The prior weight of each coarse curve within its kind.
    kinds : IntArray
        The kind of each curve. Coarse curves of a kind are contiguous.
    kind_weights : FloatArray
        The prior weight of each kind; they sum to 1.
    steps : IntArray
        For each coarse curve, the units that cover the arm; 0 if it is no step.
    levels : Levels
        Which curves are parts of which.
    outlines : FloatArray
        The curves without a row, by their parameters.
    means : FloatArray
        For each capped curve, on which every unit finds one incident at most, its mean count; 0 for others.
        Empty without capped curves, which otherwise are the last kind.

    Examples
    --------
    >>> steps = Family.of([(Step(0.5), 2.0), (Step(1.0), 1.0)], units=2)
    >>> steps.remaining.round(6).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    >>> steps.weights.round(3).tolist(), steps.steps.tolist()
    ([0.667, 0.333], [1, 2])
    """

    remaining: FloatArray
    weights: FloatArray
    kinds: IntArray
    kind_weights: FloatArray
    steps: IntArray
    levels: Levels
    outlines: FloatArray = field(default_factory=no_outlines)
    means: FloatArray = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, members: Iterable[tuple[Response, float]], units: int) -> "Family":
        """Make a family of responses. Responses of the same class are one kind.

        Parameters
        ----------
        members : iterable of (Response, float)
            Each response with its weight.
        units : int
            The number of units in a full grant.

        Returns
        -------
        Family
            The family.

        Raises
        ------
        InputError
            If a member is no response with a positive weight.
        """
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
    @functools.lru_cache(maxsize=4)
    def standard(units: int, capped: bool = False) -> "Family":
        """The family for places of which nothing is known; with `capped` curves, if wanted."""
        return _with_finer(Family.coarse(units, capped), standard_kinds(units, capped), units)

    @staticmethod
    @functools.lru_cache(maxsize=4)
    def coarse(units: int, capped: bool = False) -> "Family":
        """The coarse curves of the standard family, without finer ones."""
        kinds = standard_kinds(units, capped)
        steps = [np.round(each.given.get("thresholds", 0.0) * units).astype(np.int64) for each in kinds]
        tables = [each.table(units) for each in kinds]
        family = _gathered(
            [
                (kind, row, each.weight / len(table), step)
                for kind, (each, table) in enumerate(zip(kinds, tables, strict=True))
                for row, step in zip(table, np.broadcast_to(steps[kind], len(table)), strict=True)
            ]
        )
        return replace(family, means=np.concatenate([_means(each) for each in kinds])) if capped else family

    @staticmethod
    def named(curves: "Curves | None", units: int, *, capped: bool = False) -> "Family":
        """Find the family that the parameter `curves` of AnyResponse means.

        Parameters
        ----------
        curves : "coarse", sequence of (Response, float), or None
            The standard family without its finer curves, a family of your own, or the standard family.
        units : int
            The number of units in a full grant.
        capped : bool
            Whether a unit may find at most one incident, in the standard family.

        Returns
        -------
        Family
            The family.
        """
        if curves is None:
            return Family.standard(units, capped)
        if isinstance(curves, str):
            one_of("curves", curves, (COARSE,))
            return Family.coarse(units)
        return Family.of(curves, units)

    def shape_of(self, curve: int) -> str:
        """The shape of a curve in one word.

        Parameters
        ----------
        curve : int
            The number of the curve.

        Returns
        -------
        str
            "step", "gradual" or "flat".
        """
        if self.steps[curve]:
            return STEP
        return FLAT if self.remaining[curve].min() > 1.0 - LEAST else GRADUAL

    def for_arms(self, arms: int, known: Sequence[float | None] | None, units: int) -> FloatArray:
        """Make the prior of every arm.

        Parameters
        ----------
        arms : int
            The number of arms.
        known : sequence of float or None
            Known thresholds. Such an arm has only the steps at its threshold, rounded up to whole units.
        units : int
            The number of units in a full grant.

        Returns
        -------
        FloatArray
            Arms x coarse curves: the prior weights.
        """
        prior = np.tile(self.weights, (arms, 1))
        for i, threshold in enumerate(known or ()):
            if threshold is None or threshold != threshold:
                continue
            needed = _units_needed(threshold, units)
            prior[i, self.steps != needed] = 0.0
            if not prior[i].any():
                raise InputError.of(f"thresholds[{i}]", threshold, "one that the family has a step at")
        return prior


def _curve(response: Response, units: int) -> FloatArray:
    return np.maximum(response.table(1, units, RELATIVE)[0], LEAST)


def _step_of(response: Response, units: int) -> int:
    """The number of units that cover the arm; 0 if the response is no step."""
    if not isinstance(response, Step):
        return 0
    threshold = np.atleast_1d(np.asarray(response.thresholds))[0]
    return _units_needed(threshold, units)


def _units_needed(threshold: float, units: int) -> int:
    """The fewest whole units that cover a threshold."""
    return math.ceil((threshold - RELATIVE) * units)


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


def _means(kind: Kind) -> FloatArray:
    """The mean counts of capped curves, 0 for others."""
    size = next(iter(kind.given.values())).size
    return np.asarray(kind.given.get("mean", np.zeros(size)))


def _with_finer(family: Family, kinds: Sequence[Kind], units: int) -> Family:
    """The family with its finer curves, kind after kind and level after level; computed curves come last."""
    tables, of_kind = [family.remaining], [family.kinds]
    outlines, means = [family.outlines], [family.means]
    coarse, part = [family.levels.coarse], [family.levels.part]
    finer, end = [(np.arange(0), 0, 0)], family.kinds.size
    for kind, each in sorted(enumerate(kinds), key=lambda pair: pair[1].is_computed(units)):
        ways = parts = each.ways
        above = within = np.flatnonzero(family.kinds == kind)
        while 1 < parts <= PARTS:
            each, within = each.halved(), np.repeat(within, ways)
            if each.is_computed(units):
                outlines.append(_outlines(each, units))
            else:
                tables.append(each.table(units))
            if family.means.size:
                means.append(_means(each))
            of_kind.append(np.full(within.size, kind))
            coarse.append(within)
            part.append(np.full(within.size, 1.0 / parts))
            finer.append((above, end, ways))
            above, end, parts = np.arange(end, end + within.size), end + within.size, parts * ways
    most = standard_sizes(units, family.means.size > 0).most
    falls = np.zeros((end, 2), np.int64)
    for above, first, ways in finer:
        falls[above, 0] = first + ways * np.arange(above.size)
        falls[above, 1] = falls[above, 0] + ways
    return replace(
        family,
        remaining=np.concatenate(tables),
        kinds=np.concatenate(of_kind),
        levels=Levels(np.concatenate(coarse), np.concatenate(part), falls, most),
        outlines=np.concatenate(outlines),
        means=np.concatenate(means),
    )


def _outlines(kind: Kind, units: int) -> FloatArray:
    """The parameters of steps or lines."""
    given = kind.given
    rows = np.tile([0.0, 1.0, 0.0], (next(iter(given.values())).size, 1))
    rows[:, NEEDED] = np.round(given.get("thresholds", 0.0) * units)
    rows[:, FULL] = given.get("full", 1.0)
    rows[:, LEAK] = given.get("leak", 0.0)
    return rows
