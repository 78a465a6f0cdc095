"""Budget, most and least by situation: how a request gives them, and how settings keep them.

A plain number or table means all situations. In a table, a situation's name leads to what differs there.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from allotment.campaign.forms.amounts import per_name, written
from allotment.campaign.forms.payloads import mapping
from allotment.campaign.settings.arms import setting
from allotment.campaign.settings.situations import BOUNDS, OwnBounds, Situations
from allotment.errors import ConflictError, InputError

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings


def split(what: str, given: Any, situations: Situations) -> tuple[Any, dict[int, Any]]:
    """What a value says of all situations, and what it says of each by its number."""
    if not isinstance(given, Mapping):
        return given, {}
    common: dict[Any, Any] = {}
    own: dict[int, Any] = {}
    for name, value in given.items():
        number = situations.find(name) if isinstance(value, Mapping) else situations.known(name)
        if number is None:
            common[name] = value
        elif number in own:
            raise ConflictError(f"{what} names situation {name!r} twice", "each once", what=what, value=name)
        else:
            own[number] = value
    return common, own


def situation_of_change(changes: Mapping[str, Any], settings: "Settings", day: date) -> str | None:
    """The situation that shows a change which names situations: the first one of the date, if it is named.

    None if the change names no situation.
    """
    situations, named = settings.situations, dict[int, Any]()
    for what in ("budget", *BOUNDS):
        named |= split(what, changes.get(what), situations)[1]
    return next((situations.names[each] for each in (*situations.on(day), *named) if each in named), None)


def budgets_given(given: Any, situations: Situations) -> str | dict[str, str]:
    """A budget as plain data: for all situations, or by their names."""
    common, own = split("budget", given, situations)
    if not isinstance(given, Mapping):
        return written(setting("budget", given))
    if common or not own:
        for name in common:
            situations.find(name)
        raise InputError.of("budget", given, "a number, or numbers by situation")
    return {
        situations.names[number]: written(setting("budget", value, f" in {situations.names[number]}"))
        for number, value in own.items()
    }


def first_budget(given: Any, situations: Situations) -> tuple[Decimal, dict[str, str]]:
    """The budget that a campaign begins with, and the budgets by situation; all of them must be named."""
    found = budgets_given(given, situations)
    if isinstance(found, str):
        return setting("budget", found), {}
    for name in situations.names:
        if name not in found:
            raise InputError(
                f"the budget in {name} is missing", "a budget for every situation", what="budget", value=name
            )
    return setting("budget", found[situations.names[0]]), found


def first_bounds(
    what: str, given: Any, called: tuple[str, ...], situations: Situations, default: Decimal | None
) -> tuple[dict[str, Decimal], dict[str, dict[str, str]]]:
    """The most or least of each arm, and what differs by situation, that a campaign begins with.

    An arm that only situations name has, for all of them, the value of the first.
    """
    common, own = split(what, given, situations)
    tables = {
        number: per_name(f"{what} in {situations.names[number]}", value, called, None)
        for number, value in own.items()
    }
    found = per_name(what, common, called, default)
    for name in called:
        if name not in found and all(name in tables.get(number, ()) for number in situations.numbers):
            found[name] = tables[0][name]
    by_name = {
        situations.names[number]: {name: written(value) for name, value in table.items()}
        for number, table in tables.items()
    }
    return found, by_name


def with_budget(settings: "Settings", change: Any) -> "Settings":
    """Settings with another budget: for all situations, or by their names."""
    if not isinstance(change, Mapping):
        own = {number: replace(each, budget=None) for number, each in settings.situations.own.items()}
        return _with_own(replace(settings, budget=setting("budget", change)), own)
    own = dict(settings.situations.own)
    for name, value in change.items():
        number, budget = settings.situations.aliases[name], setting("budget", value)
        own[number] = replace(own.get(number, OwnBounds()), budget=budget)
    return _with_own(settings, own)


def with_common_bound(settings: "Settings", what: str, arms: set[int]) -> "Settings":
    """Settings in which the most or least of some arms is the same in all situations."""
    own = {}
    for number, each in settings.situations.own.items():
        kept = {arm: value for arm, value in getattr(each, what).items() if arm not in arms}
        tables: dict[str, Any] = {what: kept}
        own[number] = replace(each, **tables)
    return _with_own(settings, own)


def with_own_bounds(settings: "Settings", what: str, change: Mapping[str, Any]) -> "Settings":
    """Settings with another most or least of some arms in some situations."""
    own = dict(settings.situations.own)
    for name, table in change.items():
        number = settings.situations.aliases[name]
        before = own.get(number, OwnBounds())
        new = {settings.aliases[arm]: setting(what, value) for arm, value in mapping(what, table).items()}
        tables: dict[str, Any] = {what: {**getattr(before, what), **new}}
        own[number] = replace(before, **tables)
    return _with_own(settings, own)


def without_repeated_bounds(settings: "Settings") -> "Settings":
    """Settings in which a situation holds no bound that all situations have."""
    return _with_own(settings, settings.situations.own)


def _with_own(settings: "Settings", own: Mapping[int, OwnBounds]) -> "Settings":
    """Settings with the bounds of situations, as far as they differ from the bounds of all."""
    found: dict[int, OwnBounds] = {}
    for number, each in own.items():
        budget = None if each.budget == settings.budget else each.budget
        tables = {
            what: {
                arm: value
                for arm, value in sorted(getattr(each, what).items())
                if value != getattr(settings.arms[arm], what)
            }
            for what in BOUNDS
        }
        bounds = OwnBounds(budget, **tables)
        if bounds != OwnBounds():
            found[number] = bounds
    return replace(settings, situations=replace(settings.situations, own=found))


def budget_now(settings: "Settings") -> str | dict[str, str]:
    """The budget as a change says it: one for all situations, or that of each if they differ."""
    budgets = {name: _written(settings, name, "budget") for name in settings.situations.names}
    same = all(each == written(settings.budget) for each in budgets.values())
    return written(settings.budget) if same else budgets


def new_budgets(settings: "Settings", change: Any) -> Any:
    """What of a change of the budget differs from the settings; empty if nothing does."""
    if not isinstance(change, Mapping):
        return "" if change == budget_now(settings) else change
    return {name: value for name, value in change.items() if value != _written(settings, name, "budget")}


def new_bounds(settings: "Settings", what: str, change: Mapping[str, Any]) -> dict[str, Any]:
    """What of a change of most or least differs from the settings; empty if nothing does."""
    found: dict[str, Any] = {}
    for name, value in change.items():
        if isinstance(value, Mapping):
            table = {arm: each for arm, each in value.items() if each != _written(settings, name, what, arm)}
            found |= {name: table} if table else {}
        elif any(
            value != _written(settings, each, what, name) for each in (None, *settings.situations.names)
        ):
            found[name] = value
    return found


def bounds_back(settings: "Settings", what: str, change: Mapping[str, Any]) -> dict[str, Any]:
    """The change that restores the most or least of all arms and situations that a change alters."""
    found: dict[str, Any] = {}
    for name, value in change.items():
        if isinstance(value, Mapping):
            found.setdefault(name, {}).update({arm: _written(settings, name, what, arm) for arm in value})
            continue
        found[name] = _written(settings, None, what, name)
        for number, own in settings.situations.own.items():
            if settings.aliases[name] in getattr(own, what):
                called = settings.situations.names[number]
                found.setdefault(called, {})[name] = _written(settings, called, what, name)
    return found


def _written(settings: "Settings", situation: str | None, what: str, arm: str | None = None) -> str:
    """The budget, or the most or least of an arm, in a situation or (None) in all that have no other."""
    within = settings
    if situation is not None and situation in settings.situations.aliases:  # a new one has nothing of its own
        within = settings.within(settings.situations.aliases[situation])
    return written(getattr(within if arm is None else within.arms[settings.aliases[arm]], what))
