"""Situations in words: the calendar, and what differs between the situations of two settings."""

from collections.abc import Iterator

from allotment.campaign.amounts import listed, written
from allotment.campaign.calendar import DAYS, MONTHS, Rule
from allotment.campaign.settings import Settings
from allotment.campaign.situations import BOUNDS, Situations

Fact = tuple[str, str, str, str | None]  # what differs, its old and its new value, and its place if any


def calendar_words(situations: Situations) -> str:
    """The calendar in one line, rule by rule."""
    calendar = situations.calendar
    if calendar is None:
        return "none"

    def called(numbers: tuple[int, ...]) -> str:
        return ", ".join(situations.names[number] for number in numbers)

    rules = [f"{_conditions(rule)}: {called(rule.situations)}" for rule in calendar.rules]
    return "; ".join([*rules, f"otherwise: {called(calendar.default or tuple(situations.numbers))}"])


def _conditions(rule: Rule) -> str:
    said = [", ".join(DAYS[day] for day in rule.days), ", ".join(MONTHS[month - 1] for month in rule.months)]
    said.append("" if rule.period is None else f"{rule.period[0]} to {rule.period[1]}")
    said.append(listed(rule.dates))
    return " and ".join(filter(None, said))


def situations_that_differ(before: Settings, after: Settings) -> Iterator[Fact]:
    """The situations, the calendar and the bounds by situation that differ between settings."""
    was, now = before.situations, after.situations
    names = [", ".join(each.names) or "none" for each in (was, now)]
    if names[0] != names[1]:
        yield "situations", names[0], names[1], None
    calendars = [calendar_words(each) for each in (was, now)]
    if calendars[0] != calendars[1]:
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
    if new and not was:
        said.append(
            "Earlier reports belong to the situation that the calendar gives to their date, and to "
            f"{now.names[0]} where a date has several."
        )
    if was.calendar != now.calendar:
        said.append(
            f"The calendar becomes: {calendar_words(now)}. Rounds whose situation followed from their date "
            "are read again. The history stays as it is."
        )
    named = ("situations", "calendar")
    facts = [each for each in situations_that_differ(before, after) if each[0] not in named]
    return [*said, *(f"{what[0].upper()}{what[1:]}: {value} (now {old})." for what, old, value, _ in facts)]
