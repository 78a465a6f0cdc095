"""`allotment situations`: the kinds of rounds that a campaign distinguishes."""

from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    CsvOption,
    KeyOption,
    StoreArgument,
    opened,
    print_csv,
    print_rows,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json
from allotment.cli.sentences import say


@app.command(rich_help_panel=CAMPAIGNS)
def situations(
    store: StoreArgument,
    rename: Annotated[
        tuple[str, str] | None, typer.Option(metavar="OLD NEW", help="Rename a situation.")
    ] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """List the situations and the calendar; or rename a situation."""
    from allotment.campaign.answers.settings.settings_words import (
        SITUATION_COLUMNS,
        calendar_sentence,
        situation_rows,
    )

    with opened(store, campaign, author) as it:
        if rename is not None:
            it.rename_situation(*rename, key=key)
        settings, rows = it.settings, situation_rows(it.settings)
    if json:
        named = [dict(zip(SITUATION_COLUMNS, row, strict=True)) for row in rows]
        print_json({"situations": named, "calendar": settings.situations.calendar_data()})
    elif csv:
        print_csv(SITUATION_COLUMNS, rows)
    elif rename is not None:
        say(f"{rename[0]} is now called {rename[1]}. The old name is still understood.")
    elif rows:
        shown = len(SITUATION_COLUMNS) - (not any(row[-1] for row in rows))
        print_rows(SITUATION_COLUMNS[:shown], [row[:shown] for row in rows])
        say(calendar_sentence(settings.situations))
    else:
        say("This campaign has no situations. To add some: allotment change --situations weekday,weekend")
