"""The OpenAPI description: schemas are made from the library's own records, which `answers.plain` writes."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from allotment.web.problems import KINDS, PROBLEM_TYPE, TITLES

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
_definitions: dict[str, Any] = {"Problem": PROBLEM}


class _Records(GenerateJsonSchema):
    """Named tuples are objects, as dataclasses are."""

    def arguments_schema(self, schema: Any) -> dict[str, Any]:
        """The parts of a named tuple by their names."""
        return self.kw_arguments_schema(schema["arguments_schema"], None)


def schema_of(kind: Any) -> dict[str, Any]:
    """The schema of a type of the library; what it refers to becomes part of the description."""
    found = TypeAdapter(kind).json_schema(ref_template=REFERENCE, schema_generator=_Records)
    _definitions.update(found.pop("$defs", {}))
    return found


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
        description="Campaigns on a server. docs/http-api.md explains it.",
        routes=app.routes,
        servers=[{"url": "/api/v1"}],
    )
    components = found.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **_definitions}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    found["security"] = [{"token": []}]
    return found
