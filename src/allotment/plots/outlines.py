"""Draws a map: places by their outlines or points, coloured by a number."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from allotment.plots.figures import need_matplotlib, our_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = 5.0  # inches
NAMED = 12  # places with the largest numbers are named
COLOURS = "YlOrBr"  # distinct even when printed in grey


def draw_outlines(
    shapes: Mapping[str, Any], values: Mapping[str, float], label: str, note: str = ""
) -> "Figure":
    """Draw GeoJSON geometries by name, coloured by a number for each; the largest are named.

    `note` stands above the map.
    """
    matplotlib = need_matplotlib()
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke

    highest = max([*values.values(), 0.0]) or 1.0
    if len(set(values.values())) == 1:
        highest *= 2.0  # where all are alike, all are in the middle of the scale
    with our_style():
        figure = Figure(figsize=(1.2 * SIZE, SIZE), layout="constrained")
        axes = figure.add_subplot()
        colours = matplotlib.colormaps[COLOURS]
        scale = matplotlib.colors.Normalize(0.0, highest)
        for name, shape in shapes.items():
            colour = colours(scale(values[name]))
            if shape["type"] in ("Point", "MultiPoint"):
                axes.plot(*zip(*points_of(shape), strict=True), "o", color=colour, markeredgecolor="0.4")
            else:
                rings = [part[0] for part in parts_of(shape)]
                axes.add_collection(
                    PolyCollection(rings, facecolors=[colour], edgecolors="0.4", linewidths=0.5)
                )
        for name in sorted(values, key=lambda each: -values[each])[:NAMED]:
            if values[name] > 0 and name in shapes:
                x, y = middle(points_of(shapes[name]))
                text = axes.annotate(
                    f"{name}\n{values[name]:g}", (x, y), ha="center", va="center", fontsize=6
                )
                text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])
        axes.autoscale_view()
        axes.set_aspect(aspect([point for shape in shapes.values() for point in points_of(shape)]))
        axes.set_axis_off()
        axes.set_title(note)
        figure.colorbar(matplotlib.cm.ScalarMappable(scale, colours), ax=axes, label=label, shrink=0.7)
    return figure


def aspect(points: list[tuple[float, float]]) -> float:
    """How much longer a unit up is than one across: in degrees it depends on the latitude."""
    degrees = all(abs(x) <= 180.0 and abs(y) < 80.0 for x, y in points)
    return 1.0 / math.cos(math.radians(middle(points)[1])) if degrees else 1.0


def parts_of(shape: Mapping[str, Any]) -> list[Any]:
    """The polygons of a shape, each a list of rings; a line is drawn as if it were closed."""
    found = shape["coordinates"]
    if shape["type"] == "LineString":
        return [[_flat(found)]]
    if shape["type"] == "MultiLineString":
        return [[_flat(line)] for line in found]
    parts = found if shape["type"] == "MultiPolygon" else [found]
    return [[_flat(ring) for ring in part] for part in parts]


def _flat(points: Any) -> list[tuple[float, float]]:
    return [(point[0], point[1]) for point in points]


def points_of(shape: Mapping[str, Any]) -> list[tuple[float, float]]:
    """The points of a shape; for a polygon, the points of its outer rings."""
    if shape["type"] == "Point":
        return _flat([shape["coordinates"]])
    if shape["type"] == "MultiPoint":
        return _flat(shape["coordinates"])
    return [point for part in parts_of(shape) for point in part[0]]


def middle(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The middle of the box around points."""
    across, up = zip(*points, strict=True)
    return (min(across) + max(across)) / 2, (min(up) + max(up)) / 2
