"""What a recorder may report: places of a group, and no place that someone else has reported."""

from collections.abc import Callable, Mapping
from typing import Any

from allotment.campaign.access.rights import Rights
from allotment.campaign.history.plan_records import UNTOLD, PlanRecord
from allotment.campaign.history.state import State
from allotment.errors import NotAllowedError


def check_report(
    rights: Rights, state: State, payload: Mapping[str, Any], author_of: Callable[[int], str]
) -> None:
    """Raise an error if a report goes beyond someone's rights. `author_of` names the author of an event.

    To say the same as someone else is refused, too: the place would then count as one's own to correct.
    """
    rights.check(rights.may_report, "report")
    plan = state.plan(payload["plan"])
    for name in dict.fromkeys([*payload["losses"], *payload["amounts"]]):
        arm = state.settings.find(name)
        if not rights.reaches(state.settings.arms[arm].group):
            raise NotAllowedError(
                f"{rights.name} reports the places of group {rights.group!r}, and {name!r} is not in it",
                what="group",
                value=name,
            )
        event = _reported_by(plan, arm) if rights.reports_only_own else 0
        if event and (author := author_of(event)) != rights.name:
            raise NotAllowedError(
                f"{name} was reported by {author}, so that only {author} or a planner corrects it",
                what="losses",
                value=name,
            )


def _reported_by(plan: PlanRecord, arm: int) -> int:
    """The event of the report of a place that is in force; 0 if there is none."""
    place = plan.position(arm)
    if place is None or (plan.losses[place] == UNTOLD and plan.amounts[place] == UNTOLD):
        return 0
    return int(plan.told[place])
