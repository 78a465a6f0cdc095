"""`allotment record`, `effect` and `check`: whether plans work, and whether the model holds."""

from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import (
    CampaignOption,
    CsvOption,
    PlotOption,
    StoreArgument,
    draw,
    opened,
    patiently,
    show,
)
from allotment.cli.campaigns.situation_options import KnownSituation
from allotment.cli.inputs import JsonOption
from allotment.errors import ConflictError


@app.command(rich_help_panel=CAMPAIGNS)
def record(
    store: StoreArgument,
    by: Annotated[
        str, typer.Option(help="Add up rounds by month, week, situation, group or place.")
    ] = "month",
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Compare expected losses with what happened."""
    with opened(store, campaign) as it:
        answer = it.record(by=by)
        draw(plot, answer)
        show(answer, json=json, as_csv=csv)


@app.command(rich_help_panel=CAMPAIGNS)
def effect(
    store: StoreArgument,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show how many rounds control rounds need, and their cost.")
    ] = False,
    share: Annotated[
        str | None, typer.Option(help="With --plan: a further share of control rounds, such as 0.2.")
    ] = None,
    prevented: Annotated[
        str | None, typer.Option(help="With --plan: a further share of losses that plans prevent.")
    ] = None,
    situation: KnownSituation = None,
    plot: PlotOption = None,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the losses that plans prevent, by control rounds."""
    for option, given in (("--share", share), ("--prevented", prevented), ("--situation", situation)):
        if given is not None and not plan:
            raise ConflictError(f"{option} is given without --plan", f"--plan {option}", what=option)
    if plan and plot is not None:
        raise ConflictError("--plot is given with --plan", "one of them", what="--plot")
    with opened(store, campaign) as it:
        if plan:
            numbers = {"share": _number("--share", share), "prevented": _number("--prevented", prevented)}
            with patiently():
                answer = it.effect_duration(**numbers, situation=situation)
            show(answer, json=json, as_csv=csv)
            return
        found = it.effect()
        draw(plot, found)
        show(found, json=json, as_csv=csv)


@app.command(rich_help_panel=CAMPAIGNS)
def check(
    store: StoreArgument,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Check whether the model still holds. Alarms and warnings name their evidence and a remedy."""
    from allotment.campaign.answers.checks.finding import with_store

    with opened(store, campaign) as it, patiently(seconds=60):
        show(with_store(it.checkup(), store), json=json, as_csv=csv)


def _number(option: str, text: str | None) -> float | None:
    from allotment.campaign.forms.amounts import exact

    return None if text is None else float(exact(option, text))
