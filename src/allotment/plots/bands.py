"""Draws lines with bands over any axis, one panel or several: frontiers, forecasts, responses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from allotment.plots.figures import COLOURS, STYLE, need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 3.4, 2.5  # inches, of one panel
ACROSS = 4


@dataclass(frozen=True)
class Band:
    """A line with the band around it; none if low and high are left out."""

    label: str
    x: Sequence[float]
    middle: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class BandPanel:
    """What is drawn on one pair of axes; `at` marks a place on the x axis."""

    bands: tuple[Band, ...]
    title: str = ""
    at: float | None = None


def draw_bands(panels: Sequence[BandPanel], x_label: str, y_label: str) -> "Figure":
    """Draw panels that share their axes' labels."""
    matplotlib = need_matplotlib()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        columns = min(ACROSS, len(panels))
        rows = -(-len(panels) // columns)
        larger = 1.5 if len(panels) == 1 else 1.0
        figure = Figure(figsize=(larger * WIDTH * columns, larger * HEIGHT * rows), layout="constrained")
        for position, panel in enumerate(panels):
            axes = figure.add_subplot(rows, columns, position + 1)
            for number, band in enumerate(panel.bands):
                colour = COLOURS[number % len(COLOURS)]
                if len(band.low):
                    axes.fill_between(band.x, band.low, band.high, color=colour, alpha=0.2, linewidth=0)
                axes.plot(band.x, band.middle, color=colour, label=band.label)
            if panel.at is not None:
                axes.axvline(panel.at, color="0.5", linestyle=":")
            axes.set_ylim(bottom=0)
            axes.set_title(panel.title)
            if position >= len(panels) - columns:
                axes.set_xlabel(x_label)
            if position % columns == 0:
                axes.set_ylabel(y_label)
            if len(panel.bands) > 1:
                axes.legend(loc="best")
    return figure
