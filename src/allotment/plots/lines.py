"""Draws curves over rounds, with their bands and bounds, in panels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.plots.figures import COLOURS, MARKERS, STYLE, need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.2, 3.1  # inches, of one panel
DASHES = ((5, 2), (1, 1.5), (5, 1.5, 1, 1.5))  # of bounds
FAR = 4.0  # a bound this many times higher than all curves leaves the picture
MARK: dict[str, Any] = {
    "linestyle": "none",
    "markeredgewidth": 1.3,
    "markerfacecolor": "none",
    "markersize": 6.5,
}


@dataclass(frozen=True, eq=False)
class Line:
    """A curve to draw with its band; `mark` is what someone else found for its end."""

    label: str
    rounds: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    mark: float | None = None


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound to lay over the curves."""

    label: str
    rounds: IntArray
    values: FloatArray


@dataclass(frozen=True)
class Panel:
    """What is drawn on one pair of axes."""

    lines: tuple[Line, ...]
    title: str = ""
    bounds: tuple[Bound, ...] = ()
    mark_label: str = ""  # what the marks are


def draw_panels(panels: Sequence[Panel]) -> "Figure":
    """Draw panels, two side by side: mean regret with its 95 % interval as a band."""
    matplotlib = need_matplotlib()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        columns = min(2, len(panels))
        rows = -(-len(panels) // columns)
        figure = Figure(figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained")
        for position, panel in enumerate(panels, start=1):
            _draw(figure.add_subplot(rows, columns, position), panel)
    return figure


def _draw(axes: "Axes", panel: Panel) -> None:
    from matplotlib.lines import Line2D

    for position, line in enumerate(panel.lines):
        colour, marker = COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]
        rounds, mean, low, high = (
            np.concatenate([[0], values]) for values in (line.rounds, line.mean, line.low, line.high)
        )
        axes.fill_between(rounds, low, high, color=colour, alpha=0.2, linewidth=0)
        # Each curve has its markers elsewhere, so that those of close curves do not hide each other.
        spacing = max(1, rounds.size // 6)
        start = (position + 1) * spacing // (len(panel.lines) + 1)
        axes.plot(rounds, mean, color=colour, marker=marker, markevery=(start, spacing), label=line.label)
        if line.mark is not None:
            axes.plot(1.03 * rounds[-1], line.mark, color=colour, marker=marker, clip_on=False, **MARK)
    for position, bound in enumerate(panel.bounds):
        dashes = (0, DASHES[position % len(DASHES)])
        axes.plot(bound.rounds, bound.values, color="0.3", linestyle=dashes, label=bound.label)
    axes.set_xlim(0, max(int(line.rounds[-1]) for line in panel.lines))
    axes.set_ylim(0, _top(panel))
    axes.set_title(panel.title)
    axes.set_xlabel("Round")
    axes.set_ylabel("Cumulative regret (losses)")
    handles, _ = axes.get_legend_handles_labels()
    if any(line.mark is not None for line in panel.lines):
        handles.append(Line2D([], [], color="0.3", marker=MARKERS[0], label=panel.mark_label, **MARK))
    axes.legend(handles=handles, loc="best")


def _top(panel: Panel) -> float:
    """Where the axis ends: above all curves and marks, and above the bounds that are not far higher."""
    highest = 1e-9
    for line in panel.lines:
        reached = np.nan_to_num([*line.mean, *line.high, line.mark or 0.0])
        highest = max(highest, float(reached.max()))
    ends = [float(np.nan_to_num(bound.values).max()) for bound in panel.bounds]
    return 1.08 * max([highest, *(end for end in ends if end < FAR * highest)])
