"""Changes of settings: each is checked and put into plain words once, and then applied to the settings."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from allotment.campaign import names
from allotment.campaign.amounts import exact, exact_unit, per_name, units_to_reach, written
from allotment.campaign.decision import POLICY, policy_named
from allotment.campaign.settings import Arm, Group, Settings
from allotment.campaign.shapes import shapes_by_name
from allotment.checks import one_of, whole
from allotment.errors import ConflictError, InputError, shown
from allotment.worlds.world import KINDS, SEES

PER_ARM = {"most": "most", "least": "least", "severities": "severity", "thresholds": "threshold"}
CHANGEABLE = ("budget", "unit", "scale", "half_life", *PER_ARM, "groups", "shapes")


def first_settings(
    name: Any,
    *,
    arms: Any,
    budget: Any,
    unit: Any,
    most: Any,
    least: Any = 0,
    severities: Any = None,
    groups: Any = None,
    thresholds: Any = None,
    shapes: Any = None,
    sees: Any = "losses",
    losses: Any = "binary",
    half_life: Any = None,
    scale: Any = None,
    timezone: Any = None,
    policy: Any = POLICY,
    seed: Any = None,
) -> Settings:
    """The settings that a campaign begins with."""
    called = arm_names(arms)
    unit = exact_unit(unit)
    caps = per_name("most", most, called, None)
    for each in called:
        if each not in caps:
            raise InputError(
                f"there is no most of {each!r}", "the most that it can use", what="most", value=each
            )
    floors = per_name("least", least, called, Decimal(0))
    costs = per_name("severities", severities, called, Decimal(1))
    known = per_name("thresholds", thresholds, called, None)
    outlines = shapes_by_name(shapes, called)
    if scale is None:
        reach = max(units_to_reach(max(caps.values()), unit), 1) * unit
    else:
        reach = exact("scale", scale, above=True)
    begun = Settings(
        names.name("the campaign's name", name),
        tuple(
            Arm(each, caps[each], floors[each], costs[each], None, known.get(each), outlines.get(each))
            for each in called
        ),
        exact("budget", budget),
        unit,
        reach,
        {},
        one_of("sees", sees, SEES),
        one_of("losses", losses, KINDS),
        None if half_life is None else exact("half_life", half_life, above=True),
        names.timezone(timezone),
        _policy(policy),
        secrets.randbits(53) if seed is None else whole("seed", seed, least=0),
        {each: number for number, each in enumerate(called)},
    )
    return changed(begun, {} if groups is None else {"groups": _groups(groups, begun)}).checked()


def _policy(text: Any) -> str:
    """The policy's name, with parameters if wanted; those are looked at, which loads what decides."""
    if not isinstance(text, str):
        raise InputError.of("policy", text, f"{POLICY}, with parameters if wanted")
    if text != POLICY:
        policy_named(text)
    return text


def arm_names(arms: Any) -> tuple[str, ...]:
    """Names of arms, each once."""
    if isinstance(arms, str) or not hasattr(arms, "__iter__"):
        raise InputError.of("arms", arms, "names of arms")
    called = tuple(names.name("an arm's name", each) for each in arms)
    if not called:
        raise InputError("there are no arms", "the name of at least one", what="arms")
    for position, each in enumerate(called):
        if each in called[:position] if len(called) < 50 else called.index(each) < position:
            raise ConflictError(f"arm {each!r} is named twice", "names that differ", what="arms", value=each)
    return called


def new_arm(settings: Settings, name: Any, *, most: Any, least: Any, severity: Any, **rest: Any) -> Arm:
    """An arm to be added; without a most of its own it can use what the one with the largest can."""
    called = names.name("an arm's name", name)
    group, threshold, shape = rest["group"], rest["threshold"], rest["shape"]
    return Arm(
        called,
        max(arm.most for arm in settings.arms) if most is None else exact("most", most),
        exact("least", least),
        exact("severity", severity, above=True),
        None if group is None else names.name("a group's name", group),
        None if threshold is None else exact("threshold", threshold, above=True),
        None if shape is None else shapes_by_name({called: shape}, (called,))[called],
    )


