"""The OpenAPI description: schemas are made from the library's own records, which `plain_records` writes."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from allotment.web.requests.problems import KINDS, PROBLEM_TYPE, TITLES
from allotment.web.work.plain_records import OF_SITUATIONS

REFERENCE = "#/components/schemas/{model}"
PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "enum": [f"urn:allotment:problem:{kind}" for kind in KINDS.values()]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence: what is wrong, and what to do."},
    },
}
SIMPLE: dict[Any, dict[str, Any]] = {
    Any: {},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    dict: {"type": "object"},
}
_definitions: dict[str, Any] = {"Problem": PROBLEM}


def schema_of(kind: Any) -> dict[str, Any]:
    """The schema of what `plain` makes of a type; records become part of the description."""
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):
        return {"anyOf": [schema_of(part) for part in parts]}
    if origin in (list, tuple):  # a tuple of the library has any number of equal parts
        return {"type": "array", "items": schema_of(parts[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1])}
    if kind.__name__ not in _definitions:
        _definitions[kind.__name__] = {}  # first: a record may hold others of its kind
        hints = get_type_hints(kind)
        named = [each.name for each in fields(kind)] if is_dataclass(kind) else kind._fields
        properties = {name: schema_of(hints[name]) for name in named}
        required = [name for name in named if name not in OF_SITUATIONS]
        _definitions[kind.__name__] = {"type": "object", "required": required, "properties": properties}
    return {"$ref": REFERENCE.format(model=kind.__name__)}


def answers(kind: Any, status: int = 200, media_type: str = "application/json") -> dict[int | str, Any]:
    """The answer of a route, for its `responses`."""
    schema = kind if isinstance(kind, dict) else schema_of(kind)
    return {status: {"description": "Done.", "content": {media_type: {"schema": schema}}}}


def page_of(kind: Any) -> dict[str, Any]:
    """The schema of a page of a list."""
    return {
        "type": "object",
        "required": ["items", "next"],
        "properties": {
            "items": {"type": "array", "items": schema_of(kind)},
            "next": {
                "type": ["string", "null"],
                "description": "The cursor of the next page; null on the last.",
            },
        },
    }


def problems(*statuses: int) -> dict[int | str, Any]:
    """The problems that a route may answer with."""
    content = {PROBLEM_TYPE: {"schema": {"$ref": REFERENCE.format(model="Problem")}}}
    return {status: {"description": TITLES[status], "content": content} for status in statuses}


def describe(app: FastAPI) -> Mapping[str, Any]:
    """The whole description."""
    found: dict[str, Any] = get_openapi(
        title="allotment",
        version="1",
        description="Campaigns on a server. docs/reference/http-api.md explains it.",
        routes=app.routes,
        servers=[{"url": "/api/v1"}],
    )
    components = found.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **_definitions}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    found["security"] = [{"token": []}]
    return found
