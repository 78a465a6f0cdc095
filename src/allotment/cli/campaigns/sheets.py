"""`allotment sheet`: a plan on paper."""

from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.asking import DateOrLatest, PlanOption, plan_meant
from allotment.cli.campaigns.shared import CampaignOption, StoreArgument, opened
from allotment.cli.sentences import say


@app.command(rich_help_panel=CAMPAIGNS)
def sheet(
    store: StoreArgument,
    out: Annotated[Path, typer.Option(help="The file to write (.html or .pdf).")],
    date: DateOrLatest = None,
    plan: PlanOption = None,
    campaign: CampaignOption = None,
) -> None:
    """Write a plan as a duty sheet to print."""
    with opened(store, campaign) as it:
        meant = plan_meant(it, date, plan)
        it.sheet(meant.id, out)
        say(f"{out} holds the duty sheet of plan {meant.id} for {meant.date}.")
