"""How the forms of places become changes, as `Campaign` takes them."""

from typing import Any

from allotment.campaign.answers.change_words import groups_with
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import written
from allotment.web.requests.forms import Form

NEW_FIELDS = ("name", "most", "least", "crew", "severity", "group", "threshold")


def add_place(campaign: Campaign, form: Form) -> str:
    """Add the place that a form describes, and return its name."""
    name = form.needed("name")
    campaign.add_arm(
        name,
        most=form.needed("most"),
        least=form.text("least") or 0,
        crew=form.text("crew"),
        severity=form.text("severity") or 1,
        group=form.text("group"),
        threshold=form.text("threshold"),
        key=form.key,
    )
    return name


def changes_in(campaign: Campaign, name: str, form: Form) -> dict[str, Any]:
    """The settings of a place that a form holds, as `Campaign.change` takes them."""
    settings = campaign.settings
    arm = settings.arms[settings.find(name)].name
    bounds = {"most": form.needed("most"), "least": form.text("least") or "0"}
    shown = settings.arms[settings.find(name)]
    # A bound that was not touched leaves the bounds of single situations as they are.
    touched = {what: {arm: value} for what, value in bounds.items() if value != written(getattr(shown, what))}
    return {
        **touched,
        "crew": {arm: form.text("crew") or 0},
        "severities": {arm: form.text("severity") or 1},
        "thresholds": {arm: form.text("threshold")},
        "groups": groups_with(settings, {arm: form.text("group")}),
    }
