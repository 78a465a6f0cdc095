"""Records as plain data for machines: the one way from an answer to JSON.

`to_dict`, `--json`, the API, its description and the client's requests all derive from it.
"""

import datetime
import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, ClassVar, get_type_hints


class Record:
    """A record with fields. `computed` are the properties that its plain data hold beside the fields."""

    computed: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Get everything as plain data."""
        found: dict[str, Any] = plain_data(self)
        return found


def is_record(value: Any) -> bool:
    """Whether a value, or a type, has fields: a data class or a named tuple."""
    return is_dataclass(value) or hasattr(value, "_fields")


def field_names(kind: Any) -> tuple[str, ...]:
    """The fields of a record or of its type."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else tuple(kind._fields)


def computed_types(kind: Any) -> dict[str, Any]:
    """The types of what a record's plain data hold beside its fields."""
    return {
        name: get_type_hints(getattr(kind, name).fget)["return"] for name in getattr(kind, "computed", ())
    }


# What answers say of situations. The API leaves it out for campaigns without situations, as it always did.
OF_SITUATIONS = frozenset({"situation", "situations", "today_situations", "today_budgets"})


def plain_data(value: Any, without_empty: Container[str] = ()) -> Any:
    """A value as JSON holds it: records by the names of their fields, exact decimals and dates as texts.

    A number that is not finite becomes None, because JSON has none. Fields that `without_empty` names are
    left out if they are empty.

    >>> plain_data((Decimal("2.5"), datetime.date(2026, 1, 2), math.inf))
    ['2.5', '2026-01-02', None]
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if is_record(value):
        names = (*field_names(value), *getattr(value, "computed", ()))
        parts = ((name, getattr(value, name)) for name in names)
        return {
            name: plain_data(part, without_empty) for name, part in parts if part or name not in without_empty
        }
    if isinstance(value, Mapping):
        return {str(name): plain_data(part, without_empty) for name, part in value.items()}
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return plain_data(value.tolist())
    if isinstance(value, Iterable):
        return [plain_data(part, without_empty) for part in value]
    return value
