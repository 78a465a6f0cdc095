"""A figure that shows itself in a notebook and keeps its style in a file. Loads matplotlib."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from allotment.plots.figures import figure_bytes, our_style

SCREEN_DPI = 192  # twice what a screen shows, so that text is sharp


class Picture(Figure):
    """Shown where it is the last line of a notebook's cell; `savefig` writes print quality."""

    _is_saving = False

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write it, by default with 300 dots per inch; PDF files hold TrueType fonts."""
        with our_style():
            self._is_saving = True
            try:
                super().savefig(fname, **{"dpi": 300, **options})
            finally:
                self._is_saving = False

    def draw(self, renderer: Any) -> None:
        """Draw it. To lay it out, matplotlib first draws it to nowhere; laying it out alone takes less."""
        layout = self.get_layout_engine()
        if self._is_saving and isinstance(layout, ConstrainedLayoutEngine):
            layout.execute(self)
        else:
            super().draw(renderer)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """For notebooks: the picture, and how wide to show it."""
        return figure_bytes(self, "png", SCREEN_DPI), {"width": round(96 * self.get_figwidth())}
