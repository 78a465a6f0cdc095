"""Answers as JSON, kept by the number of the last event."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from starlette.responses import Response

from allotment.web.api.answer_cache import Kept
from allotment.web.api.calls import Call
from allotment.web.kept_answers import Moment


def plain(answer: Any) -> Any:
    """An answer of the library as plain data: the fields of records by their names."""
    if is_dataclass(answer):
        return {each.name: plain(getattr(answer, each.name)) for each in fields(answer)}
    if hasattr(answer, "_asdict"):
        return {name: plain(part) for name, part in answer._asdict().items()}
    if isinstance(answer, Mapping):
        return {str(name): plain(part) for name, part in answer.items()}
    if isinstance(answer, list | tuple | set | frozenset):
        return [plain(part) for part in answer]
    if isinstance(answer, date):
        return answer.isoformat()
    return str(answer) if isinstance(answer, Decimal) else answer


def as_json(answer: Any, status: int = 200) -> Response:
    """An answer of the library as an HTTP answer."""
    return Response(_bytes(answer), status, media_type="application/json")


def _bytes(answer: Any) -> bytes:
    return json.dumps(plain(answer), allow_nan=False, separators=(",", ":")).encode()


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
        known = Kept(moment, now, _bytes(compute()))
        cache.keep(key, known)
    age = {} if known.moment == moment else {"age": str(int(now - known.at))}
    return Response(known.content, headers=age, media_type="application/json")
