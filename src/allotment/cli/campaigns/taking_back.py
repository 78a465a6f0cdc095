"""`allotment close`, `cancel` and `undo`: change the state of a plan."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.prompting import choice
from allotment.cli.campaigns.setting_options import PlanSituation
from allotment.cli.campaigns.shared import AuthorOption, CampaignOption, KeyOption, StoreArgument, opened
from allotment.cli.output import say
from allotment.errors import ConflictError, InputError, NotFoundError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.planning.plan import BriefPlan

DateOption = Annotated[str | None, typer.Option(help="The date of the plan, instead of its number.")]


@app.command(rich_help_panel=CAMPAIGNS)
def close(
    store: StoreArgument,
    plans: Annotated[
        list[str] | None, typer.Argument(metavar="PLAN", help="The numbers of the plans.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="DATE", help="Close all open plans before this date.")
    ] = None,
    date: Annotated[str | None, typer.Option(help="Close the open plans of this date.")] = None,
    situation: PlanSituation = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Close a plan: expect no more reports."""
    by_date = date is not None or (situation is not None and before is None)
    if sum((bool(plans), before is not None, by_date)) != 1:
        raise InputError(
            "close needs the numbers of plans, or --before, or --date and --situation",
            "one of them, such as --before yesterday",
            what="plan",
        )
    with opened(store, campaign, author) as it:
        meant = list(plans or ())
        if before is not None:
            meant = [each.id for each in _open_plans(it, situation) if each.date < it.day(before)]
        elif by_date:
            meant = [each.id for each in _open_plans(it, situation) if each.date == it.day(date)]
        for plan in meant:
            it.close_plan(plan, key=key if key is None or len(meant) == 1 else f"{key} {plan}")
        if not meant:
            when = f"of {it.day(date)}" if by_date else f"before {it.day(before)}"
            say(f"No plan {when}{_of(it, situation)} is open.")
        elif len(meant) == 1:
            say(f"Plan {meant[0]} is closed. Late reports are still taken.")
        else:
            say(f"{len(meant)} plans are closed. Late reports are still taken.")


@app.command(rich_help_panel=CAMPAIGNS)
def cancel(
    store: StoreArgument,
    plan: Annotated[str | None, typer.Argument(help="The plan's number.")] = None,
    date: DateOption = None,
    situation: PlanSituation = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Cancel a plan that is not carried out."""
    with opened(store, campaign, author) as it:
        meant = _plan_named(it, plan, date, situation)
        it.cancel(meant, key=key)
        say(f"Plan {meant} is cancelled.")


@app.command(rich_help_panel=CAMPAIGNS)
def undo(
    store: StoreArgument,
    undone: Annotated[
        str | None, typer.Argument(metavar="ID", help="A plan's number, or an import: import-1.")
    ] = None,
    date: DateOption = None,
    situation: PlanSituation = None,
    what: Annotated[
        str | None, typer.Option(help="What to take back: report, cancellation or closing.")
    ] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Take back a report, a cancellation, a closing or an import."""
    from allotment.campaign.forms.amounts import count_of

    with opened(store, campaign, author) as it:
        undone = _plan_named(it, undone, date, situation)
        if undone.startswith("import-"):
            imported = it.import_event(undone)
            it.undo(undone, what=what, key=key)
            report = imported.payload["report"]
            rows = count_of(report["taken"], "row")
            say(f"{undone} ({report['file']}, {rows} of evidence; by {imported.by}) is undone.")
            return
        options = _in_words(it, undone)
        if what is None and len(options) > 1 and sys.stdin.isatty():
            what = choice(f"Plan {undone} has several things to undo. Undo which?", options)
        it.undo(undone, what=what, key=key)
        meant = what or next(iter(options), "")
        detail = f" ({options[meant]})" if meant in options else ""  # a repeated request finds none
        say(f"The {meant or 'report'} of plan {undone}{detail} is undone.")


def _plan_named(campaign: "Campaign", plan: str | None, date: str | None, situation: str | None) -> str:
    """The number of a plan that is named by it, or by date (today by default) and situation.

    A cancelled plan is meant only if there is no other, so that a repeated command means the same plan.
    """
    from allotment.campaign.forms.amounts import listed
    from allotment.campaign.history.plan_records import CANCELLED

    if (plan is None) == (date is None and situation is None):
        raise InputError(
            "a plan is named by its number, or by --date and --situation",
            "one of them, such as --date tomorrow",
            what="plan",
        )
    if plan is not None:
        return plan
    of = _called(campaign, situation)
    every = [each for each in campaign.plans_of(date) if of in (None, each.situation)]
    found = [each for each in every if each.state != CANCELLED] or every
    if not found:
        wrong = f"there is no plan for {campaign.day(date)}{_of(campaign, situation)}"
        expected = "the date of a plan" if situation is None else "the date and situation of a plan"
        raise NotFoundError(wrong, expected, what="date", value=date)
    if len(found) > 1:
        wrong = f"{campaign.day(date)} has {listed(_brief(each) for each in found)}"
        situations = {each.situation for each in found}
        expected = "--situation of" if len(situations) == len(found) else "the number of"
        raise ConflictError(wrong, f"{expected} one of them", what="plan", value=date)
    return found[0].id


def _brief(plan: "BriefPlan") -> str:
    """The number of a plan, and its situation if it has one."""
    return f"plan {plan.id}" + ("" if plan.situation is None else f" ({plan.situation})")


def _open_plans(campaign: "Campaign", situation: str | None) -> "list[BriefPlan]":
    """The open plans of a situation, or of all."""
    of = _called(campaign, situation)
    return [each for each in campaign.open_plans() if of in (None, each.situation)]


def _of(campaign: "Campaign", situation: str | None) -> str:
    """The situation of plans, in a sentence."""
    return "" if situation is None else f" ({_called(campaign, situation)})"


def _called(campaign: "Campaign", situation: str | None) -> str | None:
    """The present name of a situation; None if none is given."""
    situations = campaign.settings.situations
    return None if situation is None else situations.name(situations.find(situation))


def _in_words(campaign: "Campaign", plan_id: str) -> dict[str, str]:
    """Say what can be taken back of a plan, and who wrote it."""
    from allotment.campaign.history.event_parts import report_words

    told = report_words({name: str(count) for name, count in campaign.plan(plan_id).told.items()})
    return {
        what: f"{f'{told}; ' if what == 'report' and told else ''}by {', '.join(authors)}"
        for what, authors in campaign.in_force(plan_id).items()
    }
