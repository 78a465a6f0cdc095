"""`allotment close`, `cancel` and `undo`: change the state of a plan."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.prompting import choice
from allotment.cli.campaigns.shared import AuthorOption, CampaignOption, KeyOption, StoreArgument, opened
from allotment.cli.sentences import say
from allotment.errors import InputError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign


@app.command(rich_help_panel=CAMPAIGNS)
def close(
    store: StoreArgument,
    plans: Annotated[
        list[str] | None, typer.Argument(metavar="PLAN", help="The numbers of the plans.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="DATE", help="Close all open plans before this date.")
    ] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Close a plan: expect no more reports."""
    if bool(plans) == (before is not None):
        raise InputError(
            "close needs the numbers of plans, or --before",
            "one of them, such as --before yesterday",
            what="plan",
        )
    with opened(store, campaign, author) as it:
        meant = list(plans or ())
        if before is not None:
            meant = [each.id for each in it.open_plans() if each.date < it.day(before)]
        for plan in meant:
            it.close_plan(plan, key=key if key is None or len(meant) == 1 else f"{key} {plan}")
        if not meant:
            say(f"No plan before {it.day(before)} is open.")
        elif len(meant) == 1:
            say(f"Plan {meant[0]} is closed. Late reports are still taken.")
        else:
            say(f"{len(meant)} plans are closed. Late reports are still taken.")


@app.command(rich_help_panel=CAMPAIGNS)
def cancel(
    store: StoreArgument,
    plan: Annotated[str, typer.Argument(help="The plan's number.")],
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Cancel a plan that is not carried out."""
    with opened(store, campaign, author) as it:
        it.cancel(plan, key=key)
        say(f"Plan {plan} is cancelled.")


@app.command(rich_help_panel=CAMPAIGNS)
def undo(
    store: StoreArgument,
    undone: Annotated[str, typer.Argument(metavar="ID", help="A plan's number, or an import: import-1.")],
    what: Annotated[
        str | None, typer.Option(help="What to take back: report, cancellation or closing.")
    ] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Take back a report, a cancellation, a closing or an import."""
    from allotment.campaign.amounts import count_of

    with opened(store, campaign, author) as it:
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


def _in_words(campaign: "Campaign", plan_id: str) -> dict[str, str]:
    """Say what can be taken back of a plan, and who wrote it."""
    from allotment.campaign.telling import report_words

    told = report_words({name: str(count) for name, count in campaign.plan(plan_id).told.items()})
    return {
        what: f"{f'{told}; ' if what == 'report' and told else ''}by {', '.join(authors)}"
        for what, authors in campaign.in_force(plan_id).items()
    }
