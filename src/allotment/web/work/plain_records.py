"""Records of the library as plain data and as JSON, and back."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from allotment.client.line import reader

# What records say of situations. In a campaign without situations, records are as they were before.
OF_SITUATIONS = frozenset({"situation", "situations", "today_situations", "today_budgets"})


def plain(answer: Any) -> Any:
    """An answer of the library as plain data: the fields of records by their names."""
    if is_dataclass(answer):
        return _record({each.name: getattr(answer, each.name) for each in fields(answer)})
    if hasattr(answer, "_asdict"):
        return _record(answer._asdict())
    if isinstance(answer, Mapping):
        return {str(name): plain(part) for name, part in answer.items()}
    if isinstance(answer, list | tuple | set | frozenset):
        return [plain(part) for part in answer]
    if isinstance(answer, date):
        return answer.isoformat()
    return str(answer) if isinstance(answer, Decimal) else answer


def _record(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(part) for name, part in parts.items() if part or name not in OF_SITUATIONS}


def json_of(record: Any) -> str:
    """A record as JSON."""
    return json.dumps(plain(record), allow_nan=False, separators=(",", ":"))


def record_of(kind: Any, text: str) -> Any:
    """The record of a kind that `json_of` wrote."""
    return reader(kind).validate_json(text)
