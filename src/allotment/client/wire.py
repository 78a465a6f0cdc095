"""Arguments of methods as requests hold them: in bodies, in queries and in paths."""

import datetime
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from allotment.campaign.planning.plan_bounds import names_in


def orders_of(date: Any, budget: Any, exclude: Any, require: Any, fix: Any, moves: Any) -> dict[str, Any]:
    """Orders of the day as a request holds them."""
    names = {"exclude": names_in("exclude", exclude), "require": names_in("require", require)}
    return {"date": text_of(date), "budget": budget, **names, "fix": fix, "moves": moves}


def plain(value: Any) -> Any:
    """A value as JSON holds it: exact decimals as texts, NumPy's numbers as Python's."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, Decimal | datetime.date):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(part) for part in value]
    return value


def text_of(value: Any) -> str | None:
    """A value as a part of an address."""
    return None if value is None else field_of(value)


def field_of(value: Any) -> str:
    """A value as a form holds it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def part_of(text: Any) -> str:
    """A text as one part of a path."""
    return quote(str(text), safe="") or "-"
