"""Answers as JSON, kept by the number of the last event."""

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from starlette.responses import Response

from allotment.web.api.calls import Call
from allotment.web.api.turns import turn
from allotment.web.work.kept_answers import Moment
from allotment.web.work.plain_records import json_of

FOR_GOOD = Moment(0, date.min)  # of an answer that no event changes


def as_json(answer: Any, status: int = 200) -> Response:
    """An answer of the library as an HTTP answer."""
    return Response(json_of(answer), status, media_type="application/json")


def kept_json(
    call: Call, arguments: tuple[Any, ...], compute: Callable[[], Any], *, moment: Moment | None = None
) -> Response:
    """The answer to a question about a campaign, computed only if something was recorded since.

    It holds for another `moment` than the last event if one is given.
    """
    holds_for = moment or Moment.of(call.campaign)
    found = call.desk.answers.answer(_key(call, arguments), holds_for, _encoded(compute))
    return _response(found.content)


def recent_json(
    call: Call, arguments: tuple[Any, ...], compute: Callable[[], Any], seconds: float
) -> Response:
    """The same for an answer that may be some seconds old; the header Age says how old it is."""
    moment = Moment.of(call.campaign)
    found, age = call.desk.answers.answer_of_late(_key(call, arguments), moment, _encoded(compute), seconds)
    return _response(found.content, {"age": str(math.ceil(age))} if age else {})


def long_json(call: Call, kind: str, arguments: tuple[Any, ...], compute: Callable[[], Any]) -> Response:
    """The same for an answer that takes long: one is computed at a time."""
    answers, key = call.desk.answers, _key(call, arguments)
    found = answers.find(key, Moment.of(call.campaign))
    if found is None:
        with turn(call, kind):  # whoever was before us may have computed it
            found = answers.answer(key, Moment.of(call.campaign), _encoded(compute))
    return _response(found.content)


def _key(call: Call, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an answer depends on. Someone who sees one group only has answers of their own."""
    return (call.number, call.route, call.rights.group, *arguments)


def _encoded(compute: Callable[[], Any]) -> Callable[[], bytes]:
    return lambda: json_of(compute()).encode()


def _response(content: bytes, headers: Mapping[str, str] | None = None) -> Response:
    return Response(content, headers=headers, media_type="application/json")
