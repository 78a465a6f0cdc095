"""The first settings of a campaign, and their changes: check one, turn it into plain data, apply it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import units_to_reach, written
from allotment.campaign.forms.payloads import keyed
from allotment.campaign.settings.all_values import VALUES
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.campaign_policy import checked_policy
from allotment.campaign.settings.grouping import arm_names
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situation_bounds import without_repeated_bounds
from allotment.campaign.settings.specification import BY_NAME, CHANGEABLE, OF_ARMS, SETTINGS, Needed
from allotment.campaign.settings.values import Start
from allotment.errors import ConflictError, InputError, shown

LEAST_SEVERITY = Decimal("1e-9")
NAMED_FIRST = [each.name for each in SETTINGS if each.named_first]
ORDER = {name: number for number, name in enumerate(dict.fromkeys([*NAMED_FIRST, *VALUES]))}  # of one change


def new_arm(settings: Settings, name: Any, given: Mapping[str, Any]) -> Arm:
    """An arm to be added, from values by the attributes of arms."""
    called = names.name("a place's name", name)
    settings.check_free(called)
    values = {
        name: VALUES[each.name].of_new(settings, called, given[name])
        for name, each in OF_ARMS.items()
        if given[name] is not None or each.new_default is not None
    }
    return Arm(called, **values)


def check_usable_amounts(after: Settings, before: Settings | None = None) -> None:
    """Raise an error if a request makes a place that can never get a unit; a most of 0 says so on purpose.

    Places that were like that before the request stay as they are: older versions accepted them.
    """
    for situation, (where, settings) in enumerate(after.each_situation()):
        earlier = None if before is None else before.within(situation)
        for number, arm in enumerate(settings.arms):
            if not arm.active or not 0 < arm.most < after.unit:
                continue
            if earlier is None or number >= len(earlier.arms) or _differs(earlier, settings, number):
                raise ConflictError(
                    f"the unit is {written(after.unit)}, and the most of {arm.name!r}{where} is "
                    f"{written(arm.most)}",
                    "a unit that is not larger than the most of any place, or a most of 0",
                    what="unit",
                    value=after.unit,
                )


def check_severities(after: Settings, before: Settings | None = None) -> None:
    """Raise an error for new severities so small that their cost is nothing beside that of other losses.

    Severities that a place had before the request stay as they are: older versions accepted them.
    """
    known = () if before is None else before.arms
    for number, arm in enumerate(after.arms):
        is_new = number >= len(known) or known[number].severity != arm.severity
        if is_new and arm.severity < LEAST_SEVERITY:
            expected = f"at least {LEAST_SEVERITY:f}; a usual loss has severity 1"
            raise InputError.of(f"the severity of {arm.name!r}", arm.severity, expected)


def _differs(before: Settings, after: Settings, number: int) -> bool:
    return (before.unit, before.arms[number].most) != (after.unit, after.arms[number].most)


def change_of(settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """A change in the user's words as plain data, every name in it known."""
    expected = f"one of {', '.join(each.name for each in CHANGEABLE)}"
    if not given:
        raise InputError("no setting to change is given", expected, what="settings")
    found: dict[str, Any] = {}
    for each in NAMED_FIRST:
        if each in given:
            found[each] = VALUES[each].given(settings, given[each])
            settings = VALUES[each].applied(settings, found[each])
    for what, value in given.items():
        if what not in BY_NAME or not BY_NAME[what].changeable:
            raise InputError(f"{shown(what)} cannot be changed", expected, what=what, value=value)
        if what not in found:
            found[what] = VALUES[what].given(settings, value)
    return found


def changed(settings: Settings, change: Mapping[str, Any]) -> Settings:
    """Settings after a change in plain data."""
    keyed("the change", change, (), [each.name for each in CHANGEABLE])
    for each in sorted(change, key=ORDER.__getitem__):
        settings = VALUES[each].applied(settings, change[each])
    return without_repeated_bounds(settings)


def first_settings(name: Any, *, arms: Any, **given: Any) -> Settings:
    """The settings that a campaign begins with, from values by the names of settings."""
    start = Start(arm_names(arms))
    missing = [each.name for each in SETTINGS if each.default is Needed and each.name not in given]
    if missing or given.keys() - ORDER.keys():
        raise TypeError(f"settings {missing or sorted(given.keys() - ORDER.keys())}")
    defaults = {each.name: each.default for each in SETTINGS}
    for each in ORDER:
        VALUES[each].begin(start, given.get(each, defaults[each]))
    if "scale" not in start.fields:
        start.fields["scale"] = _reach(start)
    begun = Settings(
        name=names.name("the campaign's name", name),
        arms=tuple(
            Arm(each, **{of_arm: table[each] for of_arm, table in start.tables.items() if each in table})
            for each in start.called
        ),
        aliases={each: number for number, each in enumerate(start.called)},
        situations=start.situations,
        **start.fields,
    )
    later = {what: VALUES[what].given(begun, value) for what, value in start.later.items()}
    return changed(begun, {what: value for what, value in later.items() if value}).checked()


def _reach(start: Start) -> Decimal:
    """The largest amount that a place can get, up to whole units."""
    own = [Decimal(each) for table in start.later.get("most", {}).values() for each in table.values()]
    largest = max([*start.tables["most"].values(), *own])
    unit: Decimal = start.fields["unit"]
    return max(units_to_reach(largest, unit), 1) * unit


def check_usable(settings: Settings) -> None:
    """Raise an error if this machine cannot plan with stored settings: it may know fewer time zones."""
    names.timezone(settings.timezone)
    checked_policy(settings.policy)
