"""The OpenAPI description: schemas are made from the types of answers, as `plain_data` writes them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from allotment.campaign.forms.answer import OF_SITUATIONS, computed_types
from allotment.web.requests.problems import KINDS, PROBLEM_TYPE, TITLES

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


class _Schemas(GenerateJsonSchema):
    """Schemas of what `plain_data` makes of types: records are objects that have all their fields.

    Only what is said of situations may be left out.
    """

    def named_tuple_schema(self, schema: Any) -> dict[str, Any]:
        """A named tuple, which is an object with names here, too."""
        return self._object(schema["fields"])

    def arguments_schema(self, schema: Any) -> dict[str, Any]:
        """The same, as older versions of pydantic call it."""
        return self._object(schema["arguments_schema"])

    def _object(self, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        properties = {each["name"]: self.generate_inner(each["schema"]) for each in parts}
        return {"type": "object", "required": _always(properties), "properties": properties}

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        """A data class, with what is computed from its fields."""
        found = super().dataclass_schema(schema)
        found.pop("description", None)  # the docstring, which is for users of the library
        for name, kind in computed_types(schema["cls"]).items():
            found["properties"][name] = self.generate_inner(TypeAdapter(kind).core_schema)
            found["required"].append(name)
        return {**found, "required": _always(found["required"])}

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Titles would only repeat names."""
        return False

    def field_is_required(self, *field: Any, **options: Any) -> bool:
        """Fields with a default are there as well."""
        return True


def _always(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in OF_SITUATIONS]


def schema_of(kind: Any) -> dict[str, Any]:
    """The schema of what `plain_data` makes of a type; records become part of the description."""
    schemas, described = TypeAdapter.json_schemas(
        [("answer", "serialization", TypeAdapter(kind))],
        ref_template=REFERENCE,
        schema_generator=_Schemas,
    )
    for name, schema in described.get("$defs", {}).items():
        if _definitions.setdefault(name, schema) != schema:
            raise TypeError(f"two types of answers are called {name}")
    return schemas["answer", "serialization"]


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
