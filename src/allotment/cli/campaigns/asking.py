"""`allotment ask` and `show`: the plan of a date."""

from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    CsvOption,
    KeyOption,
    StoreArgument,
    by_name,
    names_from,
    opened,
    patiently,
)
from allotment.cli.campaigns.shared import (
    show as show_answer,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.sentences import say
from allotment.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.planning.plan import Plan

ExcludeOption = Annotated[
    list[str] | None, typer.Option(help="Places that get nothing: Dock,Gate (repeatable).")
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option(help="Places that get at least one unit, or their crew: Dock,Gate (repeatable)."),
]
FixOption = Annotated[
    list[str] | None, typer.Option(help="The exact amount of a place: Dock=2.5 (repeatable).")
]
DateOption = Annotated[
    str | None, typer.Option(help="The date of the plan: 2026-03-31, 31.3.26, yesterday. Defaults to today.")
]

DateOrLatest = Annotated[
    str | None, typer.Option(help="The date of the plan. Defaults to today, or else the latest plan.")
]
PlanOption = Annotated[str | None, typer.Option(help="The number of the plan.")]


@app.command(rich_help_panel=CAMPAIGNS)
def ask(
    store: StoreArgument,
    date: DateOption = None,
    budget: Annotated[str | None, typer.Option(help="The budget for this plan only.")] = None,
    exclude: ExcludeOption = None,
    require: RequireOption = None,
    fix: FixOption = None,
    moves: Annotated[str | None, typer.Option(help="The limit of moves for this plan only.")] = None,
    explore: Annotated[bool, typer.Option(help="Grant some amounts in order to learn.")] = True,
    again: Annotated[bool, typer.Option("--again", help="Replace the open plan of the date.")] = False,
    also: Annotated[bool, typer.Option("--also", help="Make another plan for the date.")] = False,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Make the plan for a date, or show the open one."""
    from allotment.campaign.planning.warm_planner import compile_planner_in_background

    with opened(store, campaign, author) as it, patiently():
        found = it.plan_for(
            date,
            budget=budget,
            exclude=names_from(exclude, it.settings),
            require=names_from(require, it.settings),
            fix=by_name("--fix", fix) or None,
            moves=moves,
            explore=explore,
            again=again,
            also=also,
            key=key,
        )
        show_answer(found.plan, json=json, as_csv=csv)
        if not found.made and not json and not csv:
            say(f"Plan {found.plan.id} was made before, by {found.plan.by}.")
            if found.changes:
                say(f"Since then: {'; '.join(found.changes)}. To plan anew, add --again.")
        compile_planner_in_background(it.settings)


@app.command(rich_help_panel=CAMPAIGNS)
def show(
    store: StoreArgument,
    date: DateOrLatest = None,
    plan: PlanOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show a plan again."""
    with opened(store, campaign) as it:
        show_answer(plan_meant(it, date, plan), json=json, as_csv=csv)


def plan_meant(campaign: "Campaign", date: str | None, plan: str | None) -> "Plan":
    """Find the plan by its number or date; without either, today's or the latest plan."""
    if plan is not None and date is not None:
        raise ConflictError("both --plan and --date are given", "one of them", what="plan", value=plan)
    if plan is not None:
        return campaign.plan(plan)
    found = campaign.latest(date or "today") or (campaign.latest() if date is None else None)
    if found is None:
        which = "yet" if date is None else f"for {campaign.day(date)}"
        raise NotFoundError(
            f"there is no plan {which}", "a plan first; `allotment ask` makes one", what="plan"
        )
    return found
