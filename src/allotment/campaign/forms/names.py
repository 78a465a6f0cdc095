"""Names that are safe in a spreadsheet; authors, time zones and times of day."""

import getpass
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from allotment.campaign.forms.dates import EXPECTED, date_in, day_of
from allotment.campaign.forms.lookalikes import INVISIBLE
from allotment.errors import InputError, NotFoundError
from allotment.tables import FORMULA, INNER_FORMULA, WIDE_FORMULA

LONGEST = 100  # characters
LONGEST_NOTE = 500
LONGEST_STORED = 200  # which names of earlier versions may have
ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,100}")  # the form of a time zone's name
CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
NO_FORMULA = "a name that does not begin with = + - @, a tab or a carriage return"
ZONE_EXPECTED = "the name of a time zone that this machine knows, such as Europe/Vienna"


def name(what: str, value: Any) -> str:
    """A new name as it is stored, composed (NFC), or one sentence on why it cannot be one.

    Names that are stored already are held to the rules of `checked_name` only: these here came later.
    """
    if isinstance(value, str) and INNER_FORMULA.search(value):
        raise InputError.of(what, value, "a name without = + - @ right after a comma or a semicolon")
    if isinstance(value, str) and INVISIBLE.search(value):
        raise InputError.of(what, value, "a name without characters that show nothing")
    return _composed_name(what, value)


def _composed_name(what: str, value: Any) -> str:
    return _new_name(what, composed(_new_name(what, value)))


def _new_name(what: str, value: Any) -> str:
    if isinstance(value, str) and value.startswith(WIDE_FORMULA):
        raise InputError.of(what, value, f"{NO_FORMULA}; full-width forms of these count as well")
    if isinstance(value, str) and len(value.strip()) > LONGEST:
        raise InputError(f"{what} has {len(value)} characters", f"at most {LONGEST}", what=what, value=value)
    return checked_name(what, value)


def shown_text(text: str, most: int = LONGEST) -> str:
    """A text of a user as pages and reports repeat it: on one line, without controls, not long.

    What cannot be printed, bidirectional controls included, becomes a replacement character.

    >>> shown_text("Ort\u202e"), shown_text("abc", 2)
    ('Ort\ufffd', 'a…')
    """
    line = "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def note(what: str, value: Any) -> str | None:
    """A text for people as it is stored: on one line, and None if it is empty.

    Line breaks become spaces, since people paste notes of several lines.

    >>> note("the note", " Meet at 6:45.\\nBring radios. "), note("the note", " ")
    ('Meet at 6:45. Bring radios.', None)
    """
    if not isinstance(value, str):
        raise InputError.of(what, value, "a text")
    line = composed(" ".join(value.split()))
    if len(line) > LONGEST_NOTE:
        raise InputError(
            f"{what} has {len(line)} characters", f"at most {LONGEST_NOTE}", what=what, value=value
        )
    if not line.isprintable():
        raise InputError.of(what, value, "a text without characters that control the text")
    return line or None


def remark(value: Any) -> str:
    """A remark as it is stored: a text for people that is not empty."""
    found = note("the remark", value)
    if found is None:
        raise InputError("the remark is empty", "a text", what="text", value=value)
    return found


def composed(text: Any) -> Any:
    """A text with each letter and its accents in one character (NFC), so that equal names are equal texts."""
    return unicodedata.normalize("NFC", text) if isinstance(text, str) else text


def spellings(known: Iterable[str]) -> dict[str, str]:
    """Stored names by how they may be spelled: as they are stored, which comes first, or composed.

    Stores of earlier versions may hold names that are not composed.
    """
    stored = list(known)
    return {composed(each): each for each in stored} | {each: each for each in stored}


def stored_as(given: Any, spelled: Mapping[str, str]) -> str | None:
    """The stored name that is meant; None if there is none."""
    return spelled.get(given) or spelled.get(composed(given)) if isinstance(given, str) else None


def did_you_mean(given: Any, known: Iterable[str]) -> str:
    """A question that names what was probably meant: it differs in case, or in a letter or two.

    >>> did_you_mean("dokc", ["Dock", "Gate"]), did_you_mean("Shed", ["Dock", "Gate"])
    ('Did you mean Dock?', '')
    """
    if not isinstance(given, str):
        return ""
    wanted = composed(given).casefold()
    most = 2 if len(wanted) > 3 else len(wanted) // 2
    distances = {each: _distance(wanted, composed(each).casefold(), most) for each in known}
    nearest = min(distances.values(), default=most + 1)
    if nearest > most:
        return ""
    return f"Did you mean {' or '.join([each for each in distances if distances[each] == nearest][:3])}?"


