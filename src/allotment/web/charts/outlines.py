"""A map: places by their outlines or points, in six shades by a number. Labels stand where they fit."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from allotment.campaign.forms.answer import cell
from allotment.campaign.planning.plan import Plan
from allotment.campaign.settings.settings import Settings
from allotment.plots.outlines import aspect, middle, parts_of, points_of
from allotment.web.charts.svg import element, joined, path_of, picture

WIDTH, MOST_HEIGHT, EDGE = 340.0, 400.0, 20.0
SHADES = 6  # classes in the stylesheet
STRONG = 4  # the first shade on which the page's own text colour is hard to read
AREAS = ("Polygon", "MultiPolygon")
NAMED = 12  # points; a name needs room
LABELS = 200
POINT = 6.0
KEY = 24.0  # the height of the key
LETTER, LINE = 5.8, 12.0  # the width of a letter and the height of a line, about


def outlines_of_plan(plan: Plan, settings: Settings) -> Markup | None:
    """A plan on a map; None if no place has a shape."""
    shapes = {name: settings.arms[settings.find(name)].shape for name in plan.amounts}
    known = {name: shape for name, shape in shapes.items() if shape is not None}
    return outlines(known, plan.amounts, f"Granted by plan {plan.id}") if known else None


def places_on_a_map(shapes: Mapping[str, Any]) -> Markup | None:
    """Where places are, without numbers; None if no place has a shape."""
    if not shapes:
        return None
    return outlines(shapes, dict.fromkeys(shapes, 0.0), "Places on the map", words=lambda _: "")


def outlines(
    shapes: Mapping[str, Any],
    values: Mapping[str, float],
    label: str,
    words: Callable[[Any], str] = cell,
    links: Mapping[str, str] | None = None,
) -> Markup:
    """GeoJSON geometries by name, each with a number, which `words` writes, or leaves out.

    `links` are the addresses that shapes lead to. The keyboard does not stop at them, since the page has a
    table with the same links.
    """
    points = [point for shape in shapes.values() for point in points_of(shape)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    stretch = aspect(points)
    across, up = max(right - left, 1e-9), max((high - low) * stretch, 1e-9)
    scale = min((WIDTH - 2 * EDGE) / across, (MOST_HEIGHT - 2 * EDGE) / up)
    height = up * scale + 2 * EDGE
    indent = (WIDTH - across * scale) / 2

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return indent + (point[0] - left) * scale, height - EDGE - (point[1] - low) * stretch * scale

    highest = max([*(values[name] for name in shapes), 0.0]) or 1.0
    drawn, names = list[Markup](), []
    for name, shape in shapes.items():
        before = len(drawn)
        title = element("title", _named(name, words(values[name])))
        kind = f"map__shape map--{_shade(values[name], highest)}"
        if shape["type"] in ("Point", "MultiPoint"):
            for point in points_of(shape):
                x, y = place(point)
                drawn.append(element("circle", title, cx=x, cy=y, r=POINT, class_=kind))
        elif shape["type"] in ("LineString", "MultiLineString"):
            for (line,) in parts_of(shape):
                drawn.append(element("path", title, d=path_of([*map(place, line)]), class_="map__line"))
        else:
            rings = [ring for part in parts_of(shape) for ring in part]
            around = " ".join(path_of([*map(place, ring)], closed=True) for ring in rings)
            drawn.append(element("path", title, d=around, fill_rule="evenodd", class_=kind))
        if links is not None:
            within = joined(drawn[before:])
            drawn[before:] = [element("a", within, href=links[name], tabindex=-1)]
    free = _FreeSpace()
    for rank, name in enumerate(sorted(shapes, key=lambda each: -values[each])[:LABELS]):
        if values[name] > 0:
            x, y = place(middle(points_of(shapes[name])))
            lift = -POINT - 4 if shapes[name]["type"] in ("Point", "MultiPoint") else 4
            text = _label(name, words(values[name]), shapes[name], scale, named=rank < NAMED)
            if text and free.take(x, y + lift, len(text)):
                kind = "map__name"
                if shapes[name]["type"] in AREAS and _shade(values[name], highest) >= STRONG:
                    kind += " map__name--strong"
                names.append(element("text", text, x=x, y=y + lift, class_=kind))
    ends = [words(0), words(highest)] if any(values[name] > 0 for name in shapes) else []
    key = _key(ends, height) if ends else []
    role = "img" if links is None else "group"
    return picture(
        [*drawn, *names, *key], WIDTH, height + (KEY if key else 0.0), label, role=role, kind="chart--map"
    )


def _label(name: str, number: str, shape: Any, scale: float, *, named: bool) -> str:
    """What stands at a place: its name and its number, its number alone, or nothing.

    A label within an outline never runs into the neighbours. Beside points, there is room for a few.
    """
    full = _named(name, number)
    if shape["type"] in ("Point", "MultiPoint"):
        return full if named else ""
    across = [x for x, _ in points_of(shape)]
    room = (max(across) - min(across)) * scale
    return next((text for text in (full, number) if LETTER * len(text) <= room), "")


def _named(name: str, number: str) -> str:
    return f"{name}: {number}" if number else name


def _key(ends: list[str], top: float) -> list[Markup]:
    """The shades from none to most, under the map."""
    left = EDGE + LETTER * len(ends[0]) + 10
    parts = [element("text", ends[0], x=EDGE, y=top + 14, class_="map__end")]
    for shade in range(SHADES):
        kind = f"map__shape map--{shade}"
        parts.append(element("rect", x=left + 22.0 * shade, y=top + 4, width=22, height=12, class_=kind))
    end = left + 22.0 * SHADES + 8
    return [*parts, element("text", ends[1], x=end, y=top + 14, class_="map__end")]


def _shade(value: float, highest: float) -> int:
    return 0 if value <= 0 else max(1, math.ceil((SHADES - 1) * value / highest))


class _FreeSpace:
    """Where names have been written: a name that would cover another one is left out."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float, float]] = []  # the middle, and half the width

    def take(self, x: float, y: float, letters: int) -> bool:
        half = LETTER * letters / 2
        if x - half < 0 or x + half > WIDTH:
            return False
        if any(abs(x - a) < half + b and abs(y - c) < LINE for a, c, b in self._taken):
            return False
        self._taken.append((x, y, half))
        return True
