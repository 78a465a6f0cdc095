"""How sphinx-gallery gets the picture of an example: the example calls it `figure`.

Figures of allotment do not pass through pyplot, where sphinx-gallery's own scraper looks.
"""

from typing import Any

from sphinx_gallery.scrapers import figure_rst

DOTS_PER_INCH = 200


def save_figure(block: tuple[Any, ...], variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Write the figure that a block of an example made, and return the text that shows it."""
    figure = variables["example_globals"].pop("figure", None)
    if figure is None:
        return ""
    path = next(variables["image_path_iterator"])
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return figure_rst([path], settings["src_dir"])