def change_of(settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """A change in the user's words as plain data, every name in it known."""
    if not given:
        raise InputError("nothing is to be changed", f"one of {', '.join(CHANGEABLE)}", what="settings")
    found: dict[str, Any] = {}
    called = tuple(arm.name for arm in settings.arms)
    for what, value in given.items():
        if what not in CHANGEABLE:
            raise InputError(
                f"{shown(what)} cannot be changed", f"one of {', '.join(CHANGEABLE)}", what=what, value=value
            )
        if what in PER_ARM:
            found[what] = _per_arm(settings, what, value)
        elif what == "groups":
            found[what] = _groups(value, settings)
        elif what == "shapes":
            found[what] = shapes_by_name(value, called)
        elif what == "half_life" and value is None:
            found[what] = None
        elif what == "unit":
            found[what] = written(exact_unit(value))
        else:
            found[what] = written(exact(what, value, above=what != "budget"))
    return found


def _per_arm(settings: Settings, what: str, value: Any) -> dict[str, str | None]:
    if not isinstance(value, Mapping):
        value = {arm.name: value for arm in settings.arms}
    optional = what == "thresholds"
    return {
        settings.arms[settings.find(name)].name: None
        if each is None and optional
        else written(exact(f"{what} of {name!r}", each, above=what in ("severities", "thresholds")))
        for name, each in value.items()
    }


def _groups(given: Any, settings: Settings) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError.of(
            "groups", given, 'such as {"north": {"arms": ["Dock", "Gate"], "least": 2, "most": 6}}'
        )
    found: dict[str, Any] = {}
    taken: dict[str, str] = {}
    for group, content in given.items():
        called = names.name("a group's name", group)
        if (
            not isinstance(content, Mapping)
            or "arms" not in content
            or content.keys() - {"arms", "least", "most"}
        ):
            raise InputError.of(f"group {called!r}", content, '"arms", and if wanted "least" and "most"')
        arms = [settings.arms[settings.find(name)].name for name in arm_names(content["arms"])]
        for arm in arms:
            if arm in taken:
                raise ConflictError(
                    f"arm {arm!r} is in group {taken[arm]!r} and in group {called!r}",
                    "one group",
                    what="groups",
                )
            taken[arm] = called
        least, most = content.get("least"), content.get("most")
        found[called] = {
            "arms": arms,
            "least": written(exact(f"the least of group {called!r}", 0 if least is None else least)),
            "most": None if most is None else written(exact(f"the most of group {called!r}", most)),
        }
    return found


def changed(settings: Settings, change: Mapping[str, Any]) -> Settings:
    """Settings after a change in plain data."""
    arms = list(settings.arms)
    values: dict[str, Any] = {
        what: None if value is None else Decimal(value)
        for what, value in change.items()
        if what in ("budget", "unit", "scale", "half_life")
    }
    for what, place in PER_ARM.items():
        for name, value in change.get(what, {}).items():
            number = settings.aliases[name]
            values_of_arm: dict[str, Any] = {place: None if value is None else Decimal(value)}
            arms[number] = replace(arms[number], **values_of_arm)
    for name, shape in change.get("shapes", {}).items():
        number = settings.aliases[name]
        arms[number] = replace(arms[number], shape=shape)
    if "groups" in change:
        values["groups"] = {name: Group.from_dict(content) for name, content in change["groups"].items()}
        member = {arm: name for name, content in change["groups"].items() for arm in content["arms"]}
        arms = [replace(arm, group=member.get(arm.name)) for arm in arms]
    return replace(settings, arms=tuple(arms), **values)


def _added(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    return settings.with_new_arm(Arm.from_dict(payload["arm"]))


def _renamed(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    return settings.renamed(settings.aliases[payload["old"]], payload["new"])


def _retired(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    return settings.with_arm(settings.aliases[payload["arm"]], active=False)


def _restored(settings: Settings, payload: Mapping[str, Any]) -> Settings:
    return settings.with_arm(settings.aliases[payload["arm"]], active=True)


APPLY: dict[str, Callable[[Settings, Mapping[str, Any]], Settings]] = {
    "arm added": _added,
    "arm renamed": _renamed,
    "arm retired": _retired,
    "arm restored": _restored,
    "changed": lambda settings, payload: changed(settings, payload["settings"]),
}
