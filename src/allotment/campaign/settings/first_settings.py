"""The settings that a campaign begins with."""

from decimal import Decimal
from typing import Any

from allotment.campaign.forms import names
from allotment.campaign.forms.amounts import units_to_reach
from allotment.campaign.settings.all_values import VALUES
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.campaign_policy import checked_policy
from allotment.campaign.settings.changes import ORDER, changed
from allotment.campaign.settings.grouping import arm_names
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import SETTINGS, Needed
from allotment.campaign.settings.values import Start


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
