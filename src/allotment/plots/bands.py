"""Draws lines with bands over any axis, one panel or several: frontiers, forecasts, responses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from allotment.plots.figures import COLOURS, need_matplotlib, our_style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 3.4, 2.5  # inches, of one panel
ACROSS = 4
SMALLEST_DOT, LARGEST_DOT = 6.0, 60.0  # square points


@dataclass(frozen=True)
class Band:
    """A line with the band around it; none if low and high are left out."""

    label: str
    x: Sequence[float]
    middle: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


class Dot(NamedTuple):
    """Something that was seen; its area grows with its weight."""

    x: float
    y: float
    weight: float


@dataclass(frozen=True)
class BandPanel:
    """What is drawn on one pair of axes; `at` marks a place on the x axis."""

    bands: tuple[Band, ...]
    title: str = ""
    at: float | None = None
    dots: tuple[Dot, ...] = ()

    @property
    def top(self) -> float:
        """The largest number that it shows."""
        lines = [value for band in self.bands for value in (*band.middle, *band.high)]
        return max([*lines, *(dot.y for dot in self.dots), 1e-9])

    @property
    def bottom(self) -> float:
        """The smallest number that it shows, or 0 if nothing is below."""
        return min([value for band in self.bands for value in (*band.middle, *band.low)] + [0.0])


def draw_bands(
    panels: Sequence[BandPanel],
    x_label: str,
    y_label: str,
    *,
    at_label: str = "",
    dots_label: str = "",
    note: str = "",
    same_scale: bool = True,
) -> "Figure":
    """Draw panels that share their axes' labels, and their y scale unless they show different things.

    `at_label` and `dots_label` say what the dotted line and the dots are; `note` stands above the picture.
    """
    need_matplotlib()
    from matplotlib.figure import Figure

    with our_style():
        columns = min(ACROSS, len(panels))
        rows = -(-len(panels) // columns)
        larger = 1.5 if len(panels) <= 2 else 1.0
        figure = Figure(figsize=(larger * WIDTH * columns, larger * HEIGHT * rows), layout="constrained")
        heaviest = max([dot.weight for panel in panels for dot in panel.dots], default=1.0)
        lowest, highest = min(panel.bottom for panel in panels), max(panel.top for panel in panels)
        for position, panel in enumerate(panels):
            axes = figure.add_subplot(rows, columns, position + 1)
            _draw(axes, panel, heaviest, at_label, dots_label)
            bottom, top = (lowest, highest) if same_scale else (panel.bottom, panel.top)
            axes.set_ylim(1.06 * bottom, 1.06 * top)
            if bottom < 0.0:
                axes.axhline(0.0, color="0.4", linewidth=0.8)
            if position >= len(panels) - columns:
                axes.set_xlabel(x_label)
            if position % columns == 0:
                axes.set_ylabel(y_label)
        _explain(figure, panels)
        if note:
            figure.suptitle(note, fontsize="medium")
    return figure


def _draw(axes: "Axes", panel: BandPanel, heaviest: float, at_label: str, dots_label: str) -> None:
    for number, band in enumerate(panel.bands):
        colour = COLOURS[number % len(COLOURS)]
        if len(band.low):
            alpha = 0.2 if len(panel.bands) == 1 else 0.12
            axes.fill_between(band.x, band.low, band.high, color=colour, alpha=alpha, linewidth=0)
        axes.plot(band.x, band.middle, color=colour, label=band.label)
    if panel.dots:
        x, y, weights = zip(*panel.dots, strict=True)
        sizes = [SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * weight / heaviest for weight in weights]
        axes.scatter(
            x, y, sizes, color=COLOURS[1], alpha=0.7, linewidths=0, label=dots_label, zorder=3, clip_on=False
        )
    if all(isinstance(x, int) for band in panel.bands for x in band.x):
        axes.locator_params("x", integer=True)  # half a round is none
    if panel.at is not None:
        axes.axvline(panel.at, color="0.4", linestyle=":", label=at_label)
    axes.set_title(panel.title)


def _explain(figure: "Figure", panels: Sequence[BandPanel]) -> None:
    """Add a legend for all panels, if they show more than one thing."""
    named: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if label and not label.startswith("_"):
                named.setdefault(str(label), handle)
    if len(named) > 1:
        many = min(len(named), 2 if len(panels) == 1 else ACROSS)
        figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=many)
