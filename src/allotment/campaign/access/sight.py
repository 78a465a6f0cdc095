"""What of a plan and its report someone sees: a recorder of a group sees the places of that group."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from allotment.campaign.access.rights import Rights
from allotment.campaign.answers.history.plan_report import PlanReport
from allotment.campaign.planning.plans.plan import Plan
from allotment.campaign.settings.settings import Settings


def plan_seen_by(rights: Rights, plan: Plan, settings: Settings) -> Plan:
    """A plan without the places that someone does not see, and without what is said of them.

    Who only reports is not told which rounds are control rounds, so that reports are alike in all of them.
    """
    if plan.control is not None and not rights.may_read:
        plan = replace(plan, control=None, beside={})
    if rights.group is None:
        return plan

    def seen(by_name: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in by_name.items() if _sees(rights, name, settings)}

    return replace(
        plan,
        amounts=seen(plan.amounts),
        spare=seen(plan.spare),
        told=seen(plan.told),
        told_amounts=seen(plan.told_amounts),
        beside={},
        orders=(),
        calm=None,
        control=None,
    )


def report_seen_by(rights: Rights, report: PlanReport, settings: Settings) -> PlanReport:
    """A report of the places that someone sees."""
    seen = tuple(each for each in report.places if _sees(rights, each.place, settings))
    return replace(report, places=seen)


def _sees(rights: Rights, place: str, settings: Settings) -> bool:
    return rights.reaches(settings.arms[settings.find(place)].group)
