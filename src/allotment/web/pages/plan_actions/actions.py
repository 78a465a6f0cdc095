"""What can be done with a plan beside reporting it: cancel, close, undo. Each says what it does."""

from dataclasses import dataclass, field

from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import listed
from allotment.campaign.history.plan_records import CANCELLATION, CLOSING, REPORT, WAITING
from allotment.campaign.planning.plan import Plan


@dataclass(frozen=True)
class PlanAction:
    """A button, what it does in a sentence, and the fields that it posts."""

    path: str  # after the plan's own
    label: str
    sentence: str
    fields: dict[str, str] = field(default_factory=dict)


def actions_of(campaign: Campaign, plan: Plan, *, is_open: bool) -> tuple[PlanAction, ...]:
    """What the state of a plan allows."""
    found = []
    if plan.state == WAITING:
        said = "The plan is not carried out, so that nothing can be reported of it."
        found.append(PlanAction("cancel", "Cancel the plan", said))
    if is_open:
        said = "No more reports are expected. Places without a report stay unknown; late reports are taken."
        found.append(PlanAction("close", "Close the plan", said))
    authors = campaign.in_force(plan.id)
    told = listed(f"{name} {count}" for name, count in plan.told.items())
    words = {
        REPORT: f"This takes back what was reported: {told or 'amounts'}; by {{}}.",
        CANCELLATION: "The plan waits for reports again. It was cancelled by {}.",
        CLOSING: "The plan waits for reports again. It was closed by {}.",
    }
    for what, by in authors.items():
        sentence = words[what].replace("{}", ", ".join(by))
        found.append(PlanAction("undo", f"Undo the {what}", sentence, {"what": what}))
    return tuple(found)
