"""A change of settings in words, before it is kept: what it changes, what it means, how to change back."""

from collections.abc import Iterator, Mapping
from typing import Any

from allotment.campaign.answers.settings.settings_words import meaning_of_situations
from allotment.campaign.forms.amounts import listed, written
from allotment.campaign.forms.answer import percent
from allotment.campaign.planning.deciding.expectations import is_weighted
from allotment.campaign.settings.arms import Arm, Group
from allotment.campaign.settings.changes import PER_ARM, change_of, changed
from allotment.campaign.settings.grouping import group_name
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.situation_bounds import bounds_back, budget_now, new_bounds, new_budgets
from allotment.campaign.settings.situations import BOUNDS

FROM_NOW_ON = "It applies from the next plan on. Plans that were made before stay as they are."
NO_PLAN = "Plans stay as they are."
NAMED = 6  # places that one sentence names; more are counted
FREE = "any number"


def real_changes(settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """What of a change, as `Campaign.change` takes it, differs from the settings; empty if nothing does."""
    asked = {name: value for name, value in given.items() if value is not None or name in _OPTIONAL}
    if not asked:
        return {}
    wanted, now = change_of(settings, asked), _now(settings)
    found: dict[str, Any] = {}
    for name, value in wanted.items():
        if name in PER_ARM or name == "shapes":
            kept = {arm: each for arm, each in value.items() if each != now[name].get(arm)}
            if name in BOUNDS and settings.situations:
                kept = new_bounds(settings, name, value)
            if kept:
                found[name] = kept
        elif name == "budget" and settings.situations:
            kept = new_budgets(settings, value)
            if kept:
                found[name] = kept
        elif name == "control":  # as users give it: ids and seeds are made when it is kept
            said = value and {part: value[part] for part in ("share", "plan")}
            if said != now[name]:
                found[name] = said
        elif value != now[name]:
            found[name] = value
    return found


def changes_back(settings: Settings, change: Mapping[str, Any]) -> dict[str, Any]:
    """The change that restores what `change` alters; empty if no change removes it: a shape, a situation."""
    now, found = _now(settings), dict[str, Any]()
    for name, value in change.items():
        if name == "situations" or (name == "shapes" and value.keys() - now[name].keys()):
            return {}
        if name in BOUNDS and settings.situations:
            found[name] = bounds_back(settings, name, value)
            continue
        per_place = name in PER_ARM or name == "shapes"
        found[name] = {arm: now[name].get(arm) for arm in value} if per_place else now[name]
    return found


def groups_with(
    settings: Settings,
    members: Mapping[str, str | None] | None = None,
    limits: Mapping[str, tuple[Any, Any]] | None = None,
) -> dict[str, Any]:
    """The groups as `Campaign.change` takes them, with some places in other groups, or with other limits.

    `members` are groups by place, None for no group; `limits` are least and most by group. A group without
    a place is left out.
    """
    moved = {settings.find(name): group for name, group in (members or {}).items()}
    found: dict[str, Any] = {}
    for number, arm in enumerate(settings.arms):
        called = moved.get(number, arm.group)
        if called is None:
            continue
        group = group_name(settings, called)
        known = settings.groups.get(group, Group())
        least, most = (limits or {}).get(group, (known.least, known.most))
        found.setdefault(group, {"arms": [], "least": least, "most": most})["arms"].append(arm.name)
    return found


def meaning_of(settings: Settings, change: Mapping[str, Any]) -> list[str]:
    """What a change means, in sentences; `change` is what `real_changes` gave."""
    after = changed(settings, change_of(settings, change) if change else {})
    said = [*_of_the_campaign(settings, after, change), *_of_groups(settings, after)]
    said += meaning_of_situations(settings, after)
    for name in PER_ARM:
        table = change.get(name, {})
        numbers = [settings.find(arm) for arm, value in table.items() if not isinstance(value, dict)]
        sentences = [_SENTENCES[name](settings.arms[each], after.arms[each]) for each in numbers]
        said += sentences[:NAMED]
        if len(sentences) > NAMED:
            said.append(f"The same kind of change at {len(sentences) - NAMED} more places.")
    if not is_weighted(settings) and is_weighted(after):
        said.append("Pages then show the cost beside the losses: losses weighted by severity.")
    is_of_plans = change.keys() - {"shapes"}
    return [*said, FROM_NOW_ON if is_of_plans else NO_PLAN] if said else []


_OPTIONAL = ("half_life", "day_starts", "moves", "calendar", "control")  # None is a value of these


def _now(settings: Settings) -> dict[str, Any]:
    """The settings as a change says them."""
    found: dict[str, Any] = {
        name: None if getattr(settings, name) is None else written(getattr(settings, name))
        for name in ("unit", "scale", "half_life")
    }
    found["budget"] = budget_now(settings)
    for name, field in PER_ARM.items():
        values = {arm.name: getattr(arm, field) for arm in settings.arms}
        found[name] = {arm: None if each is None else written(each) for arm, each in values.items()}
    groups = {
        name: {**settings.groups[name].to_dict(), "arms": arms}
        for name, arms in settings.members().items()
        if arms
    }
    shapes = {arm.name: arm.shape for arm in settings.arms if arm.shape is not None}
    rest: dict[str, Any] = {"day_starts": settings.day_starts, "moves": settings.moves}
    rest |= {"situations": list(settings.situations.names), "calendar": settings.situations.calendar_data()}
    called = tuple(arm.name for arm in settings.arms)
    rest["control"] = None if settings.control is None else settings.control.said(called)
    return {**found, **rest, "groups": groups, "shapes": shapes}


def _of_the_campaign(before: Settings, after: Settings, change: Mapping[str, Any]) -> Iterator[str]:
    if before.budget != after.budget:
        yield f"The budget of a round becomes {written(after.budget)} (now {written(before.budget)})."
    if before.moves != after.moves:
        was, now = (FREE if each is None else f"{each} at most" for each in (before.moves, after.moves))
        yield f"Units that places may gain together from one plan to the next: {now} (now {was})."
    if before.unit != after.unit:
        yield (
            f"Plans count in units of {written(after.unit)} (now {written(before.unit)}). "
            "The campaign reads all reports again with the new unit."
        )
    if before.scale != after.scale:
        yield (
            f"The largest amount that the model distinguishes becomes {written(after.scale)} "
            f"(now {written(before.scale)}). The campaign reads all reports again with the new scale."
        )
    if before.half_life != after.half_life:
        if after.half_life is None:
            yield "Reports count fully however old they are."
        else:
            yield f"A report counts half after {written(after.half_life)} days."
    if before.day_starts != after.day_starts:
        yield f"A day begins at {after.day_starts or 'midnight'} (now {before.day_starts or 'midnight'})."
    if "control" in change:
        ended = "There are no new control rounds. Dates that are planned already keep their lot."
        yield from control_meaning(after) or [ended]
    if change.get("shapes"):
        yield f"{listed(change['shapes'], NAMED)}: a new outline on the map."


def control_meaning(settings: Settings) -> list[str]:
    """What control rounds mean from now on; nothing if there are none."""
    control = settings.control
    if control is None:
        return []
    return [
        f"In {percent(float(control.share))} of rounds, drawn by lot, the comparison plan ({control.words}) "
        "is carried out instead of the usual plan. That withholds cover on purpose, to measure the effect of "
        "plans.",
        "A new comparison starts: the effect counts from the next plan on.",
    ]


def _of_groups(before: Settings, after: Settings) -> Iterator[str]:
    moved = [
        f"{now.name} counts towards {now.group or 'no group'} instead of {was.group or 'no group'}."
        for was, now in zip(before.arms, after.arms, strict=True)
        if was.group != now.group
    ]
    yield from moved[:NAMED]
    if len(moved) > NAMED:
        yield f"{len(moved) - NAMED} more places change their group."
    for name, group in after.groups.items():
        if before.groups.get(name, Group()) != group:
            yield f"The places of {name} get together {_limits(group)}."
    for name in before.groups:
        if name not in after.groups:
            yield f"Group {name} has no place any more, and goes."


def _limits(group: Group) -> str:
    if group.most is None:
        return f"at least {written(group.least)}" if group.least else "any amount"
    return f"{written(group.least)} to {written(group.most)}"


def _most(was: Arm, now: Arm) -> str:
    said = f"Plans grant {now.name} at most {written(now.most)} (now {written(was.most)})."
    if now.most > was.most:
        return f"{said} What the reports say about amounts up to {written(now.most)} is used and shown."
    nothing = " It stays in every plan and gets nothing." if not now.most else ""
    return f"{said} Its reports stay, and no belief changes.{nothing}"


def _least(was: Arm, now: Arm) -> str:
    if not now.least:
        return f"Plans may leave {now.name} without anything (now it gets at least {written(was.least)})."
    return (
        f"Every plan grants {now.name} at least {written(now.least)} (now {written(was.least)}), "
        "also where that prevents little."
    )


def _crew(was: Arm, now: Arm) -> str:
    if not now.crew:
        return f"{now.name} may get a single unit (now nothing, or at least a crew of {written(was.crew)})."
    before = f" (now {written(was.crew)})" if was.crew else ""
    return f"{now.name} gets nothing, or at least a crew of {written(now.crew)}{before}."


def _severity(was: Arm, now: Arm) -> str:
    many = "as much as" if now.severity == 1 else f"{written(now.severity)} times as much as"
    return f"A loss at {now.name} counts {many} a loss of severity 1 (now {written(was.severity)})."


def _threshold(was: Arm, now: Arm) -> str:
    if now.threshold is None:
        return f"The campaign learns from reports again how {now.name} responds to amounts."
    return (
        f"Plans take it as known that {written(now.threshold)} covers {now.name}, and less does not. "
        "How much still happens under cover is learned from reports."
    )


_SENTENCES = {
    "most": _most,
    "least": _least,
    "crew": _crew,
    "severities": _severity,
    "thresholds": _threshold,
}
