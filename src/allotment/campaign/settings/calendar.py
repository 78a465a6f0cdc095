"""The calendar: which situations a date has. The first rule that fits decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from allotment.campaign.forms import names
from allotment.errors import ConflictError, InputError, shown
from allotment.system.files import AnyPath
from allotment.worlds.world_files import read_table

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
SHORTEST_DAY, SHORTEST_MONTH = 2, 3  # letters that tell days and months apart
MOST = 1000  # rules of a calendar, and values of a condition
CONDITIONS = ("days", "months", "period", "dates")
EXPECTED = (
    'rules and a default, such as {"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}], '
    '"default": "weekday"}'
)


@dataclass(frozen=True)
class Rule:
    """Conditions of a date, all of which must hold, and the situations that it then has, in order.

    An empty condition holds on every date.
    """

    situations: tuple[int, ...]
    days: tuple[int, ...] = ()  # of the week; Monday is 0
    months: tuple[int, ...] = ()
    period: tuple[date, date] | None = None  # its first and its last day
    dates: tuple[date, ...] = ()

    def fits(self, day: date) -> bool:
        """Whether all conditions hold on a date."""
        return (
            (not self.days or day.weekday() in self.days)
            and (not self.months or day.month in self.months)
            and (self.period is None or self.period[0] <= day <= self.period[1])
            and (not self.dates or day in self.dates)
        )

    def to_dict(self, called: Callable[[int], str]) -> dict[str, Any]:
        """The rule as plain data, by the names of situations; `called` gives them."""
        conditions = {
            "days": [DAYS[each] for each in self.days],
            "months": [MONTHS[each - 1] for each in self.months],
            "period": [] if self.period is None else [each.isoformat() for each in self.period],
            "dates": [each.isoformat() for each in self.dates],
        }
        set_ones = {name: values for name, values in conditions.items() if values}
        return {**set_ones, "situations": [called(each) for each in self.situations]}


@dataclass(frozen=True)
class Calendar:
    """Rules in order, and the situations of all other dates."""

    rules: tuple[Rule, ...] = ()
    default: tuple[int, ...] = ()  # empty: all situations, in order

    def situations_on(self, day: date) -> tuple[int, ...]:
        """The situations of a date, in order; empty for all of them."""
        return next((rule.situations for rule in self.rules if rule.fits(day)), self.default)

    def to_dict(self, called: Callable[[int], str]) -> dict[str, Any]:
        """The calendar as plain data, by the names of situations; `called` gives them."""
        default = {"default": [called(each) for each in self.default]} if self.default else {}
        return {"rules": [rule.to_dict(called) for rule in self.rules], **default}

    @classmethod
    def of(cls, given: Any, find: Callable[[Any], int]) -> "Calendar":
        """The calendar that plain data describes; `find` gives the number of a situation by its name."""
        if not isinstance(given, Mapping):
            raise InputError.of("calendar", given, EXPECTED)
        _check_keys("the calendar", given, ("rules", "default"))
        rules = given.get("rules", ())
        if not isinstance(rules, list | tuple) or len(rules) > MOST:
            raise InputError.of("rules of the calendar", rules, f"a list of at most {MOST} rules")
        read = tuple(
            _rule(f"rule {number} of the calendar", each, find) for number, each in enumerate(rules, 1)
        )
        default = given.get("default")
        found = () if default is None else _situations("the default of the calendar", default, find)
        return cls(read, found)


def read_calendar(path: AnyPath) -> Any:
    """The plain data of a calendar in a TOML file; a campaign checks it against its situations."""
    return read_table(path, lambda content: content)


def _rule(what: str, given: Any, find: Callable[[Any], int]) -> Rule:
    if not isinstance(given, Mapping):
        raise InputError.of(what, given, f"situations, and one or more of {', '.join(CONDITIONS)}")
    _check_keys(what, given, (*CONDITIONS, "situations"))
    if not any(name in given for name in CONDITIONS):
        raise InputError(
            f"{what} has no condition",
            f"{', '.join(CONDITIONS)}; or `default` for all other dates",
            what=what,
        )
    if "situations" not in given:
        raise InputError(f"{what} has no situations", "the name of one, or several in order", what=what)
    period = given.get("period")
    days, months, dates = (
        _values(f"{name} of {what}", given.get(name)) for name in ("days", "months", "dates")
    )
    return Rule(
        situations=_situations(f"situations of {what}", given["situations"], find),
        days=tuple(sorted({_day(f"a day of {what}", each) for each in days})),
        months=tuple(sorted({_month(f"a month of {what}", each) for each in months})),
        period=None if period is None else _period(f"period of {what}", period),
        dates=tuple(sorted({names.day(f"a date of {what}", each) for each in dates})),
    )


def _check_keys(what: str, given: Mapping[Any, Any], known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            raise InputError(f"{what} has {shown(key)}", f"only {', '.join(known)}", what=what, value=key)


def _values(what: str, given: Any) -> list[Any]:
    """The values of a condition, of which there is at least one; none if the condition is not set."""
    if given is None:
        return []
    values = [given] if isinstance(given, str | int | date) else given
    if not isinstance(values, list | tuple) or not 0 < len(values) <= MOST:
        raise InputError.of(what, given, f"a list of 1 to {MOST}")
    return list(values)


def _situations(what: str, given: Any, find: Callable[[Any], int]) -> tuple[int, ...]:
    called = [given] if isinstance(given, str) else given
    if not isinstance(called, list | tuple) or not called:
        raise InputError.of(what, given, "the name of a situation, or several in order")
    try:
        found = tuple(find(each) for each in called)
    except InputError as error:
        raise error.within(what) from None
    if len(set(found)) < len(found):
        raise ConflictError(f"{what} name a situation twice", "each once", what=what, value=given)
    return found


def _day(what: str, given: Any) -> int:
    return _by_name(what, given, DAYS, SHORTEST_DAY, "a day of the week, such as Sat or Saturday")


def _month(what: str, given: Any) -> int:
    expected = "a month: 1 to 12, or its name, such as Jul or July"
    if isinstance(given, int) and not isinstance(given, bool):
        if not 1 <= given <= len(MONTHS):
            raise InputError.of(what, given, expected)
        return given
    return 1 + _by_name(what, given, MONTHS, SHORTEST_MONTH, expected)


def _by_name(what: str, given: Any, known: tuple[str, ...], shortest: int, expected: str) -> int:
    """The position of a name, which may be cut short."""
    text = given.strip().casefold() if isinstance(given, str) else ""
    for position, name in enumerate(known):
        if len(text) >= shortest and name.casefold().startswith(text):
            return position
    raise InputError.of(what, given, expected)


def _period(what: str, given: Any) -> tuple[date, date]:
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise InputError.of(what, given, "its first and its last day")
    first, last = (names.day(what, each) for each in given)
    if last < first:
        raise InputError.of(what, f"{first} to {last}", "a first day that is not after the last")
    return first, last