def unknown(wrong: str, given: Any, known: Iterable[str], expected: str, *, what: str) -> NotFoundError:
    """The error for a name that is not known: with the name that was probably meant, or what was expected."""
    meant = did_you_mean(given, known)
    sentence, rest = (f"{wrong}. {meant}", "") if meant else (wrong, expected)
    return NotFoundError(sentence, rest, what=what, value=given)


def _distance(one: str, other: str, most: int) -> int:
    """How many letters to insert, delete, replace or swap with the next; more than `most` if it is more."""
    if abs(len(one) - len(other)) > most or len(set(one) ^ set(other)) > 2 * most:
        return most + 1
    before = above = row = list(range(len(other) + 1))
    for i, letter in enumerate(one):
        before, above, row = above, row, [i + 1]
        for j, wanted in enumerate(other):
            found = min(above[j] + (letter != wanted), above[j + 1] + 1, row[j] + 1)
            if i and j and letter == other[j - 1] and one[i - 1] == wanted:
                found = min(found, before[j - 1] + 1)
            row.append(found)
        if min(row) > most:
            return most + 1
    return row[-1]


def checked_name(what: str, value: Any) -> str:
    """A name exactly as it was given or stored, if it can be one."""
    if not isinstance(value, str) or not value.strip():
        raise InputError.of(what, value, "a name")
    if value.startswith(FORMULA):
        raise InputError.of(what, value, NO_FORMULA)
    if value != value.strip() or len(value) > LONGEST_STORED or not value.isprintable():
        raise InputError.of(
            what,
            value,
            f"a name of at most {LONGEST} characters on one line, with no space around it and no characters "
            "that control the text",
        )
    return value


def author(value: Any) -> str:
    """Who does something: as given, or whoever is logged in. Names of tokens were checked once."""
    if value is not None:
        return _composed_name("author", value)
    try:
        return name("author", getpass.getuser())
    except (OSError, KeyError, ImportError, InputError):
        return "unknown"


def timezone(value: Any) -> str:
    """A time zone's name: as given, or this machine's, or UTC."""
    if value is None:
        return next((zone for zone in _local_zones() if _known(zone)), "UTC")
    if not _known(checked_zone(value)):
        raise InputError.of("timezone", value, ZONE_EXPECTED)
    return str(value)


def checked_zone(value: Any) -> str:
    """A text that has the form of a time zone's name; machines differ in which zones they know."""
    if not isinstance(value, str) or not ZONE.fullmatch(value):
        raise InputError.of("timezone", value, ZONE_EXPECTED)
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


def zone(timezone: str) -> tzinfo:
    """The time zone of a name; UTC if this machine does not know it."""
    return ZoneInfo(timezone) if _known(timezone) else UTC


def today(timezone: str, starts: str | None = None) -> date:
    """The date in a time zone; before the time at which days start, it is still the date before."""
    if not _known(timezone):
        raise InputError.of("timezone", timezone, f"{ZONE_EXPECTED}, or a date")
    return day_of(now(), timezone, starts)


def clock_time(what: str, value: Any) -> str:
    """A time of the day as it is stored, such as 06:00."""
    found = CLOCK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise InputError.of(what, value, "a time of the day such as 06:00")
    return f"{int(found[1]):02}:{found[2]}"


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def day(what: str, value: Any, timezone: str | None = None, starts: str | None = None) -> date:
    """A civil date: as given, or today's in a time zone in which days start at a time such as 06:00.

    Where there is a time zone, texts such as "yesterday" are dates, too.
    """
    word = "today" if value is None else value.strip().lower() if isinstance(value, str) else ""
    expected = EXPECTED if timezone is None else f"{EXPECTED}, or {', '.join(DAYS)}"
    if word in DAYS and timezone is not None:
        return today(timezone, starts) + timedelta(days=DAYS[word])
    if isinstance(value, datetime):
        raise InputError.of(what, value, "a date without a time")
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        return date_in(value, what=what, expected=expected)
    raise InputError.of(what, value, expected)


def stored_day(what: str, value: Any) -> date:
    """A civil date as events hold it."""
    found = day(what, value)
    if value != found.isoformat():
        raise InputError.of(what, value, EXPECTED)
    return found
