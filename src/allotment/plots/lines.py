"""Draws lines over rounds, with their bands and bounds, in panels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.plots.figures import COLOURS, MARKERS, SHAPE, WIDTH, draw_on, need_matplotlib, our_style
from allotment.plots.labels import find_sizes, label_lines, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

DASHES = ((5, 2), (1, 1.5), (5, 1.5, 1, 1.5))  # of bounds
FAR = 4.0  # a bound this many times higher than all lines leaves the picture
GLIMPSE = 0.05  # a bound that is in the picture for less of the rounds than this is not drawn
MARK: dict[str, Any] = {
    "linestyle": "none",
    "markeredgewidth": 1.3,
    "markerfacecolor": "none",
    "markersize": 6.5,
}


@dataclass(frozen=True, eq=False)
class Line:
    """A line to draw, with its band; `mark` is what someone else found for its end."""

    label: str
    rounds: IntArray
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    mark: float | None = None


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound to lay over the lines."""

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
    what: str = "Cumulative regret (losses)"
    logx: bool = False
    logy: bool = False
    labels: str = "auto"


def draw_panels(panels: Sequence[Panel]) -> "Figure":
    """Draw panels, two side by side."""
    need_matplotlib()
    from allotment.plots.picture import Picture

    with our_style():
        columns = min(2, len(panels))
        rows = -(-len(panels) // columns)
        figure = Picture(figsize=(WIDTH * columns, SHAPE * WIDTH * rows), layout="constrained")
        every = [
            figure.add_subplot(rows, columns, position) for position in range(1, rows * columns + 1)
        ]  # all before any is drawn on, so that each has its size
        for axes in every[len(panels) :]:
            axes.remove()
        drawn = [_draw(axes, panel) for axes, panel in zip(every, panels, strict=False)]
        find_sizes(every[0])  # once for all panels
        for axes, panel, lines in zip(every, panels, drawn, strict=False):
            _label(axes, panel, lines)
    return figure


def draw_panel(panel: Panel, ax: Any = None, width: float = WIDTH) -> Any:
    """Draw one panel, on axes that are given or on a picture of its own."""

    def draw(axes: "Axes") -> None:
        lines = _draw(axes, panel)
        find_sizes(axes)
        _label(axes, panel, lines)

    return draw_on(ax, draw, width)


def _draw(axes: "Axes", panel: Panel) -> list["Line2D"]:
    """Draw a panel; what there is to be labelled."""
    from matplotlib.lines import Line2D

    if panel.logx:
        axes.set_xscale("log")
    if panel.logy:
        axes.set_yscale("log")
    drawn = [_draw_line(axes, panel, position) for position in range(len(panel.lines))]
    last = max(int(line.rounds[-1]) for line in panel.lines)
    first = min(last / 2, *(int(line.rounds[0]) for line in panel.lines)) if panel.logx else 0
    axes.set_xlim(first, last)
    axes.set_ylim(_bottom(panel), _top(panel))
    not_drawn = []
    for bound in panel.bounds:
        sentence = _why_not_drawn(bound, *axes.get_ylim())
        if sentence:
            not_drawn.append(sentence)
        else:
            dashes: Any = (0, DASHES[(len(drawn) - len(panel.lines)) % len(DASHES)])
            drawn += axes.plot(bound.rounds, bound.values, color="0.3", linestyle=dashes, label=bound.label)
    note(axes, not_drawn, panel.title)
    axes.set_xlabel("Round")
    axes.set_ylabel(panel.what)
    if _is_marked(panel):
        drawn.append(Line2D([], [], color="0.3", marker=MARKERS[0], label=panel.mark_label, **MARK))
    return drawn


def _is_marked(panel: Panel) -> bool:
    return any(line.mark is not None for line in panel.lines)


def _label(axes: "Axes", panel: Panel, lines: Sequence["Line2D"]) -> None:
    label_lines(axes, lines, panel.labels, beside=not _is_marked(panel))


def _draw_line(axes: "Axes", panel: Panel, position: int) -> "Line2D":
    line, count, floor = panel.lines[position], len(panel.lines), _bottom(panel)
    colour, marker = COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]
    rounds, middle, low, high = (
        values if panel.logx else np.concatenate([[0], values])
        for values in (line.rounds, line.middle, line.low, line.high)
    )
    if panel.logy:  # what is 0 runs along the bottom
        middle, low, high = (np.maximum(values, floor) for values in (middle, low, high))
    axes.fill_between(rounds, low, high, color=colour, alpha=0.2, linewidth=0)
    # Each line has its markers at other places, so that markers of close lines do not hide each other.
    every: Any = (0.16 * (position + 1) / (count + 1), 0.16)  # shares of the picture's diagonal
    (drawn,) = axes.plot(rounds, middle, color=colour, marker=marker, markevery=every, label=line.label)
    if line.mark is not None:
        axes.plot(1.03 * rounds[-1], line.mark, color=colour, marker=marker, clip_on=False, **MARK)
    return drawn


def _top(panel: Panel) -> float:
    """Where the axis ends: above all lines and marks, and above the bounds that are not far higher."""
    highest = 1e-9
    for line in panel.lines:
        reached = np.nan_to_num([*line.middle, *line.high, line.mark or 0.0])
        highest = max(highest, float(reached.max()))
    ends = [float(np.nan_to_num(bound.values).max()) for bound in panel.bounds]
    return 1.08 * max([highest, *(end for end in ends if end < FAR * highest)])


def _bottom(panel: Panel) -> float:
    """Where the axis begins: at 0, or on a logarithmic axis a little below all that is above 0."""
    if not panel.logy:
        return 0.0
    positive = [line.middle[line.middle > 0.0].min(initial=np.inf) for line in panel.lines]
    lowest = min(*positive, _top(panel) / 10.0)
    return 0.8 * float(max(lowest, 1e-6 * _top(panel)))


def _why_not_drawn(bound: Bound, bottom: float, top: float) -> str:
    """A sentence if a bound is not in the picture, or for a glimpse only; else nothing."""
    known = np.isfinite(bound.values)
    inside = known & (bound.values >= bottom) & (bound.values <= top)
    if inside.mean() >= GLIMPSE:
        return ""
    last = float(bound.values[-1])
    if not known.any():
        return f"{bound.label}: says nothing yet"
    side = "below" if last < bottom else "above"
    return f"{bound.label}: {side} this picture, {last:.2g} at its end"
