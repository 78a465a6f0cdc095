"""A change of settings in words, before it is kept: what it changes, what it means, how to change back."""

from collections.abc import Iterator, Mapping
from typing import Any

from allotment.campaign.answers.settings_words import meaning_of_situations
from allotment.campaign.forms.amounts import listed, written
from allotment.campaign.forms.answer import percent
from allotment.campaign.planning.expectations import is_weighted
from allotment.campaign.settings.all_values import VALUES
from allotment.campaign.settings.arms import Group
from allotment.campaign.settings.changes import change_of, changed
from allotment.campaign.settings.grouping import group_name
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import BY_NAME, OF_PLACES, SETTINGS
from allotment.campaign.settings.values import NO_WAY, SAME

FROM_NOW_ON = "It applies from the next plan on. Plans that were made before stay as they are."
OF_NO_PLAN = "Plans stay as they are."
NAMED = 6  # places that one sentence names; more are counted


def real_changes(settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """What of a change, as `Campaign.change` takes it, differs from the settings; empty if nothing does."""
    asked = {name: value for name, value in given.items() if value is not None or _means_none(name)}
    if not asked:
        return {}
    wanted = change_of(settings, asked)
    found = {name: VALUES[name].news(settings, value) for name, value in wanted.items()}
    return {name: value for name, value in found.items() if value is not SAME}


def changes_back(settings: Settings, change: Mapping[str, Any]) -> dict[str, Any]:
    """The change that restores what `change` alters; empty if no change removes it: a shape, a situation."""
    found = {name: VALUES[name].back(settings, value) for name, value in change.items()}
    return {} if NO_WAY in found.values() else found


def _means_none(name: str) -> bool:
    """Whether None is a value of a setting of the whole campaign; otherwise it says nothing."""
    about = BY_NAME.get(name)
    return about is not None and about.optional and about.of_arm is None


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
    for each in OF_PLACES:
        table = change.get(each.name, {})
        numbers = [settings.find(arm) for arm, value in table.items() if not isinstance(value, dict)]
        assert each.meaning is not None
        sentences = [each.meaning(settings.arms[number], after.arms[number]) for number in numbers]
        said += sentences[:NAMED]
        if len(sentences) > NAMED:
            said.append(f"The same kind of change at {len(sentences) - NAMED} more places.")
    if not is_weighted(settings) and is_weighted(after):
        said.append("Pages then show the cost beside the losses: losses weighted by severity.")
    is_of_plans = any(BY_NAME[name].of_plans for name in change)
    return [*said, FROM_NOW_ON if is_of_plans else OF_NO_PLAN] if said else []


def _of_the_campaign(before: Settings, after: Settings, change: Mapping[str, Any]) -> Iterator[str]:
    for each in SETTINGS:
        if each.field is None or each.meaning is None:
            continue
        if getattr(before, each.field) != getattr(after, each.field):
            again = f" The campaign reads all reports again with the new {each.name}." if each.rereads else ""
            yield f"{each.meaning(before, after)}{again}"
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
