"""What programs of users read, by `to_dict`, `--json` and over HTTP, keeps its names and its numbers."""

import json
import re
from pathlib import Path

import pytest

from allotment.campaign.forms.answer import OF_SITUATIONS
from campaign_answers import CAMPAIGNS, QUESTIONS, answers_of

BEFORE = Path(__file__).parent / "answers_before"
UNLIKE_EVERY_TIME = {"key"}  # idempotency keys are drawn


@pytest.fixture(scope="module", params=CAMPAIGNS)
def answers(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    with pytest.MonkeyPatch.context() as patch:
        now = answers_of(folder / "night.db", folder, CAMPAIGNS[request.param], patch)
    return json.loads((BEFORE / f"{request.param}.json").read_text(encoding="utf-8")), now


def lost(before, now, path=""):
    """Where something that was there is gone, or is another value. What was added does no harm.

    What moved is a list of names and numbers over HTTP before, and has names since.
    """
    if path.startswith("api/explanation/moved/") and isinstance(now, dict):
        now = list(now.values())
    if isinstance(before, dict):
        if not isinstance(now, dict):
            return [f"{path}: {now!r} is no object"]
        return [
            each
            for name in before
            if name not in UNLIKE_EVERY_TIME
            for each in (
                lost(before[name], now[name], f"{path}/{name}") if name in now else [f"{path}/{name} is gone"]
            )
        ]
    if isinstance(before, list):
        if not isinstance(now, list) or len(before) != len(now):
            return [f"{path}: {now!r} is not as long"]
        pairs = enumerate(zip(before, now, strict=True))
        return [each for i, (then, here) in pairs for each in lost(then, here, f"{path}/{i}")]
    same = before == now if not isinstance(before, float) else now == pytest.approx(before, rel=1e-9)
    return [] if same and type(before) is type(now) else [f"{path}: {before!r} became {now!r}"]


def test_users_json_keeps_its_names_and_numbers(answers):
    before, now = answers
    for way in before:
        assert set(before[way]) <= set(now[way])  # a new question has no earlier answer
        assert lost(before[way], now[way], way) == []


def without_situations(value):
    """An answer without what it would say of situations that a campaign does not have."""
    if isinstance(value, dict):
        parts = value.items()
        return {name: without_situations(part) for name, part in parts if part or name not in OF_SITUATIONS}
    return [without_situations(part) for part in value] if isinstance(value, list) else value


def test_the_api_and_the_library_give_the_same(answers):
    found = without_situations(answers[1])
    for name, plain in found["library"].items():
        over_http = found["api"][name]
        if name == "imports":
            over_http = [each["report"] for each in over_http]
        if name == "open plans":
            over_http = over_http["items"]
        if name == "overview":  # the commands name the store, which is the server's own business
            plain, over_http = plain | {"next": []}, over_http | {"next": []}
        assert over_http == plain, name


def fits(schema, value, schemas):
    """Whether a value has the form that the description says, with all fields that it names and no others."""
    if "$ref" in schema:
        return fits(schemas[schema["$ref"].rpartition("/")[2]], value, schemas)
    if "anyOf" in schema:
        return any(fits(each, value, schemas) for each in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return any(fits({**schema, "type": each}, value, schemas) for each in kind)
    if kind == "array":
        return isinstance(value, list) and all(fits(schema.get("items", {}), each, schemas) for each in value)
    if kind == "object" and "properties" in schema:
        parts = schema["properties"]
        named = isinstance(value, dict) and set(schema["required"]) <= value.keys() <= parts.keys()
        return named and all(fits(parts[name], part, schemas) for name, part in value.items())
    kinds = {"object": dict, "string": str, "integer": int, "number": int | float, "boolean": bool}
    return value is None if kind == "null" else isinstance(value, kinds.get(kind, object))


def test_answers_have_the_form_that_the_description_says(answers):
    found, description = answers[1]["api"], answers[1]["description"]
    for name in answers[1]["library"]:
        path = QUESTIONS[name].path.partition("?")[0]
        path = f"/campaigns/{{campaign}}/{re.sub(r'plans/[23]', 'plans/{plan_id}', path)}"
        answer = description["paths"][path]["post" if name == "what-if" else "get"]["responses"]["200"]
        schema = answer["content"]["application/json"]["schema"]
        assert fits(schema, found[name], description["components"]["schemas"]), name
