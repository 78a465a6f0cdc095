"""A change of settings that waits to be kept: what was typed, as `Campaign.change` takes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from allotment.campaign.amounts import written
from allotment.campaign.answers.event_words import Difference
from allotment.campaign.arms import Arm
from allotment.campaign.campaign import Campaign
from allotment.campaign.changes import PER_ARM
from allotment.campaign.settings import Settings
from allotment.errors import InputError
from allotment.web.forms import Form
from allotment.web.stages import Stage

NUMBERS = ("budget", "unit", "scale")
OPTIONAL = ("half_life", "moves", "day_starts")  # which may be empty
CAMPAIGN = (*NUMBERS, *OPTIONAL)
OF_PLACES = (*PER_ARM, "group")  # what a table of places can change
EMPTY_MEANS_NONE = ("thresholds",)
NOTHING = "nothing differs from the settings as they are"


@dataclass
class StagedChange(Stage):
    """A change that waits, and what would differ after it."""

    changes: dict[str, Any]
    differences: tuple[Difference, ...]
    back: str  # the page that it was typed on
    is_overtaken: bool = False  # whether the settings have changed since


def shown_settings(settings: Settings) -> dict[str, str]:
    """The campaign's settings as a form shows them."""
    return {
        "budget": written(settings.budget),
        "unit": written(settings.unit),
        "scale": written(settings.scale),
        "half_life": "" if settings.half_life is None else written(settings.half_life),
        "moves": "" if settings.moves is None else str(settings.moves),
        "day_starts": settings.day_starts or "",
    }


def shown_of_place(arm: Arm, what: str) -> str:
    """A setting of a place as a form shows it."""
    value = arm.group if what == "group" else getattr(arm, PER_ARM[what])
    return value if isinstance(value, str) else "" if value is None else written(value)


def changes_of_campaign(form: Form, settings: Settings) -> dict[str, Any]:
    """What was typed and differs, of the campaign's own settings."""
    shown = shown_settings(settings)
    found: dict[str, Any] = {}
    for name in CAMPAIGN:
        typed = form.text(name) or ""
        if typed == shown[name]:
            continue
        if not typed and name in NUMBERS:
            raise InputError(f"{name} is empty", "a number", what=name)
        found[name] = typed or None
    return found


def changes_of_groups(form: Form, settings: Settings) -> dict[str, Any]:
    """What was typed and differs, of the limits of groups."""
    least, most = form.by_name("least:"), form.by_name("most:")
    before = groups_of(settings)
    after = {
        name: {
            **group,
            "least": least.get(name, group["least"]).strip() or "0",
            "most": most.get(name, group["most"] or "").strip() or None,
        }
        for name, group in before.items()
    }
    return {} if after == before else {"groups": after}


def changes_of_places(form: Form, settings: Settings, what: str) -> dict[str, Any]:
    """What was typed and differs, of one setting of all places."""
    same, typed = form.text("all"), form.by_name("value:")
    values = {
        arm.name: (same if same is not None else typed.get(arm.name, shown_of_place(arm, what))).strip()
        for arm in settings.arms
        if arm.active
    }
    differ = {
        arm.name: values[arm.name]
        for arm in settings.arms
        if arm.name in values and values[arm.name] != shown_of_place(arm, what)
    }
    if not differ:
        return {}
    if what == "group":
        return {"groups": _moved(settings, differ)}
    for name, value in differ.items():
        if not value and what not in EMPTY_MEANS_NONE:
            raise InputError(f"the {PER_ARM[what]} of {name} is empty", "a number", what=what)
    return {what: {name: value or None for name, value in differ.items()}}


def groups_of(settings: Settings) -> dict[str, Any]:
    """The groups as `Campaign.change` takes them."""
    found = {}
    for name, arms in settings.members().items():
        if arms:
            group = settings.groups[name]
            most = None if group.most is None else written(group.most)
            found[name] = {"arms": arms, "least": written(group.least), "most": most}
    return found


def _moved(settings: Settings, groups: Mapping[str, str]) -> dict[str, Any]:
    """The groups after some places were given another one; an empty name is no group."""
    before, after = groups_of(settings), dict[str, Any]()
    for arm in settings.arms:
        group = groups.get(arm.name, arm.group or "")
        if group:
            same = before.get(group, {"least": "0", "most": None})
            after.setdefault(group, {**same, "arms": []})["arms"].append(arm.name)
    return after


def tried(campaign: Campaign, changes: Mapping[str, Any]) -> tuple[Difference, ...]:
    """What would differ after a change; an error if nothing would, or if the change cannot be made."""
    found = campaign.try_change(**changes) if changes else ()
    if not found:
        raise InputError(NOTHING, "another value in one of the fields", what="settings")
    return found


def reversed_change(settings: Settings, changes: Mapping[str, Any]) -> dict[str, Any] | None:
    """The change that takes another one back, before it is made; None if there is none."""
    shown = shown_settings(settings)
    found: dict[str, Any] = {}
    for what, value in changes.items():
        if what in CAMPAIGN:
            found[what] = shown[what] or None
        elif what == "groups":
            found[what] = groups_of(settings)
        elif what in PER_ARM:
            arms = {name: settings.arms[settings.find(name)] for name in value}
            found[what] = {name: shown_of_place(arm, what) or None for name, arm in arms.items()}
        elif all(settings.arms[settings.find(name)].shape is not None for name in value):
            found[what] = {name: settings.arms[settings.find(name)].shape for name in value}
        else:  # a place cannot lose its outline
            return None
    return found
