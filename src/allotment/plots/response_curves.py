"""Draws the losses at each amount, a curve for each arm, with a dot at the best grant."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.plots.figures import COLOURS, MARKERS, WIDTH, draw_on
from allotment.plots.labels import find_sizes, label_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

FEW = len(COLOURS)  # with up to this many arms, each has its own colour


@dataclass(frozen=True, eq=False)
class Responses:
    """What remains of each arm's losses: a row for each arm over its own amounts, and the best allocation."""

    names: tuple[str, ...]
    amounts: FloatArray  # arms x points
    remaining: FloatArray  # the same shape
    best: FloatArray
    best_remaining: FloatArray
    what: str = "Expected loss per round"
    title: str = ""
    labels: str = "auto"


def draw_responses(responses: Responses, ax: Any = None, width: float = WIDTH) -> Any:
    """Draw responses, on axes that are given or on a picture of its own."""
    return draw_on(ax, lambda axes: _draw(axes, responses), width)


def _draw(axes: "Axes", responses: Responses) -> None:
    few = len(responses.names) <= FEW
    curves = _in_colours(axes, responses) if few else _in_two_colours(axes, responses)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.08 * max(1e-9, float(responses.remaining.max())))
    axes.set_xlabel("Amount granted (dot: the best)")
    axes.set_ylabel(responses.what)
    axes.set_title(responses.title)
    find_sizes(axes)
    label_lines(axes, curves, responses.labels, beside=few)


def _in_colours(axes: "Axes", responses: Responses) -> list["Line2D"]:
    """A colour for each arm."""
    curves = []
    for i, name in enumerate(responses.names):
        style: dict[str, Any] = {"color": COLOURS[i], "marker": MARKERS[i]}
        (curve,) = axes.plot(responses.amounts[i], responses.remaining[i], label=name, markevery=[], **style)
        axes.plot(responses.best[i], responses.best_remaining[i], clip_on=False, zorder=3, **style)
        curves.append(curve)
    return curves


def _in_two_colours(axes: "Axes", responses: Responses) -> list["Line2D"]:
    """A colour for the arms that the best allocation grants something, another for those it does not."""
    curves = []
    for granted, colour, label in (
        (False, "0.65", "granted nothing at best"),
        (True, COLOURS[0], "granted something"),
    ):
        chosen = np.flatnonzero((responses.best > 0.0) == granted)
        for i in chosen.tolist():
            (curve,) = axes.plot(
                responses.amounts[i], responses.remaining[i], color=colour, linewidth=0.8, label=label
            )
            axes.plot(responses.best[i], responses.best_remaining[i], color=colour, marker="o", clip_on=False)
        if chosen.size:
            curves.append(curve)
    return curves
