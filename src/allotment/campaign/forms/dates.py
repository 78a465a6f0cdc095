"""Dates and times as people write them: one parser for options and files, which never guesses."""

import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from allotment.errors import InputError

ORDERS = ("dmy", "mdy", "ymd")
EXPECTED = "a date such as 2026-03-31 or 31.3.26"
PARTS = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})", re.ASCII)
TIME = re.compile(r"(?<=\d)[T ]\s*(?=\d{1,2}:\d{2})")  # what stands between a date and a time
MIDNIGHT = "00:00"
CENTURIES = 1900, 2000
LAST_OF_2000S = 68  # two digits up to 68 are years from 2000 on; from 69 on they are years before


def date_in(
    text: str,
    order: str | None = None,
    *,
    what: str = "date",
    option: str = "",
    expected: str = EXPECTED,
) -> date:
    """The date that a text stands for: 2026-03-31, 31.3.2026, 31.03.26, 31/03/2026.

    `order` is dmy, mdy or ymd. Without it, dates with dots are day first, and a date such as 03/04/2026
    that could be two days is refused; `option` says where to give the order, if anywhere.

    >>> date_in("31.12.25").isoformat(), date_in("12/31/2025").isoformat()
    ('2025-12-31', '2025-12-31')
    """
    found = PARTS.fullmatch(text.strip())
    if found is None:
        try:
            return date.fromisoformat(text.strip())
        except ValueError:
            raise InputError.of(what, text, expected) from None
    first, separator, second, third = found.groups()
    if len(first) == 4:  # a year: nobody writes year, day, month
        orders: tuple[str, ...] = ("ymd",)
    elif order is not None:
        orders = (order,)
    elif separator == ".":
        orders = ("dmy",)
    else:
        orders = ORDERS
    readings = {each: _read(dict(zip(each, (first, second, third), strict=True))) for each in orders}
    days = {day for day in readings.values() if day is not None}
    if len(days) == 1:
        return days.pop()
    if not days:
        raise InputError.of(what, text, expected if order is None else f"{expected}, or one in order {order}")
    said = " or ".join(f"{day} ({each})" for each, day in readings.items() if day is not None)
    instead = f"{option} with one of {', '.join(ORDERS)}, or " if option else ""
    raise InputError(
        f"{what} is {text!r}, which could be {said}", f"{instead}{expected}", what=what, value=text
    )


def moment_in(text: str, order: str | None = None, *, option: str = "") -> date | datetime:
    """The date, or the date and time, that a text stands for; a time may have an offset from UTC."""
    between = TIME.search(text)
    if between is None:
        return date_in(text, order, option=option)
    clock = text[between.end() :].strip()
    try:
        found = time.fromisoformat(clock if clock[1] != ":" else f"0{clock}")
    except ValueError:
        raise InputError.of("date", text, f"{EXPECTED}, or a time such as 2026-03-31 02:30") from None
    return datetime.combine(date_in(text[: between.start()], order, option=option), found)


def day_of(moment: datetime, zone: str, starts: str | None = None) -> date:
    """The day to which a moment belongs; before the time at which days start, it is the day before.

    A moment without an offset is local time in the zone.
    """
    local = moment if moment.tzinfo is None else moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    begins = time.fromisoformat(starts or MIDNIGHT)
    return (local - timedelta(hours=begins.hour, minutes=begins.minute)).date()


def _read(parts: dict[str, str]) -> date | None:
    """The date that day, month and year make, if there is one."""
    if len(parts["y"]) not in (2, 4) or len(parts["d"]) > 2 or len(parts["m"]) > 2:
        return None
    year = int(parts["y"])
    if len(parts["y"]) == 2:
        year += CENTURIES[year <= LAST_OF_2000S]
    try:
        return date(year, int(parts["m"]), int(parts["d"]))
    except ValueError:
        return None
