"""Names that are safe to write into a spreadsheet, and the small facts of who and when."""

import getpass
import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from allotment.errors import InputError

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet compute a cell
LONGEST = 200


def name(what: str, value: Any) -> str:
    """A name as it was given, or one sentence on why it cannot be one."""
    if not isinstance(value, str) or not value.strip():
        raise InputError.of(what, value, "a name")
    if value.startswith(FORMULA):
        raise InputError.of(
            what, value, "a name that does not begin with = + - @, a tab or a carriage return"
        )
    if value != value.strip() or len(value) > LONGEST or not value.isprintable():
        raise InputError.of(
            what, value, f"a name of at most {LONGEST} characters on one line, with no space around it"
        )
    return value


def author(value: Any) -> str:
    """Who does something: as given, or whoever is logged in."""
    if value is not None:
        return name("author", value)
    try:
        return name("author", getpass.getuser())
    except (OSError, KeyError, ImportError, InputError):
        return "unknown"


def timezone(value: Any) -> str:
    """A time zone's name: as given, or this machine's, or UTC."""
    if value is None:
        return next((zone for zone in _local_zones() if _known(zone)), "UTC")
    if not isinstance(value, str) or not _known(value):
        raise InputError.of("timezone", value, "the name of a time zone, such as Europe/Vienna")
    return value


def _local_zones() -> list[str]:
    linked = str(Path("/etc/localtime").resolve()).rpartition("zoneinfo/")[2]
    return [os.environ.get("TZ", "").removeprefix(":"), linked]


def _known(zone: str) -> bool:
    try:
        ZoneInfo(zone)
    except (KeyError, OSError, ValueError):  # not found, a folder, or no name at all
        return False
    return True


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def day(what: str, value: Any, timezone: str | None = None) -> date:
    """A civil date: as given, or today's in a time zone."""
    if value is None and timezone is not None:
        return now().astimezone(ZoneInfo(timezone)).date()
    if isinstance(value, datetime):
        raise InputError.of(what, value, "a date without a time")
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return date.fromisoformat(value.strip())
        except ValueError:
            pass
    raise InputError.of(what, value, "a date such as 2026-03-31")
