"""How the forms of places become changes, as `Campaign` takes them."""

from decimal import Decimal
from typing import Any

from allotment.campaign.answers.change_words import groups_with
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import written
from allotment.campaign.settings.arms import Arm
from allotment.campaign.settings.specification import OF_ARMS, OF_ONE_PLACE
from allotment.campaign.settings.specification import Form as Kind
from allotment.web.requests.forms import Form

NEW_FIELDS = ("name", *OF_ONE_PLACE)


def add_place(campaign: Campaign, form: Form) -> str:
    """Add the place that a form describes, and return its name."""
    name = form.needed("name")
    values = {field: _typed(form, field) or each.default for field, each in OF_ONE_PLACE.items()}
    campaign.add_arm(name, **values, key=form.key)
    return name


def changes_in(campaign: Campaign, name: str, form: Form) -> dict[str, Any]:
    """The settings of a place that a form holds, as `Campaign.change` takes them."""
    settings = campaign.settings
    arm = settings.arms[settings.find(name)]
    found: dict[str, Any] = {}
    for field in OF_ONE_PLACE:
        about, typed = OF_ARMS[field], _typed(form, field)
        if about.form is Kind.GROUPS:
            found[about.name] = groups_with(settings, {arm.name: typed})
            continue
        usual = Arm.__dataclass_fields__[field].default
        value = written(usual) if typed is None and isinstance(usual, Decimal) else typed
        # A bound that was not touched leaves the bounds of single situations as they are.
        if about.form is not Kind.BOUND or value != written(getattr(arm, field)):
            found[about.name] = {arm.name: value}
    return found


def _typed(form: Form, field: str) -> str | None:
    return form.needed(field) if OF_ONE_PLACE[field].is_needed else form.text(field)
