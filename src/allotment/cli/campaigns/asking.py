"""`allotment ask` and `show`: the plans of a date."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.setting_options import AskedSituation, PlanSituation
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
    print_csv,
)
from allotment.cli.campaigns.shared import (
    show as show_answer,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json, say
from allotment.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.planning.plan import Plan
    from allotment.campaign.planning.standing_plan import DayPlan

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
    situation: AskedSituation = None,
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
    """Make the plans for a date, or show the open ones."""
    from allotment.campaign.warm_planner import compile_planner_in_background

    with opened(store, campaign, author) as it, patiently():
        wanted: dict[str, Any] = {
            "situation": situation,
            "budget": budget,
            "exclude": names_from(exclude, it.settings),
            "require": names_from(require, it.settings),
            "fix": by_name("--fix", fix) or None,
            "moves": moves,
            "explore": explore,
            "again": again,
            "key": key,
        }
        found = (it.plan_for(date, **wanted, also=True),) if also else it.plans_for(date, **wanted)
        notes = {each.plan.id: _notes(each) for each in found}
        listed = situation is None and bool(it.settings.situations)
        show_plans([each.plan for each in found], json=json, csv=csv, listed=listed, notes=notes)
        compile_planner_in_background(it.settings)


def _notes(found: "DayPlan") -> list[str]:
    """Who made a plan that was there before, and what has been recorded since."""
    if found.made:
        return []
    said = [f"Plan {found.plan.id} was made before, by {found.plan.by}."]
    if found.ignores_orders:
        said.append(f"It is {found.plan.state}, so that the orders of this command do not apply to it.")
    if found.changes:
        said.append(f"Since then: {'; '.join(found.changes)}. To plan anew, add --again.")
    return said


@app.command(rich_help_panel=CAMPAIGNS)
def show(
    store: StoreArgument,
    date: DateOrLatest = None,
    situation: PlanSituation = None,
    plan: PlanOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the plans of a date again, or one of them."""
    with opened(store, campaign) as it:
        listed = plan is None and situation is None and bool(it.settings.situations)
        show_plans(plans_meant(it, date, situation, plan), json=json, csv=csv, listed=listed)


def show_plans(
    plans: "Sequence[Plan]",
    *,
    json: bool,
    csv: bool,
    listed: bool,
    notes: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Print plans one after the other, each with its notes; JSON is a list if they are to be `listed`."""
    if json:
        print_json([plan.to_dict() for plan in plans] if listed else plans[0].to_dict())
    elif csv:
        print_csv(*_one_table(plans))
    else:
        for position, plan in enumerate(plans):
            if position:
                print()
            if len(plans) > 1:
                say(f"Situation {plan.situation}")
            show_answer(plan)
            for sentence in (notes or {}).get(plan.id, ()):
                say(sentence)


def _one_table(plans: "Sequence[Plan]") -> tuple[Sequence[str], list[Sequence[Any]]]:
    """The columns and rows of plans in one table. With situations, each row names its own."""
    columns = max((plan.columns() for plan in plans), key=len)
    if plans[0].situation is None:
        return columns, list[Sequence[Any]](plans[0].rows())
    rows: list[Sequence[Any]] = []
    for plan in plans:
        for row in plan.rows():
            known = dict(zip(plan.columns(), row, strict=True))
            rows.append((plan.situation, *map(known.get, columns)))
    return ("situation", *columns), rows


def plan_meant(campaign: "Campaign", date: str | None, situation: str | None, plan: str | None) -> "Plan":
    """Find one plan by its number, or by its date and situation; an error if several are meant."""
    from allotment.campaign.forms.amounts import listed

    found = plans_meant(campaign, date, situation, plan)
    if len(found) > 1:
        raise ConflictError(
            f"{found[0].date} has a plan for each of {listed(each.situation for each in found)}",
            "--situation and one of them",
            what="situation",
        )
    return found[0]


def plans_meant(
    campaign: "Campaign", date: str | None, situation: str | None, plan: str | None
) -> "list[Plan]":
    """Find a plan by its number, or the plans of a date: the newest one of each situation.

    Without a number or a date, it finds the plans of today, or of the latest date that has one.
    """
    if plan is not None:
        check_one_way(plan, date, situation)
        return [campaign.plan(plan)]
    newest = campaign.latest(date or "today", situation)
    if newest is None and date is None:
        newest = campaign.latest(situation=situation)
    if newest is None:
        which = "yet" if date is None else f"for {campaign.day(date)}"
        of = "" if situation is None else f" in situation {situation}"
        raise NotFoundError(
            f"there is no plan {which}{of}", "a plan first; `allotment ask` makes one", what="plan"
        )
    if situation is not None or newest.situation is None:
        return [newest]
    in_order = dict.fromkeys((*campaign.situations_on(newest.date), *campaign.settings.situations.names))
    return [found for each in in_order if (found := campaign.latest(newest.date, each)) is not None]


def check_one_way(plan: str, date: str | None, situation: str | None) -> None:
    """Refuse a plan that is named by its number and in another way."""
    for option, given in (("--date", date), ("--situation", situation)):
        if given is not None:
            wrong = f"both --plan and {option} are given"
            raise ConflictError(wrong, "one of them", what="plan", value=plan)
