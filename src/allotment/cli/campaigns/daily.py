"""`allotment new` and `import`: start a campaign."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.setting_options import (
    CALENDAR_EXAMPLE,
    NEW,
    WithControl,
    first_values,
    places_in,
    setting_options,
)
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    KeyOption,
    StoreArgument,
    by_name,
    opened,
    texts_in,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json, say
from allotment.errors import InputError

if TYPE_CHECKING:
    from allotment.campaign.logs.import_report import ImportReport

REPORTS = {  # what a campaign records, and how to choose the other
    "binary": "Reports of {seen} are yes or no: 1 if anything happened at a place, 0 if nothing did. "
    "To report how often, create the campaign with --losses counts.",
    "counts": "Reports of {seen} are counts: how often something happened at a place. "
    "To report only yes or no, create the campaign with --losses binary.",
}


@app.command(rich_help_panel=CAMPAIGNS, epilog=CALENDAR_EXAMPLE, cls=WithControl)
@setting_options(NEW)
def new(
    store: StoreArgument,
    places: Annotated[
        Path | None,
        typer.Option(
            help="A table of places with the columns name and most, and any other setting of a place."
        ),
    ] = None,
    arms: Annotated[Path | None, typer.Option(hidden=True)] = None,  # the option's name in earlier versions
    name: Annotated[
        str | None, typer.Option(help="The name of the campaign. Defaults to the file's name.")
    ] = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    **given: Any,
) -> None:
    """Create a campaign from places, a budget and a unit."""
    from allotment.campaign.answers.change_words import control_meaning
    from allotment.campaign.answers.settings_words import budget_words, situation_sentences
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.forms.amounts import count_of, listed, written
    from allotment.campaign.history.store.connecting import is_url
    from allotment.campaign.planning.plan_bounds import ruled_out_by_moves
    from allotment.campaign.warm_planner import compile_planner_in_background

    if name is None and is_url(store):
        raise InputError("the campaign has no name", "--name", what="name")
    if (table := places or arms) is None:
        raise InputError("there are no places", "--places, a table of them with name and most", what="places")
    values = first_values(given, places_in(table, given))
    with Campaign.create(
        store,
        name or Path(store).stem,
        **values,
        author=author,
        key=key,
    ) as campaign:
        settings = campaign.settings
        size = count_of(len(settings.arms), "place")
        amounts = f"{budget_words(settings)} a round in units of {written(settings.unit)}"
        say(f"Campaign {campaign.name} in {campaign.store.name}: {size}, {amounts}.")
        say(REPORTS[settings.losses].format(seen=settings.sees))
        several = (*situation_sentences(settings), *ruled_out_by_moves(settings), *control_meaning(settings))
        for sentence in several:
            say(sentence)
        others = [each for each in campaign.store.campaigns() if each != campaign.name]
        if others:
            say(f"{campaign.store.name} also holds {listed(others)}. Name the campaign with --campaign.")
        compile_planner_in_background(settings)


def _show_import(report: "ImportReport", *, json: bool) -> None:
    """Print a report in sentences, with one sentence for the same mistake on many lines.

    The error that follows names the mistake of the first line. If all lines share it, it is printed once.
    """
    if json:
        print_json(report.to_dict())
        return
    for sentence in report.sentences(mistakes=len({each.mistake for each in report.refused}) > 1):
        say(sentence)


@app.command("import", rich_help_panel=CAMPAIGNS)
def import_log(
    store: StoreArgument,
    log: Annotated[
        Path,
        typer.Argument(
            help="The log (CSV, Excel, Parquet): date, place, amount, incidents, exposure, situation."
        ),
    ],
    amount: Annotated[str | None, typer.Option(help="The amount of rows without one.")] = None,
    period: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="FIRST LAST", help="The days that the log covers; days without a row were quiet."
        ),
    ] = None,
    incidents: Annotated[
        str, typer.Option(help="count: count incidents. any: a round with incidents is one loss.")
    ] = "count",
    correct: Annotated[bool, typer.Option("--correct", help="Replace different rows and reports.")] = False,
    columns: Annotated[
        str | None,
        typer.Option(metavar="OURS=THEIRS,…", help="Names of the log's columns: place=Ort,date=Datum."),
    ] = None,
    header: Annotated[int | None, typer.Option(help="The row of the heading. Defaults to 1.")] = None,
    sheet: Annotated[
        str | None, typer.Option(help="The sheet of an Excel file. Defaults to the first.")
    ] = None,
    dates: Annotated[str | None, typer.Option(help="The order of ambiguous dates: dmy, mdy or ymd.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would happen.")] = False,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
) -> None:
    """Import a log of past incidents as evidence."""
    from allotment.campaign.logs.import_report import RefusedError

    with opened(store, campaign, author) as it:
        options: dict[str, Any] = {
            "amount": amount,
            "period": period,
            "incidents": incidents,
            "correct": correct,
            "columns": by_name("--columns", texts_in(columns or "")) or None,
            "header": header,
            "sheet": sheet,
            "dates": dates,
        }
        try:
            report = it.import_log(log, **options, dry_run=dry_run, key=key)
        except RefusedError as refused:
            _show_import(refused.report, json=json)
            raise
        _show_import(report, json=json)
        if report.refused:  # of a dry run
            raise RefusedError(report)
        if report.id is not None and not json:
            say(f"To take it back: allotment undo {it.store.name} {report.id}")
