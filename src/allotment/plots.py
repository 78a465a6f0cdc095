"""Draws regret over rounds. The only module that knows matplotlib, which it loads when something is drawn."""

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.checks import FloatArray, IntArray, one_of
from allotment.errors import MissingExtraError
from allotment.files import replacing
from allotment.simulation.result import Curve, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.2, 3.1  # inches, of one panel
FORMATS = ("png", "svg")

# The palette of Okabe and Ito, which the colour-blind can tell apart; the markers serve those who print grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.wspace": 0.03,
    "font.size": 9,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "legend.fontsize": "small",
    "legend.framealpha": 0.9,
    "legend.edgecolor": "none",
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "svg.hashsalt": "allotment",  # the same figure gives the same file
}
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
    curve: Curve
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


def draw_result(result: Result, title: str = "", bounds: tuple[Bound, ...] = ()) -> "Figure":
    """Draw every curve of a result."""
    lines = tuple(Line(label, result.rounds, result[label]) for label in result)
    return draw_panels([Panel(lines, title, bounds)])


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


def save_figure(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG (300 dots per inch) or SVG, after its name."""
    kind = one_of("picture format", Path(path).suffix.lstrip("."), FORMATS)
    with replacing(path) as draft:
        draft.write_bytes(figure_bytes(figure, kind))


def figure_bytes(figure: "Figure", kind: str) -> bytes:
    """The same, for those who keep it elsewhere."""
    content = io.BytesIO()
    with need_matplotlib().rc_context(STYLE):
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(content, format=kind, dpi=300, metadata=metadata)
    return content.getvalue()


def _draw(axes: "Axes", panel: Panel) -> None:
    from matplotlib.lines import Line2D

    for position, line in enumerate(panel.lines):
        colour, marker = COLOURS[position % len(COLOURS)], MARKERS[position % len(MARKERS)]
        rounds, mean, low, high = (
            np.concatenate([[0], values])
            for values in (line.rounds, line.curve.mean, line.curve.low, line.curve.high)
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
        reached = np.nan_to_num([*line.curve.mean, *line.curve.high, line.mark or 0.0])
        highest = max(highest, float(reached.max()))
    ends = [float(np.nan_to_num(bound.values).max()) for bound in panel.bounds]
    return 1.08 * max([highest, *(end for end in ends if end < FAR * highest)])


def need_matplotlib() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "pictures need matplotlib; install it with: pip install 'allotment[plots]'"
        ) from None
    return matplotlib
