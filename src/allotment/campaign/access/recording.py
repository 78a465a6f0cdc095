"""What a recorder may report: places of a group, and no place that someone else has reported."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from allotment.campaign.access.rights import Rights
from allotment.campaign.history.plan_records import UNTOLD, PlanRecord
from allotment.campaign.history.state import State
from allotment.errors import NotAllowedError, shown


def check_reach(rights: Rights, state: State, named: Iterable[Any]) -> None:
    """Raise an error if a report names a place that someone does not see, whether there is one or not."""
    rights.check(rights.may_report, "report")
    for name in (each for part in named if isinstance(part, Mapping) for each in part):
        arm = state.settings.known(name)
        group = None if arm is None else state.settings.arms[arm].group
        if not rights.reaches(group):
            raise NotAllowedError(
                f"{rights.name} reports the places of group {rights.group!r}, and {shown(name)} is not in it",
                what="group",
                value=name,
            )


def check_report(
    rights: Rights, state: State, payload: Mapping[str, Any], author_of: Callable[[int], str]
) -> None:
    """Raise an error if a report changes what someone else reported. `author_of` names an event's author.

    To say the same as someone else is refused, too: the place would then count as one's own to correct.
    """
    plan = state.plan(payload["plan"])
    for name in dict.fromkeys([*payload["losses"], *payload["amounts"]]) if rights.reports_only_own else ():
        event = _reported_by(plan, state.settings.find(name))
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
