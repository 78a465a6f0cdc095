"""Changes of settings: check a change, turn it into plain data, and apply it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import written
from allotment.campaign.forms.payloads import TEXT, column, keyed, mapping
from allotment.campaign.forms.shapes import check_vertices, checked_geometry, shapes_by_name
from allotment.campaign.settings.arms import Arm, Group, setting
from allotment.campaign.settings.control import Control, control_given
from allotment.campaign.settings.grouping import group_name, groups_given
from allotment.campaign.settings.settings import Settings, day_start, moves_setting
from allotment.campaign.settings.situation_bounds import (
    budgets_given,
    split,
    with_budget,
    with_common_bound,
    with_own_bounds,
)
from allotment.campaign.settings.situations import BOUNDS
from allotment.errors import ConflictError, InputError, shown

PER_ARM = {"most": "most", "least": "least", "crew": "crew"}  # settings, and what an arm calls them
PER_ARM |= {"severities": "severity", "thresholds": "threshold"}
LEAST_SEVERITY = Decimal("1e-9")
CHANGEABLE = ("budget", "unit", "scale", "half_life", *PER_ARM, "groups", "shapes", "day_starts", "moves")
CHANGEABLE += ("situations", "calendar", "control")


def new_arm(settings: Settings, name: Any, *, most: Any, least: Any, severity: Any, **rest: Any) -> Arm:
    """An arm to be added."""
    called = names.name("a place's name", name)
    settings.check_free(called)
    group, threshold, shape, crew = rest["group"], rest["threshold"], rest["shape"], rest["crew"]
    return Arm(
        called,
        setting("most", most),
        setting("least", least),
        setting("severity", severity),
        None if group is None else group_name(settings, group),
        None if threshold is None else setting("threshold", threshold),
        _new_shape(settings, called, shape),
        crew=Decimal(0) if crew is None else setting("crew", crew),
    )


def _new_shape(settings: Settings, name: str, shape: Any) -> Any:
    if shape is None:
        return None
    found = shapes_by_name({name: shape}, (name,))[name]
    before = [arm.shape for arm in settings.arms]
    check_vertices([*before, found], before)
    return found


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
    if not given:
        raise InputError("no setting to change is given", f"one of {', '.join(CHANGEABLE)}", what="settings")
    found: dict[str, Any] = {}
    called = tuple(arm.name for arm in settings.arms)
    situations = settings.situations
    if "situations" in given:  # other settings may name the new ones
        situations = situations.with_names(situations.listed(given["situations"]))
        settings = replace(settings, situations=situations)
    for what, value in given.items():
        if what not in CHANGEABLE:
            raise InputError(
                f"{shown(what)} cannot be changed", f"one of {', '.join(CHANGEABLE)}", what=what, value=value
            )
        if what == "situations":
            found[what] = list(situations.names)
        elif what == "calendar":
            found[what] = situations.with_calendar(value).calendar_data()
        elif what == "budget":
            found[what] = budgets_given(value, situations)
        elif what in PER_ARM:
            found[what] = _per_arm(settings, what, value)
        elif what == "groups":
            found[what] = groups_given(value, settings)
        elif what == "shapes":
            found[what] = shapes_by_name(value, called)
            before = {arm.name: arm.shape for arm in settings.arms}
            check_vertices({**before, **found[what]}.values(), before.values())
        elif what == "half_life" and value is None:
            found[what] = None
        elif what == "day_starts":
            found[what] = day_start(value)
        elif what == "moves":
            found[what] = moves_setting(value)
        elif what == "control":
            found[what] = control_given(settings, value)
        else:
            found[what] = written(setting(what, value))
    return found


def _per_arm(settings: Settings, what: str, value: Any) -> dict[str, Any]:
    own: dict[int, Any] = {}
    if what in BOUNDS:
        value, own = split(what, value, settings.situations)
    tables = {
        settings.situations.names[number]: _of_arms(settings, what, each) for number, each in own.items()
    }
    return {**_of_arms(settings, what, value), **tables}


def _of_arms(settings: Settings, what: str, value: Any) -> dict[str, str | None]:
    if not isinstance(value, Mapping):
        value = {arm.name: value for arm in settings.arms}
    optional = what == "thresholds"
    arms = [settings.find(name) for name in value]
    if len(set(arms)) < len(arms):
        raise ConflictError(f"{what} names a place twice, by two of its names", "each place once", what=what)
    return {
        settings.arms[settings.find(name)].name: None
        if each is None and optional
        else written(setting(what, each, f" of {name!r}"))
        for name, each in value.items()
    }


def changed(settings: Settings, change: Mapping[str, Any]) -> Settings:
    """Settings after a change in plain data."""
    keyed("the change", change, (), CHANGEABLE)
    situations = settings.situations
    if "situations" in change:
        situations = situations.with_names(tuple(column("situations", change["situations"], TEXT)))
    if "calendar" in change:
        situations = situations.with_calendar(change["calendar"])
    settings = replace(settings, situations=situations)
    arms = list(settings.arms)
    values: dict[str, Any] = {
        what: None if value is None and what == "half_life" else setting(what, value)
        for what, value in change.items()
        if what in ("unit", "scale", "half_life")
    }
    if "day_starts" in change:
        values["day_starts"] = day_start(change["day_starts"])
    if "moves" in change:
        values["moves"] = moves_setting(change["moves"])
    if "control" in change:
        stored = change["control"]
        values["control"] = None if stored is None else Control.from_dict(stored, settings.aliases)
    for what, place in PER_ARM.items():
        for name, value in mapping(what, change.get(what, {})).items():
            if isinstance(value, dict):  # of a situation
                continue
            number = settings.aliases[name]
            values_of_arm: dict[str, Any] = {
                place: None if value is None and what == "thresholds" else setting(what, value)
            }
            arms[number] = replace(arms[number], **values_of_arm)
    for name, shape in mapping("shapes", change.get("shapes", {})).items():
        number = settings.aliases[name]
        arms[number] = replace(arms[number], shape=checked_geometry(name, shape))
    if "groups" in change:
        values["groups"], member = {}, dict[int, str]()
        for name, content in mapping("groups", change["groups"]).items():
            group = keyed(f"group {shown(name)}", content, ("arms", "least", "most"))
            values["groups"][names.checked_name("a group's name", name)] = Group.from_dict(group)
            member |= {settings.aliases[arm]: name for arm in column("arms", group["arms"], TEXT)}
        arms = [replace(arm, group=member.get(number)) for number, arm in enumerate(arms)]
    return _with_situation_bounds(replace(settings, arms=tuple(arms), **values), change)


def _with_situation_bounds(settings: Settings, change: Mapping[str, Any]) -> Settings:
    """Settings after the part of a change that may differ by situation."""
    if "budget" in change:
        settings = with_budget(settings, change["budget"])
    for what in BOUNDS:
        table = change.get(what, {})
        own = {name: value for name, value in table.items() if isinstance(value, dict)}
        settings = with_common_bound(
            settings, what, {settings.aliases[name] for name in table if name not in own}
        )
        settings = with_own_bounds(settings, what, own)
    return settings


def _added(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    return settings.with_new_arm(Arm.from_dict(keyed("the change", payload, ("arm",))["arm"]))


def _renamed(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    keyed("the change", payload, ("old", "new"))
    new = names.checked_name("a place's name", payload["new"])
    return settings.renamed(settings.aliases[payload["old"]], new)


def _situation_renamed(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    keyed("the change", payload, ("old", "new"))
    new, situations = names.checked_name("a situation's name", payload["new"]), settings.situations
    return replace(settings, situations=situations.renamed(situations.aliases[payload["old"]], new))


def _activated(settings: Settings, payload: Mapping[str, Any], *, active: bool) -> Settings:
    return settings.with_arm(settings.aliases[keyed("the change", payload, ("arm",))["arm"]], active=active)


APPLY: dict[str, Callable[[Settings, Mapping[str, Any]], Settings]] = {
    "arm added": _added,
    "arm renamed": _renamed,
    "arm retired": partial(_activated, active=False),
    "arm restored": partial(_activated, active=True),
    "situation renamed": _situation_renamed,
    "changed": lambda settings, payload: changed(
        settings, keyed("the change", payload, ("settings",))["settings"]
    ),
}
