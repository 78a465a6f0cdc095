"""Answers as JSON, kept by the number of the last event."""

import time
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from allotment.web.api.answer_cache import Kept
from allotment.web.api.calls import Call
from allotment.web.kept_answers import Moment
from allotment.web.plain_records import json_of


def as_json(answer: Any, status: int = 200) -> Response:
    """An answer of the library as an HTTP answer."""
    return Response(json_of(answer), status, media_type="application/json")


def kept_json(
    call: Call, arguments: tuple[Any, ...], compute: Callable[[], Any], *, old: float = 0
) -> Response:
    """The answer to a question about a campaign, computed only if something was recorded since.

    It may be `old` seconds old, and says how old it is in the header Age. Someone who sees one group only has
    answers of their own.
    """
    cache = call.desk.answers
    key = (call.number, call.route, call.rights.group, *arguments)
    moment, now, known = Moment.of(call.campaign), time.monotonic(), cache.find(key)
    if known is None or (known.moment != moment and now - known.at > old):
        known = Kept(moment, now, json_of(compute()).encode())
        cache.keep(key, known)
    age = {} if known.moment == moment else {"age": str(int(now - known.at))}
    return Response(known.content, headers=age, media_type="application/json")
