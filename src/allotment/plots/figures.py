"""How every picture looks, and how it becomes a file. Loads matplotlib when something is drawn."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allotment.checks import one_of
from allotment.errors import MissingExtraError
from allotment.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def need_matplotlib() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "pictures need matplotlib; install it with: pip install 'allotment[plots]'"
        ) from None
    return matplotlib


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
