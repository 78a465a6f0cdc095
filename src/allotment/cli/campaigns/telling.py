"""`allotment tell` and `remark`: report what happened."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.asking import check_one_way
from allotment.cli.campaigns.prompting import choice, told_at_the_prompt
from allotment.cli.campaigns.setting_options import PlanSituation
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    KeyOption,
    StoreArgument,
    by_name,
    count_in,
    opened,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json, say
from allotment.errors import ConflictError, InputError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.planning.plan import Plan

QUIET = "quiet"


@app.command(rich_help_panel=CAMPAIGNS)
def tell(
    store: StoreArgument,
    reports: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLACE=LOSSES", help="The reports: Dock=1 Gate=0. Asked for if left out."),
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(help="The date of the plan: 2026-03-31, yesterday. Defaults to today or yesterday."),
    ] = None,
    situation: PlanSituation = None,
    plan: Annotated[str | None, typer.Option(help="The number of the plan.")] = None,
    others: Annotated[
        str | None, typer.Option(metavar="quiet", help="Report 0 for all places without a report.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="A table: place, losses, and optionally amount.")] = None,
    amount: Annotated[
        list[str] | None, typer.Option(help="The amount a place actually received: Dock=2.5 (repeatable).")
    ] = None,
    correct: Annotated[
        bool, typer.Option("--correct", help="Replace earlier reports; Dock= withdraws one.")
    ] = False,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
) -> None:
    """Report what happened. Without reports, it asks place by place."""
    from allotment.campaign.forms.amounts import listed
    from allotment.campaign.history.event_parts import report_words
    from allotment.campaign.logs.arm_table import read_report
    from allotment.campaign.planning.plan import plan_words

    if plan is not None:
        check_one_way(plan, date, situation)
    if others not in (None, QUIET):
        raise InputError.of("--others", others, QUIET)
    losses: dict[str, Any] = {name: count_in(text) for name, text in by_name("a report", reports).items()}
    amounts: dict[str, Any] = by_name("--amount", amount)
    with opened(store, campaign, author) as it:
        meant = it.plan(_plan_meant(it, date, situation) if plan is None else plan)
        if file is not None:
            told, granted = read_report(file)
            losses, amounts = (
                {**{name: count_in(text) for name, text in told.items()}, **losses},
                {**granted, **amounts},
            )
        if others:
            losses = {**_others_quiet(it, meant, losses), **losses}
        if losses or amounts:
            it.tell(meant.id, losses, amounts=amounts, correct=correct, key=key)
        else:
            told_at_the_prompt(it, meant, key)
        known = it.plan(meant.id)
        which = plan_words(meant.id, meant.date, meant.situation, capital=True)
        left, so_far = known.untold, report_words({name: str(count) for name, count in known.told.items()})
        if json:
            print_json({"plan": meant.id, "still_to_be_reported": list(left)})
        elif left:
            missing = f"still to be reported: {listed(left)}"
            say(f"{which}: {f'{so_far}; ' if so_far else ''}{missing}.")
        else:
            say(f"{which} is fully reported: {so_far}.")


def _plan_meant(campaign: "Campaign", date: str | None, situation: str | None) -> str:
    """Find the plan that a report is for; at a terminal, ask if there are several."""
    from allotment.campaign.forms.amounts import listed
    from allotment.campaign.history.plan_records import PARTLY_TOLD, WAITING

    candidates = campaign.to_report(date, situation)
    if len(candidates) == 1:
        return candidates[0].id
    if sys.stdin.isatty():
        return choice("Report which plan?", {each.id: str(each) for each in candidates})
    dates, situations = {each.date for each in candidates}, {each.situation for each in candidates}
    expected = "--plan and a number"
    if len(dates) == len(candidates):
        expected = "--date and one of these dates"
    elif len(situations) == len(candidates):
        expected = f"--situation with one of {listed(each.situation for each in candidates)}"
    elif len({(each.date, each.situation) for each in candidates}) == len(candidates):
        expected = "--date and --situation of one of them"
    state = "await reports" if candidates[0].state in (WAITING, PARTLY_TOLD) else "are told or closed"
    raise ConflictError(f"{' and '.join(map(str, candidates))} {state}", expected, what="plan")


def _others_quiet(campaign: "Campaign", plan: "Plan", named: dict[str, Any]) -> dict[str, Any]:
    """Report 0 for each place without a report that is not named, under any of its names."""
    settings = campaign.settings
    taken = {settings.known(name) for name in named}
    return {name: 0 for name in plan.untold if settings.known(name) not in taken}


@app.command(rich_help_panel=CAMPAIGNS)
def remark(
    store: StoreArgument,
    text: Annotated[str, typer.Argument(help="The remark: 'Fair in town until midnight'.")],
    date: Annotated[str | None, typer.Option(help="The date that it is about. Defaults to today.")] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Write a remark about a date into the history."""
    with opened(store, campaign, author) as it:
        it.remark(text, date=date, key=key)
        say(f"The remark about {it.day(date)} is in the history. It changes no plan.")
