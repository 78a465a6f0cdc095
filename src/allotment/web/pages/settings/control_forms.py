"""The form of control rounds: what it shows at first, and the change that it holds."""

from typing import Any, NamedTuple

from allotment.campaign.settings.control import EQUAL, HOT_SPOTS, USUAL_SHARE
from allotment.campaign.settings.settings import Settings
from allotment.errors import InputError
from allotment.web.requests.forms import Form

GIVEN = "given"
PLANS = {
    EQUAL: "An equal split",
    HOT_SPOTS: "Hot spots: in proportion to past losses",
    GIVEN: "The amounts below",
}


class ControlForm(NamedTuple):
    """The form as typed: the share of control rounds, the kind of comparison plan, and given amounts."""

    share: str
    plan: str
    amounts: dict[str, str]

    @property
    def plans(self) -> dict[str, str]:
        """The kinds of comparison plans, with their titles."""
        return PLANS

    @property
    def usual_share(self) -> str:
        """The share that most campaigns should take."""
        return str(USUAL_SHARE)


def shown_control(settings: Settings) -> ControlForm:
    """The form as it first appears."""
    called = tuple(arm.name for arm in settings.arms)
    said = {"share": "", "plan": EQUAL} if settings.control is None else settings.control.said(called)
    given = said["plan"] if isinstance(said["plan"], dict) else {}
    active = [settings.arms[arm].name for arm in settings.active]
    amounts = {name: given.get(name, "") for name in dict.fromkeys([*active, *given])}
    return ControlForm(said["share"], GIVEN if given else said["plan"], amounts)


def typed_control(form: Form, settings: Settings) -> ControlForm:
    """What a form holds, to be shown again or to be tried."""
    typed = form.by_name("amount:")
    amounts = {name: typed.get(name, "").strip() for name in shown_control(settings).amounts}
    return ControlForm(form.text("control_share") or "", form.text("control_plan") or EQUAL, amounts)


def change_of_control(typed: ControlForm) -> dict[str, Any]:
    """The change that was typed. An empty share ends control rounds."""
    if not typed.share:
        return {"control": None}
    amounts = {name: amount for name, amount in typed.amounts.items() if amount}
    if typed.plan == GIVEN and not amounts:
        raise InputError("the comparison plan has no amounts", "an amount for some place", what="plan")
    return {"control": {"share": typed.share, "plan": amounts if typed.plan == GIVEN else typed.plan}}
