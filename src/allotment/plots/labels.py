"""Labels lines at their ends where that fits, or in a legend that hides no line."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

LABELS = ("auto", "beside", "legend", "none")  # how lines may be labelled
PLACES = ("upper left", "lower right", "upper right", "lower left", "upper center", "center")
WIDEST = 0.3  # the share of the axes' width that labels beside them may take
LINE_SPACING = 1.2
CHARACTER = 0.064  # the width of one in a note, in inches, about
LEGEND_FONT, NOTE_COLOUR = "small", "0.35"


def find_sizes(axes: "Axes") -> None:
    """Lay out the picture that these axes are part of, so that all its sizes are known; it takes a while."""
    figure: Any = axes.get_figure(root=True)
    layout = figure.get_layout_engine()
    if layout is None:
        figure.draw_without_rendering()
    else:
        layout.execute(figure)  # half the work of a whole drawing


def label_lines(axes: "Axes", lines: Sequence["Line2D"], how: str = "auto", *, beside: bool = True) -> None:
    """Label lines, which carry their labels; "auto" writes beside the axes only where `beside` allows it.

    After `find_sizes`.
    """
    if one_of("labels", how, LABELS) == "none" or not lines:
        return
    if how == "beside" or (how == "auto" and beside):
        heights = _spread(axes, lines)
        if how == "beside" or _fit(axes, lines, heights):
            for line, height in zip(lines, heights, strict=True):
                _write(axes, line, height)
            return
    _legend(axes, lines)


def note(axes: "Axes", sentences: Sequence[str], title: str = "") -> None:
    """Say what lies outside the picture above its right end, and the title above that."""
    lines: list[str] = []
    if sentences:
        find_sizes(axes)
        figure: Any = axes.get_figure(root=True)
        wide = int(axes.bbox.width / figure.dpi / CHARACTER)  # what fits, about
        lines = [line for sentence in sentences for line in textwrap.wrap(sentence, max(wide, 20))]
        look: Any = {"fontsize": LEGEND_FONT, "color": NOTE_COLOUR}
        where: Any = {"xycoords": "axes fraction", "textcoords": "offset points"}
        text = "\n".join(lines)
        axes.annotate(text, (1.0, 1.0), (0.0, 3.0), ha="right", va="bottom", **look, **where)
    axes.set_title(title, pad=6.0 + 9.5 * len(lines))


def _write(axes: "Axes", line: "Line2D", height: float) -> Any:
    return axes.annotate(
        str(line.get_label()),
        (1.0, height),
        (5.0, 0.0),
        xycoords="axes fraction",
        textcoords="offset points",
        va="center",
        fontsize=LEGEND_FONT,
        color=line.get_color(),
        annotation_clip=False,
    )


def _ends(axes: "Axes", lines: Sequence["Line2D"]) -> FloatArray:
    """How high each line ends, as a share of the axes' height."""
    points = [np.asarray(line.get_xydata())[-1] for line in lines]
    with np.errstate(divide="ignore", invalid="ignore"):
        shown = axes.transAxes.inverted().transform(axes.transData.transform(points))
    return np.nan_to_num(shown[:, 1], nan=-1.0, posinf=2.0, neginf=-1.0)


def _line_height(axes: "Axes") -> float:
    """The height of a line of text, as a share of the axes'."""
    from matplotlib.font_manager import FontProperties

    points = FontProperties(size=LEGEND_FONT).get_size_in_points()
    pixels = LINE_SPACING * points * axes.get_figure(root=True).dpi / 72.0  # type: ignore[union-attr]
    return pixels / axes.bbox.height


def _spread(axes: "Axes", lines: Sequence["Line2D"]) -> FloatArray:
    """Heights for the labels: a line apart at least, and otherwise as near the ends as can be."""
    ends, apart = _ends(axes, lines), _line_height(axes)
    order = np.argsort(ends, kind="stable")
    # Least squares under y[k + 1] ≥ y[k] + apart, by pooling neighbours that are too close.
    pools: list[list[float]] = []  # [mean, size] of y[k] - k·apart
    for k, i in enumerate(order.tolist()):
        pools.append([float(ends[i]) - k * apart, 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            before = pools[-1]
            before[0] = (before[0] * before[1] + mean * size) / (before[1] + size)
            before[1] += size
    spread = np.concatenate([np.full(int(size), mean) for mean, size in pools])
    heights = np.empty(ends.size)
    heights[order] = spread + apart * np.arange(ends.size)
    return heights


def _fit(axes: "Axes", lines: Sequence["Line2D"], heights: FloatArray) -> bool:
    """Whether labels at these heights are near their lines' ends, beside the axes and not too wide."""
    ends, apart = _ends(axes, lines), _line_height(axes)
    near = (np.abs(heights - ends) <= 1.2 * apart).all() and ((ends > -0.01) & (ends < 1.01)).all()
    if not near or heights.min() < -0.5 * apart or heights.max() > 1.0 + 0.5 * apart:
        return False
    texts = [_write(axes, line, height) for line, height in zip(lines, heights, strict=True)]
    widest = max(text.get_window_extent().width for text in texts)
    for text in texts:
        text.remove()
    return bool(widest <= WIDEST * axes.bbox.width)


def _legend(axes: "Axes", lines: Sequence["Line2D"]) -> None:
    """A legend in a place that is free; if none is, room is made above the lines."""
    options: dict[str, Any] = {"handles": list(lines), "fontsize": LEGEND_FONT, "borderaxespad": 0.3}

    def placed(**where: Any) -> Any:
        legend = axes.legend(**where, **options)
        legend.set_in_layout(False)  # it is within the axes, and takes no room of theirs
        return legend

    for place in PLACES:
        if not _hides(axes, placed(loc=place)):
            return
    for columns in range(len(lines), 0, -1):
        box = placed(loc="upper left", ncols=columns).get_window_extent()
        if box.width <= axes.bbox.width:
            break
    taken = min(0.8, box.height / axes.bbox.height + 0.03)
    scale = axes.yaxis.get_transform()
    low, high = (float(scale.transform(end)) for end in axes.get_ylim())
    axes.set_ylim(top=float(scale.inverted().transform(low + (high - low) / (1.0 - taken))))


def _hides(axes: "Axes", legend: Any) -> bool:
    """Whether a legend covers a part of some line or band."""
    box = legend.get_window_extent().padded(3.0)
    for line in axes.lines:
        if line.get_transform().transform_path(line.get_path()).intersects_bbox(box, filled=False):
            return True
    for band in axes.collections:
        transform = band.get_transform()
        if any(transform.transform_path(path).intersects_bbox(box) for path in band.get_paths()):
            return True
    return False
