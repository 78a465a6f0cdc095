"""`allotment sheet`: plans on paper."""

from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.asking import DateOrLatest, PlanOption, plans_meant
from allotment.cli.campaigns.setting_options import PlanSituation
from allotment.cli.campaigns.shared import CampaignOption, StoreArgument, opened
from allotment.cli.output import say


@app.command(rich_help_panel=CAMPAIGNS)
def sheet(
    store: StoreArgument,
    out: Annotated[Path, typer.Option(help="The file to write (.html or .pdf).")],
    date: DateOrLatest = None,
    situation: PlanSituation = None,
    plan: PlanOption = None,
    campaign: CampaignOption = None,
) -> None:
    """Write the plans of a date as duty sheets to print."""
    from allotment.campaign.forms.amounts import listed

    with opened(store, campaign) as it:
        meant = plans_meant(it, date, situation, plan)
        it.sheet([each.id for each in meant], out)
        first = meant[0]
        if first.situation is None:
            say(f"{out} holds the duty sheet of plan {first.id} for {first.date}.")
        else:
            sheets = "duty sheet" if len(meant) == 1 else "duty sheets"
            plans = listed(f"plan {each.id} ({each.situation})" for each in meant)
            say(f"{out} holds the {sheets} of {plans} for {first.date}.")
