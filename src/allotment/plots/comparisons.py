"""Draws what was expected, with its band, beside what happened: a row for each name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from allotment.plots.figures import COLOURS, need_matplotlib, our_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, ROW, AROUND = 4.6, 0.26, 1.1  # inches: of a panel, of a row, and of all but the rows
LONGEST = 28  # letters of a name
EXPECTED, HAPPENED, OUTSIDE = "expected, with 90 % band", "happened", "happened, outside the band"


class Compared(NamedTuple):
    """An expectation with its band, and what happened."""

    name: str
    expected: float
    low: float
    high: float
    happened: float

    @property
    def inside(self) -> bool:
        """Whether the band holds what happened."""
        return self.low <= self.happened <= self.high


@dataclass(frozen=True)
class ComparedPanel:
    """Rows that share an axis, from the top down."""

    rows: tuple[Compared, ...]
    title: str

    @property
    def top(self) -> float:
        """The largest number that it shows."""
        return max([value for row in self.rows for value in (row.high, row.happened)], default=0.0) or 1.0


def shortened(name: str) -> str:
    """A name that fits beside a picture."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def draw_compared(panels: Sequence[ComparedPanel], *, note: str = "") -> "Figure":
    """Draw panels side by side, whose rows have the same names."""
    need_matplotlib()
    from matplotlib.figure import Figure

    with our_style():
        many = max(len(panels[0].rows), 1)
        size = (WIDTH * len(panels), AROUND + ROW * max(many, 3))
        figure = Figure(figsize=size, layout="constrained")
        for number, panel in enumerate(panels):
            _draw(figure.add_subplot(1, len(panels), number + 1), panel, named=number == 0)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        for axes in figure.axes[1:]:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                if label not in labels:
                    handles, labels = [*handles, handle], [*labels, label]
        if labels:
            figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        if note:
            figure.suptitle(note, fontsize="medium")
    return figure


def _draw(axes: "Axes", panel: ComparedPanel, *, named: bool) -> None:
    places = range(len(panel.rows))
    for inside, label, marker in ((True, HAPPENED, "o"), (False, OUTSIDE, "D")):
        found = [(row.happened, y) for y, row in zip(places, panel.rows, strict=True) if row.inside is inside]
        if found:
            colour = COLOURS[6] if inside else COLOURS[1]
            across, down = zip(*found, strict=True)
            axes.scatter(across, down, 22, color=colour, marker=marker, zorder=3, label=label)
    if panel.rows:
        low = [row.low for row in panel.rows]
        width = [row.high - row.low for row in panel.rows]
        axes.barh(places, width, left=low, height=0.55, color=COLOURS[0], alpha=0.25, label=EXPECTED)
        expected = [row.expected for row in panel.rows]
        axes.scatter(expected, places, s=90, marker="|", color=COLOURS[0], zorder=2)
    axes.set_yticks(places, [shortened(row.name) for row in panel.rows] if named else [""] * len(panel.rows))
    for shown in axes.get_yticklabels():
        shown.set_parse_math(False)  # a name may hold dollar signs
    axes.set_ylim(len(panel.rows) - 0.4, -0.6)
    axes.set_xlim(0, 1.06 * panel.top)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(panel.title)
