"""The forms of Settings: what they show at first, and the changes (`Campaign.change`) that they hold."""

from collections.abc import Mapping
from typing import Any

from allotment.campaign.answers.change_words import groups_with
from allotment.campaign.forms.amounts import written
from allotment.campaign.settings.all_values import VALUES
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import BY_NAME, CHANGEABLE, OF_PLACES
from allotment.campaign.settings.specification import Form as Value
from allotment.errors import InputError
from allotment.web.requests.forms import Form
from allotment.web.requests.situation_choice import settings_within

ONE_FIELD = (Value.AMOUNT, Value.UNITS, Value.TEXT, Value.NOTE, Value.BUDGET)
# The settings of the whole campaign that the form has. Each setting of places has a table.
OF_CAMPAIGN = [each for each in CHANGEABLE if each.page is not None and each.form in ONE_FIELD]
TABLES = {**{each.name: each for each in OF_PLACES}, "group": BY_NAME["groups"]}


def shown_settings(settings: Settings) -> dict[str, str]:
    """The campaign's settings as a form shows them. Budgets by situation have a form of their own."""
    values = {each.name: VALUES[each.name].now(settings) for each in OF_CAMPAIGN}
    return {
        name: "" if value is None else str(value)
        for name, value in values.items()
        if name != "budget" or not settings.situations
    }


def shown_of_place(arm: Arm, what: str) -> str:
    """A setting of a place as a form shows it."""
    value = getattr(arm, TABLES[what].of_arm or "")
    return value if isinstance(value, str) else "" if value is None else written(value)


def shown_limits(settings: Settings) -> dict[str, tuple[str, str]]:
    """The least and the most of each group that has places, as a form shows them."""
    groups = {name: settings.groups[name] for name, arms in settings.members().items() if arms}
    return {
        name: (written(group.least), "" if group.most is None else written(group.most))
        for name, group in groups.items()
    }


def changes_of_campaign(form: Form, settings: Settings) -> dict[str, Any]:
    """What was typed, of the campaign's own settings."""
    shown = changed_fields(form, shown_settings(settings))
    for each in OF_CAMPAIGN:
        if each.name in shown and not each.optional and form.text(each.name) is None:
            raise InputError(f"{each.name} is empty", "a number", what=each.name)
    return {name: form.text(name) for name in shown}


def changed_fields(form: Form, shown: Mapping[str, str]) -> dict[str, str]:
    """The fields that differ from what the sender saw, of those that are shown."""
    seen = form.seen()
    return {name: now for name, now in shown.items() if (form.text(name) or "") != seen.get(name)}


def changed_meanwhile(form: Form, shown: Mapping[str, str]) -> list[str]:
    """What others have changed since the sender opened the page, in words."""
    seen = form.seen()
    return [
        f"Since you opened the page, {name.replace(':', ' of ').replace('_', ' ')} went from "
        f"{seen[name] or 'nothing'} to {now or 'nothing'}."
        for name, now in shown.items()
        if name in seen and seen[name] != now
    ]


def group_fields(settings: Settings) -> dict[str, str]:
    """The fields of the form of groups, as they are shown."""
    return {
        f"{what}:{name}": value
        for name, both in shown_limits(settings).items()
        for what, value in zip(("least", "most"), both, strict=True)
    }


def place_fields(settings: Settings, what: str, situation: str | None = None) -> dict[str, str]:
    """The fields of the table of one setting of places, as they are shown."""
    arms = settings_within(settings, situation).arms
    return {f"value:{arm.name}": shown_of_place(arm, what) for arm in arms if arm.active}


def changes_of_groups(form: Form, settings: Settings) -> dict[str, Any]:
    """What was typed, of the limits of groups."""
    sent, seen = form.by_name(""), form.seen()
    typed = {name: value.strip() for name, value in sent.items() if value.strip() != seen.get(name)}
    limits = {
        name: (typed.get(f"least:{name}", first) or 0, typed.get(f"most:{name}", last) or None)
        for name, (first, last) in shown_limits(settings).items()
    }
    return {"groups": groups_with(settings, limits=limits)}


def changes_of_places(
    form: Form, settings: Settings, what: str, situation: str | None = None
) -> dict[str, Any]:
    """What was typed, of one setting of all places, in one situation only; an empty name is no group."""
    same, typed, seen = form.text("all"), form.by_name("value:"), form.seen()
    differ: dict[str, str | None] = {}
    for field, now in place_fields(settings, what, situation).items():
        name = field.removeprefix("value:")
        value = same or typed.get(name, now).strip()
        if value != now and (same or value != seen.get(field)):
            differ[name] = value or None
    if what == "group":
        return {"groups": groups_with(settings, differ)}
    for name, wanted in differ.items():
        if wanted is None and not TABLES[what].optional:
            raise InputError(f"the {TABLES[what].of_arm} of {name} is empty", "a number", what=what)
    return {what: differ if situation is None else {situation: differ}}
