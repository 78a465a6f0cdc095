"""`allotment night.db`: the state of a campaign, and what to do next."""

from allotment.cli.app import OVERVIEW, app
from allotment.cli.campaigns.shared import CampaignOption, StoreArgument, opened
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json
from allotment.cli.sentences import say


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
