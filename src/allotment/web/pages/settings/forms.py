"""The forms of Settings: what they show at first, and the changes (`Campaign.change`) that they hold."""

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

ONE_FIELD = (Value.AMOUNT, Value.UNITS, Value.TEXT, Value.BUDGET)
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
    value = arm.group if what == "group" else getattr(arm, TABLES[what].of_arm or "")
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
    shown = shown_settings(settings)
    for each in OF_CAMPAIGN:
        if each.name in shown and not each.optional and form.text(each.name) is None:
            raise InputError(f"{each.name} is empty", "a number", what=each.name)
    return {name: form.text(name) for name in shown}


def changes_of_groups(form: Form, settings: Settings) -> dict[str, Any]:
    """What was typed, of the limits of groups."""
    least, most = form.by_name("least:"), form.by_name("most:")
    limits = {
        name: (least.get(name, first).strip() or 0, most.get(name, last).strip() or None)
        for name, (first, last) in shown_limits(settings).items()
    }
    return {"groups": groups_with(settings, limits=limits)}


def changes_of_places(
    form: Form, settings: Settings, what: str, situation: str | None = None
) -> dict[str, Any]:
    """What was typed, of one setting of all places, in one situation only; an empty name is no group."""
    same, typed = form.text("all"), form.by_name("value:")
    arms = settings_within(settings, situation).arms
    shown = {arm.name: shown_of_place(arm, what) for arm in arms if arm.active}
    values = {name: (same or typed.get(name, first)).strip() for name, first in shown.items()}
    differ = {name: value or None for name, value in values.items() if value != shown[name]}
    if what == "group":
        return {"groups": groups_with(settings, differ)}
    for name, value in differ.items():
        if value is None and not TABLES[what].optional:
            raise InputError(f"the {TABLES[what].of_arm} of {name} is empty", "a number", what=what)
    return {what: differ if situation is None else {situation: differ}}
