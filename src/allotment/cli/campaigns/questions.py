"""The overview, `status`, `unreported`, `explain`, `frontier`, `what-if` and `forecast`: they only read."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, OVERVIEW, app
from allotment.cli.campaigns.asking import (
    DateOrLatest,
    ExcludeOption,
    FixOption,
    PlanOption,
    RequireOption,
    plan_meant,
)
from allotment.cli.campaigns.setting_options import (
    TRY,
    KnownSituation,
    PlanSituation,
    changes_from,
    setting_options,
)
from allotment.cli.campaigns.shared import (
    CampaignOption,
    CsvOption,
    PlotOption,
    StoreArgument,
    by_name,
    draw,
    names_from,
    opened,
    patiently,
    show,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json, say
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign


@app.command(OVERVIEW, hidden=True)
def overview(store: StoreArgument, campaign: CampaignOption = None, json: JsonOption = False) -> None:
    """Show the state of a campaign, and what to do next."""
    with opened(store, campaign) as it:
        found = it.overview()
    if json:
        print_json(found.to_dict())
        return
    for sentence in found.sentences():
        say(sentence)
    for step, command in found.next_steps():
        say(f"{step}: {command}{f' -c {campaign}' if campaign else ''}")


@app.command(rich_help_panel=CAMPAIGNS)
def status(
    store: StoreArgument,
    situation: KnownSituation = None,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the settings, and each place with its loss rate."""
    from allotment.campaign.answers.checks.finding import FEWEST_DAYS

    with opened(store, campaign) as it, patiently():
        answer = it.status(situation=situation)
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)
        if not json and not csv:
            _name_others(it, situation, answer.situation)
            if answer.plans >= FEWEST_DAYS:
                say(f"To check whether the model still holds: allotment check {shlex.quote(store)}")


@app.command(rich_help_panel=CAMPAIGNS)
def unreported(
    store: StoreArgument,
    days: Annotated[int, typer.Option(help="The smallest number of days without a report.")] = 7,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """List places without a report for some days."""
    with opened(store, campaign) as it:
        show(it.unreported(days), json=json, as_csv=csv)


@app.command(rich_help_panel=CAMPAIGNS)
def explain(
    store: StoreArgument,
    what: Annotated[
        str | None,
        typer.Argument(metavar="PLAN|PLACE", help="The number of a plan, or the name of a place."),
    ] = None,
    date: DateOrLatest = None,
    situation: PlanSituation = None,
    plan: PlanOption = None,
    table: Annotated[bool, typer.Option("--table", help="Show all numbers as a table.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the plan on a map, if places have shapes (.png or .svg).")
    ] = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Explain a plan, or the amount of one place."""
    from allotment.plots.figures import save_figure

    with opened(store, campaign) as it:
        place = None
        if what is not None and (plan is not None or not what.isdecimal()):
            place = what
        elif what is not None:
            plan = what
        meant = plan_meant(it, date, situation, plan).id
        if plot is not None:
            save_figure(it.draw_map(meant), plot)
        if place is not None:
            show(it.explain_place(meant, place), json=json, as_csv=csv)
        else:
            why = it.explain(meant)
            show(why, json=json, as_csv=csv, rows=table, sentences=not table)


@app.command(rich_help_panel=CAMPAIGNS)
def frontier(
    store: StoreArgument,
    target: Annotated[
        str | None, typer.Option(help="Find the smallest budget with at most this many expected losses.")
    ] = None,
    cost: Annotated[bool, typer.Option("--cost", help="Read the target as a cost.")] = False,
    situation: KnownSituation = None,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show expected losses by budget. Also the effect of one unit more."""
    if cost and target is None:
        raise ConflictError("--cost is given without --target", "--target and a cost", what="--cost")
    from allotment.campaign.forms.amounts import exact

    aim = None if target is None else float(exact("--target", target))
    with opened(store, campaign) as it, patiently():
        answer = it.frontier(target=aim, cost=cost, situation=situation)
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)
        if not json and not csv:
            _name_others(it, situation, answer.situation)


@app.command("what-if", rich_help_panel=CAMPAIGNS)
@setting_options(TRY)
def what_if(
    store: StoreArgument,
    date: Annotated[str | None, typer.Option(help="The date of the plan. Defaults to today.")] = None,
    situation: KnownSituation = None,
    exclude: ExcludeOption = None,
    require: RequireOption = None,
    fix: FixOption = None,
    explore: Annotated[bool, typer.Option(help="Grant some amounts in order to learn.")] = True,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
    **given: Any,
) -> None:
    """Show the next plan under other settings."""
    with opened(store, campaign) as it, patiently():
        wishes: dict[str, Any] = {
            "exclude": names_from(exclude, it.settings),
            "require": names_from(require, it.settings),
            "fix": by_name("--fix", fix),
        }
        changes = changes_from(it, given)
        changes |= {name: value for name, value in wishes.items() if value}
        show(it.what_if(**changes, date=date, situation=situation, explore=explore), json=json, as_csv=csv)
        if not json and not csv:
            say("Only tried: nothing was written.")


@app.command(rich_help_panel=CAMPAIGNS)
def forecast(
    store: StoreArgument,
    rounds: Annotated[int, typer.Option(help="The number of rounds.")] = 30,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Forecast losses of the next rounds. With this policy, and with simpler plans."""
    with opened(store, campaign) as it, patiently(seconds=40):
        answer = it.forecast(rounds)
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)


def _name_others(campaign: "Campaign", chosen: str | None, shown: str | None) -> None:
    """Say which other situations can be asked for, unless the user chose one."""
    from allotment.campaign.forms.amounts import listed

    others = [name for name in campaign.settings.situations.names if name != shown]
    if others and chosen is None:
        say(f"These numbers are for {shown}. For another situation, add --situation ({listed(others)}).")
