"""Settings and situations in words."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from allotment.campaign.forms.amounts import listed, written
from allotment.campaign.settings.calendar import DAYS, MONTHS, MOST, Rule
from allotment.campaign.settings.sentences import one_or_each
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situations import BOUNDS, Situations
from allotment.campaign.settings.specification import SETTINGS

SITUATION_COLUMNS = ("situation", "budget", "next date", "bounds of its own")
SHOWN = 8  # dates of a rule where the whole calendar is described
AHEAD = 731  # days in which the next date of a situation is looked for
READ_AGAIN = "Rounds whose situation followed from their date are read again. The history stays as it is."
Fact = tuple[str, str, str, str | None]  # what differs, its old and its new value, and its place if any


def calendar_words(situations: Situations, *, all_dates: bool = False) -> str:
    """The calendar in one line, rule by rule. Without `all_dates`, a rule names the first of many dates."""
    calendar = situations.calendar
    if calendar is None:
        return "none"

    def called(numbers: tuple[int, ...]) -> str:
        return ", ".join(situations.names[number] for number in numbers)

    most = MOST if all_dates else SHOWN
    rules = [f"{_conditions(rule, most)}: {called(rule.situations)}" for rule in calendar.rules]
    return "; ".join([*rules, f"otherwise: {called(calendar.default or tuple(situations.numbers))}"])


def calendar_sentence(situations: Situations) -> str:
    """The calendar, or that there is none, in a sentence."""
    if situations.calendar is None:
        return "No calendar: every date has all situations, in this order."
    return f"Calendar: {calendar_words(situations)}."


def situation_sentences(settings: Settings) -> list[str]:
    """Which situations there are, and when; nothing if there are none."""
    situations = settings.situations
    if not situations:
        return []
    return [f"Situations: {', '.join(situations.names)}.", calendar_sentence(situations)]


def budget_words(settings: Settings) -> str:
    """The budget of a round: one number, or the budget of each situation if they differ."""
    budgets = {name: written(within.budget) for name, within in _by_name(settings)}
    return one_or_each(budgets, written(settings.budget))


def situation_rows(settings: Settings) -> list[tuple[str, str, str, str]]:
    """A row for each situation: its name, its budget, its next date and the bounds that are its own."""
    today = settings.day()
    days = [today + timedelta(days=each) for each in range(min(AHEAD, (date.max - today).days))]
    first: dict[int, date] = {}
    for day in days:
        for number in settings.situations.on(day):
            first.setdefault(number, day)
    return [
        (name, written(within.budget), str(first.get(number, "")), _own_bounds(settings, number))
        for number, (name, within) in enumerate(_by_name(settings))
    ]


def bounds_by_situation(settings: Settings) -> list[str]:
    """The most and least of places that hold in one situation only, a sentence for each situation."""
    found = [(name, _own_bounds(settings, number)) for number, name in enumerate(settings.situations.names)]
    return [f"In {name} only: {bounds}." for name, bounds in found if bounds]


def _by_name(settings: Settings) -> Iterator[tuple[str, Settings]]:
    """The settings within each situation that has a name."""
    for number, name in enumerate(settings.situations.names):
        yield name, settings.within(number)


def _own_bounds(settings: Settings, number: int) -> str:
    own = settings.situations.own.get(number)
    if own is None:
        return ""
    said = [
        f"{settings.arms[arm].name} {what} {written(value)}"
        for what in BOUNDS
        for arm, value in getattr(own, what).items()
    ]
    return listed(said)


def _conditions(rule: Rule, most: int) -> str:
    said = [", ".join(DAYS[day] for day in rule.days), ", ".join(MONTHS[month - 1] for month in rule.months)]
    said.append("" if rule.period is None else f"{rule.period[0]} to {rule.period[1]}")
    said.append(listed(rule.dates, most))
    return " and ".join(filter(None, said))


def situations_that_differ(before: Settings, after: Settings) -> Iterator[Fact]:
    """The situations, the calendar and the bounds by situation that differ between settings."""
    was, now = before.situations, after.situations
    names = [", ".join(each.names) or "none" for each in (was, now)]
    if names[0] != names[1]:
        yield "situations", names[0], names[1], None
    if was.calendar != now.calendar:
        calendars = [calendar_words(each, all_dates=True) for each in (was, now)]
        yield "calendar", calendars[0], calendars[1], None
    for number in sorted({*was.own, *now.own}):
        budgets = [written(each.within(number).budget) for each in (before, after)]
        if budgets[0] != budgets[1]:
            yield f"budget in {now.names[number]}", budgets[0], budgets[1], None
    for arm in range(len(before.arms)):
        yield from own_bounds_that_differ(before, after, arm)


def own_bounds_that_differ(before: Settings, after: Settings, arm: int) -> Iterator[Fact]:
    """The most and least of a place that differ by situation, and from what they were."""
    was, now = before.situations.own, after.situations.own
    name = after.arms[arm].name
    for what in BOUNDS:
        for number in sorted({*was, *now}):
            if not any(arm in getattr(own[number], what) for own in (was, now) if number in own):
                continue
            values = [written(getattr(each.within(number).arms[arm], what)) for each in (before, after)]
            if values[0] != values[1]:
                yield f"{what} of {name} in {after.situations.names[number]}", values[0], values[1], name


def meaning_of_situations(before: Settings, after: Settings) -> list[str]:
    """What a change of situations, of the calendar or of bounds by situation means, in sentences."""
    was, now = before.situations, after.situations
    said = []
    new = now.names[len(was.names) :]
    if new:
        said.append(f"Plans and reports distinguish these situations: {', '.join(now.names)}.")
    said += _earlier_reports(was, now)
    if was.calendar != now.calendar:
        said.append(f"The calendar becomes: {calendar_words(now, all_dates=True)}. {READ_AGAIN}")
    said += _budgets_of_new(before, after)
    named = ("situations", "calendar")
    facts = [each for each in situations_that_differ(before, after) if each[0] not in named]
    return [*said, *(f"{what[0].upper()}{what[1:]}: {value} (now {old})." for what, old, value, _ in facts)]


def effects_on_situations(before: Settings, after: Settings) -> list[str]:
    """What a change of situations or of the calendar does beyond the settings that it names, in sentences."""
    was, now = before.situations, after.situations
    read_again = [READ_AGAIN] if was and was.calendar != now.calendar else []
    return [*_earlier_reports(was, now), *read_again, *_budgets_of_new(before, after)]


def _earlier_reports(was: Situations, now: Situations) -> list[str]:
    """Which of the first situations the earlier reports belong to."""
    if was or not now:
        return []
    return [
        "Earlier reports belong to the situation that the calendar gives to their date, and to "
        f"{now.names[0]} where a date has several."
    ]


def _budgets_of_new(before: Settings, after: Settings) -> list[str]:
    """The budgets of new situations that the change does not name, where budgets differ by situation."""
    by_number = [after.within(number).budget for number in after.situations.numbers]
    if len(set(by_number)) < 2:
        return []
    new = range(len(before.situations.names), len(by_number))
    own = after.situations.own
    return [
        f"The budget in {after.situations.names[number]} is {written(by_number[number])}."
        for number in new
        if number not in own or own[number].budget is None
    ]


def settings_in_words(settings: Settings) -> dict[str, Any]:
    """The settings that plans depend on, for people."""
    found = {each.label: each.words(settings) for each in SETTINGS if each.words is not None}
    return {label: words for label, words in found.items() if words is not None}
