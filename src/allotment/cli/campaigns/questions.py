"""`allotment status`, `explain`, `frontier`, `what-if` and `forecast`: answers; nothing is written."""

from pathlib import Path
from typing import Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.asking import ExcludeOption, FixOption, RequireOption
from allotment.cli.campaigns.places import ForAll, changes_from
from allotment.cli.campaigns.shared import (
    CampaignOption,
    CsvOption,
    GroupOption,
    HalfLifeOption,
    PlotOption,
    ScaleOption,
    StoreArgument,
    UnitOption,
    by_name,
    draw,
    opened,
    patiently,
    show,
)
from allotment.cli.inputs import JsonOption


@app.command(rich_help_panel=CAMPAIGNS)
def status(
    store: StoreArgument,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show what is known of every place, and what each amount prevents there."""
    with opened(store, campaign) as it, patiently():
        answer = it.status()
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)


@app.command(rich_help_panel=CAMPAIGNS)
def explain(
    store: StoreArgument,
    plan: Annotated[str | None, typer.Argument(help="The plan's number; the last one by default.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the plan on a map, if places have shapes (.png or .svg).")
    ] = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Say why a plan is what it is: a reason for every number."""
    from allotment.plots.figures import save_figure

    with opened(store, campaign) as it:
        meant = it.last_plan if plan is None else plan
        if plot is not None:
            save_figure(it.draw_map(meant), plot)
        show(it.explain(meant), json=json, as_csv=csv)


@app.command(rich_help_panel=CAMPAIGNS)
def frontier(
    store: StoreArgument,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show expected losses against budget, and what one unit more would buy."""
    with opened(store, campaign) as it, patiently():
        answer = it.frontier()
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)


@app.command("what-if", rich_help_panel=CAMPAIGNS)
def what_if(
    store: StoreArgument,
    budget: Annotated[str | None, typer.Option(help="Another budget.")] = None,
    most: ForAll = None,
    least: ForAll = None,
    severity: ForAll = None,
    threshold: ForAll = None,
    group: GroupOption = None,
    half_life: HalfLifeOption = None,
    unit: UnitOption = None,
    scale: ScaleOption = None,
    date: Annotated[str | None, typer.Option(help="The plan's date; today by default.")] = None,
    exclude: ExcludeOption = None,
    require: RequireOption = None,
    fix: FixOption = None,
    explore: Annotated[bool, typer.Option(help="Grant some in order to learn.")] = True,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the plan that would come next if something were otherwise."""
    given = locals()
    wishes: dict[str, Any] = {"exclude": exclude, "require": require, "fix": by_name("--fix", fix)}
    with opened(store, campaign) as it, patiently():
        changes = changes_from(it, given)
        changes |= {name: value for name, value in wishes.items() if value}
        show(it.what_if(**changes, date=date, explore=explore), json=json, as_csv=csv)
        if not json and not csv:
            print("Only tried: nothing was written.")


@app.command(rich_help_panel=CAMPAIGNS)
def forecast(
    store: StoreArgument,
    rounds: Annotated[int, typer.Option(help="How many rounds ahead.")] = 30,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the losses to expect: with this policy, and with what else one might do."""
    with opened(store, campaign) as it, patiently(seconds=40):
        answer = it.forecast(rounds)
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)
