"""Draws how numbers spread, since means hide outliers: cumulative shares, histograms, probabilities."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import one_of
from allotment.plots.figures import COLOURS, MARKERS, WIDTH, draw_on
from allotment.plots.labels import find_sizes, label_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


KINDS = ("ecdf", "histogram")
BINS = 30


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers to show, with what they are of."""

    label: str
    values: FloatArray


@dataclass(frozen=True)
class Spread:
    """Several samples on one pair of axes."""

    samples: tuple[Sample, ...]
    what: str  # what the numbers are
    of_what: str  # what each of them belongs to
    kind: str = "ecdf"
    title: str = ""
    logx: bool = False
    labels: str = "auto"


def draw_spread(spread: Spread, ax: Any = None, width: float = WIDTH) -> Any:
    """Draw samples, on axes that are given or on a picture of its own; dots are their means."""
    draw = {"ecdf": _draw_shares, "histogram": _draw_histogram}[one_of("kind", spread.kind, KINDS)]

    def drawn(axes: "Axes") -> None:
        if spread.logx:
            axes.set_xscale("log")
        ends = _range(spread)
        lines = draw(axes, spread, *ends)
        axes.set_xlim(*ends)
        axes.set_xlabel(f"{spread.what} (dot: mean)")
        axes.set_title(spread.title)
        find_sizes(axes)
        label_lines(axes, lines, spread.labels, beside=False)  # all end at the same height

    return draw_on(ax, drawn, width)


def _draw_shares(axes: "Axes", spread: Spread, left: float, right: float) -> list["Line2D"]:
    """The share of numbers up to each, as steps; the dot on each line is the mean."""
    lines = []
    for position, sample in enumerate(spread.samples):
        colour, marker = COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]
        values = np.sort(np.maximum(sample.values, left))  # 0 stands at the left of a logarithmic axis
        shares = np.arange(1, values.size + 1) / values.size
        ends, levels = np.append(values[0], values), np.append(0.0, shares)
        lines += axes.step(
            ends, levels, where="post", color=colour, marker=marker, markevery=[], label=sample.label
        )
        mean = max(float(sample.values.mean()), left)
        axes.plot(mean, (values <= mean).mean(), color=colour, marker=marker, clip_on=False)
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks(np.linspace(0.0, 1.0, 5))  # no share is more than 1, though a legend may be up there
    axes.set_ylabel(f"Share of {spread.of_what}")
    return lines


def _draw_histogram(axes: "Axes", spread: Spread, left: float, right: float) -> list["Line2D"]:
    """How many numbers fall into each of some bins, which all samples share."""
    edges = np.geomspace(left, right, BINS + 1) if spread.logx else np.linspace(left, right, BINS + 1)
    lines, highest = [], 1
    for position, sample in enumerate(spread.samples):
        colour = COLOURS[position % len(COLOURS)]
        counts, _ = np.histogram(np.clip(sample.values, left, right), edges)
        highest = max(highest, int(counts.max()))
        where = np.flatnonzero(counts)
        part = slice(where[0], where[-1] + 1)
        outline = edges[part.start : part.stop + 1]
        axes.stairs(counts[part], outline, fill=True, color=colour, alpha=0.15)
        corners, levels = np.append(outline, outline[-1]), np.concatenate([[0], counts[part], [0]])
        lines += axes.step(corners, levels, where="pre", color=colour, label=sample.label)
        axes.plot(max(sample.values.mean(), left), 0.0, color=colour, marker="o", clip_on=False, zorder=3)
    axes.set_ylim(0.0, 1.08 * highest)
    axes.set_ylabel(f"Number of {spread.of_what}")
    return lines


def _range(spread: Spread) -> tuple[float, float]:
    """Where the axis begins and ends: a little beyond all numbers."""
    values = np.concatenate([sample.values for sample in spread.samples])
    if spread.logx:
        above = values[values > 0.0]
        low, high = (above.min(), above.max()) if above.size else (0.1, 1.0)
        return float(low / 1.2), float(high * 1.2)
    room = 0.05 * float(np.ptp(values)) or 0.5
    return float(values.min()) - room, float(values.max()) + room


@dataclass(frozen=True, eq=False)
class Chances:
    """The chance of each amount, and that of none of them."""

    amounts: FloatArray  # increasing
    chances: FloatArray
    never: float
    what: str
    never_label: str = "never"
    title: str = ""


def draw_chances(chances: Chances, ax: Any = None, width: float = WIDTH) -> Any:
    """Draw chances, on axes that are given or on a picture of its own."""
    return draw_on(ax, lambda axes: _draw(axes, chances), width, 0.5)


def _draw(axes: "Axes", chances: Chances) -> None:
    most = float(chances.amounts[-1])
    apart = 1.14 * most
    # Each bar reaches down to the candidate before, whose place it stands for, so that none is too thin.
    edges = np.concatenate([[0.0], chances.amounts])
    axes.stairs(chances.chances, edges, fill=True, color=COLOURS[0])
    axes.bar(apart, chances.never, width=0.05 * most, color=COLOURS[1])
    axes.set_xlim(0.0, 1.2 * most)
    axes.set_ylim(0.0, 1.08 * max(float(chances.chances.max()), chances.never))
    ticks = np.linspace(0.0, most, 6)
    axes.set_xticks([*ticks, apart], [*(f"{tick:.3g}" for tick in ticks), chances.never_label])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel(chances.what)
    axes.set_ylabel("Probability")
    axes.set_title(chances.title)
