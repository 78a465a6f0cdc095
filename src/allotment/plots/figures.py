"""The style of all figures, and how to save them. Loads matplotlib when something is drawn."""

import base64
import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allotment.checks import number, one_of
from allotment.errors import InputError, MissingExtraError
from allotment.system.files import ensure_writable, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
WIDTH, SHAPE = 4.2, 3.1 / 4.2  # of a picture: inches, and its height in widths

# The palette of Okabe and Ito is safe for the colour-blind. The markers are for prints in grey.
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
    "pdf.fonttype": 42,  # TrueType, which journals ask for
    "svg.hashsalt": "allotment",  # the same figure gives the same file
}
_DRAWING = threading.RLock()


def need_matplotlib() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "pictures need matplotlib; install it with: pip install 'allotment[plots]'"
        ) from None
    return matplotlib


@contextmanager
def our_style() -> Iterator[None]:
    """Within the block, draw in our style; other threads wait.

    Settings of matplotlib belong to the whole process. If two threads changed them at once, each would take
    back the other's, and texts would be lost from pictures.
    """
    with _DRAWING, need_matplotlib().rc_context(STYLE):
        yield


def draw_on(ax: Any, draw: "Callable[[Axes], None]", width: float = WIDTH, shape: float = SHAPE) -> Any:
    """Draw on the given axes and return them, or on a new figure and return that.

    A new picture is `width` inches wide, and `shape` times that high.
    """
    need_matplotlib()
    from matplotlib.axes import Axes

    from allotment.plots.picture import Picture

    if ax is not None:
        if not isinstance(ax, Axes):
            raise InputError.of("ax", ax, "axes of matplotlib, as plt.subplots() gives them")
        draw(ax)
        return ax
    width = number("width", width, "inches, from 2 to 50", least=2.0, most=50.0)
    with our_style():
        picture = Picture(figsize=(width, shape * width), layout="constrained")
        draw(picture.add_subplot())
    return picture


def save_figure(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG (300 dots per inch), SVG or PDF, after its name."""
    kind = _format_of(path)
    with replacing(path) as draft:
        draft.write_bytes(figure_bytes(figure, kind))


def ensure_drawable(path: str | os.PathLike[str]) -> None:
    """Fail now, and not after an hour's work, if no picture can be drawn and written to `path`."""
    _format_of(path)
    need_matplotlib()
    ensure_writable(path)


def _format_of(path: str | os.PathLike[str]) -> str:
    return one_of("picture format", Path(path).suffix.lstrip("."), FORMATS)


def figure_bytes(figure: "Figure", kind: str, dpi: int = 300) -> bytes:
    """The same, for those who keep it elsewhere."""
    content = io.BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with our_style():
        figure.savefig(content, format=kind, dpi=dpi, metadata=dates.get(kind, {}))
    return content.getvalue()


def figure_tag(figure: "Figure", text: str, kind: str = "svg") -> str:
    """A figure as an HTML element that needs no other file; `text` is for those who cannot see it."""
    size = "" if kind == "svg" else f' width="{round(96 * figure.get_figwidth())}"'
    return image_tag(figure_bytes(figure, kind, 192), text, kind, size)


def image_tag(content: bytes, text: str, kind: str = "svg", size: str = "") -> str:
    """The same of a picture's content; `size` is an attribute, if it needs one."""
    types = {"svg": "image/svg+xml", "png": "image/png"}
    encoded = base64.b64encode(content).decode()
    return f'<img alt="{escape(text)}"{size} src="data:{types[kind]};base64,{encoded}">'


def small_picture(draw: "Callable[[], Figure]", text: str) -> str:
    """What `draw` gives as such an element, for a notebook; nothing where matplotlib is missing."""
    try:
        return f"<div>{figure_tag(draw(), text, 'png')}</div>"
    except MissingExtraError:
        return ""
