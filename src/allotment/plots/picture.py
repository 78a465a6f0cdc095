"""A figure that shows itself in a notebook and keeps its style in a file. Loads matplotlib."""

from typing import Any

from matplotlib.figure import Figure

from allotment.plots.figures import STYLE, figure_bytes, need_matplotlib

SCREEN_DPI = 192  # twice what a screen shows, so that text is sharp


class Picture(Figure):
    """Shown where it is the last line of a notebook's cell; `savefig` writes print quality."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write it, by default with 300 dots per inch; PDF files hold TrueType fonts."""
        with need_matplotlib().rc_context(STYLE):
            super().savefig(fname, **{"dpi": 300, **options})

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """For notebooks: the picture, and how wide to show it."""
        return figure_bytes(self, "png", SCREEN_DPI), {"width": round(96 * self.get_figwidth())}
