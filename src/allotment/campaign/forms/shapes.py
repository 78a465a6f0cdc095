"""Shapes and points on a map: GeoJSON, its features named by arm."""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from allotment.campaign.forms.amounts import listed
from allotment.campaign.forms.names import spellings, stored_as
from allotment.errors import InputError, NotFoundError, shown
from allotment.system.files import read_bytes

FARTHEST = 1e12  # in whatever unit a map has; NaN is not below it
MOST_VERTICES = 100_000  # of all shapes of a campaign; stored campaigns may have more
DEPTH = {"Point": 0, "LineString": 1, "MultiPoint": 1, "Polygon": 2, "MultiLineString": 2, "MultiPolygon": 3}


def shapes_by_name(shapes: Any, known: Iterable[str]) -> dict[str, Any]:
    """Geometries by the names of places: from a file, a collection of features, or a mapping."""
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        try:
            shapes = json.loads(read_bytes(shapes))
        except (ValueError, TypeError, RecursionError):
            if isinstance(shapes, str | os.PathLike):
                raise InputError(f"{os.fspath(shapes)} is not GeoJSON", what="shapes", value=shapes) from None
            raise InputError.of("shapes", shapes, "GeoJSON") from None
    if isinstance(shapes, Mapping) and shapes.get("type") == "FeatureCollection":
        features = shapes.get("features")
        if not isinstance(features, list):
            raise InputError.of("shapes", shapes, "GeoJSON with features")
        shapes = {_named(feature): feature.get("geometry") for feature in features}
    if not isinstance(shapes, Mapping):
        raise InputError.of("shapes", shapes, "GeoJSON, its features named by place")
    found, stored = {}, spellings(known)
    for name, shape in shapes.items():
        arm = stored_as(name, stored)
        if arm is None:
            raise NotFoundError(
                f"shapes name {shown(name)}, which is no place", "names of places", what="shapes", value=name
            )
        found[arm] = _geometry(arm, shape)
    return found


def vertices_in(shapes: Iterable[Any]) -> int:
    """The number of vertices that geometries have together; None stands for a place without one."""
    return sum(_points(each["coordinates"], DEPTH[each["type"]]) for each in shapes if each is not None)


def check_vertices(after: Iterable[Any], before: Iterable[Any] = ()) -> None:
    """Raise an error if shapes have too many vertices to be drawn on every page, and more than before."""
    many = vertices_in(after)
    if many > MOST_VERTICES and many > vertices_in(before):
        raise InputError(
            f"the shapes have {many:,} vertices together",
            f"at most {MOST_VERTICES:,}; simplify the outlines",
            what="shapes",
            value=many,
        )


def _points(coordinates: Any, depth: int) -> int:
    return sum(_points(each, depth - 1) for each in coordinates) if depth else 1


def _named(feature: Any) -> str:
    properties = feature.get("properties") if isinstance(feature, Mapping) else None
    found = properties.get("name") if isinstance(properties, Mapping) else None
    if not isinstance(found, str):
        had = listed(map(shown, properties)) if isinstance(properties, Mapping) else ""
        raise InputError(
            f"a feature of the map has {f'the properties {had}' if had else 'no properties'}",
            'the name of its place as the property "name"',
            what="shapes",
            value=feature,
        )
    return found


def _geometry(name: str, shape: Any) -> dict[str, Any]:
    if isinstance(shape, list | tuple) and len(shape) == 2:
        shape = {"type": "Point", "coordinates": list(shape)}
    kind = shape.get("type") if isinstance(shape, Mapping) else None
    if (
        not isinstance(kind, str)
        or kind not in DEPTH
        or not _coordinates(shape.get("coordinates"), DEPTH[kind])
    ):
        raise InputError.of(f"the shape of {name!r}", shape, f"a GeoJSON geometry: {', '.join(DEPTH)}")
    return {"type": kind, "coordinates": shape["coordinates"]}


def checked_geometry(name: str, shape: Any) -> dict[str, Any]:
    """A geometry as it is stored."""
    if shape != _geometry(name, shape):
        raise InputError.of(f"the shape of {name!r}", shape, "a geometry with type and coordinates only")
    return dict(shape)


def _coordinates(found: Any, depth: int) -> bool:
    if not isinstance(found, list | tuple):
        return False
    if depth:
        return len(found) > 0 and all(_coordinates(each, depth - 1) for each in found)
    return len(found) in (2, 3) and all(
        isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < FARTHEST
        for each in found
    )
