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
    """An answer as an HTTP answer, whole: for those who may read, and for what has no fields to hide."""
    return Response(json_of(answer), status, media_type="application/json")


def kept_json(
    call: Call,
    arguments: tuple[Any, ...],
    compute: Callable[[], Any],
    *,
    moment: Moment | None = None,
    dear: bool = False,
) -> Response:
    """The answer to a question about a campaign, computed only if something was recorded since.

    It holds for another `moment` than the last event if one is given. Few wait for an answer that is `dear`.
    """
    holds_for = moment or Moment.of(call.campaign)
    found = call.desk.answers.answer(_key(call, arguments), holds_for, _encoded(call, compute), dear=dear)
    return _response(found.content)


def recent_json(
    call: Call, arguments: tuple[Any, ...], compute: Callable[[], Any], seconds: float, *, dear: bool
) -> Response:
    """The same for an answer that may be some seconds old; the header Age says how old it is."""
    moment = Moment.of(call.campaign)
    key, computed = _key(call, arguments), _encoded(call, compute)
    found, age = call.desk.answers.answer_of_late(key, moment, computed, seconds, dear=dear)
    return _response(found.content, {"age": str(math.ceil(age))} if age else {})


def long_json(call: Call, kind: str, arguments: tuple[Any, ...], compute: Callable[[], Any]) -> Response:
    """The same for an answer that takes long: one is computed at a time."""
    answers, key = call.desk.answers, _key(call, arguments)
    found = answers.find(key, Moment.of(call.campaign))
    if found is None:
        with turn(call, kind):  # whoever was before us may have computed it
            found = answers.answer(key, Moment.of(call.campaign), _encoded(call, compute))
    return _response(found.content)


def _key(call: Call, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an answer depends on. What is kept belongs to what its reader may see."""
    return (call.number, call.route, call.sight, *arguments)


def _encoded(call: Call, compute: Callable[[], Any]) -> Callable[[], bytes]:
    """The part of an answer that the caller sees, as bytes; that of a dear question is in bytes already."""

    def encoded() -> bytes:
        found = compute()
        return found if isinstance(found, bytes) else json_of(call.seen(found)).encode()

    return encoded


def _response(content: bytes, headers: Mapping[str, str] | None = None) -> Response:
    return Response(content, headers=headers, media_type="application/json")
