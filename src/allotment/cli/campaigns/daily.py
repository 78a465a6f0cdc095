"""`allotment new` and `import`: how a campaign begins."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    DayStartsOption,
    GroupOption,
    HalfLifeOption,
    KeyOption,
    MovesOption,
    ScaleOption,
    StoreArgument,
    by_name,
    groups_from,
    moves_in,
    opened,
    texts_in,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json
from allotment.cli.sentences import say
from allotment.errors import InputError

if TYPE_CHECKING:
    from allotment.campaign.logs.import_report import ImportReport

REPORTS = {  # what a campaign records, and how to choose the other
    "binary": "Reports of {seen} are yes or no: 1 if anything happened at a place, 0 if nothing did. "
    "To report how often, create the campaign with --losses counts.",
    "counts": "Reports of {seen} are counts: how often something happened at a place. "
    "To report only yes or no, create the campaign with --losses binary.",
}


@app.command(rich_help_panel=CAMPAIGNS)
def new(
    store: StoreArgument,
    budget: Annotated[str, typer.Option(help="What can be granted in a round, in your own units.")],
    unit: Annotated[str, typer.Option(help="The smallest amount worth granting.")],
    places: Annotated[
        Path | None,
        typer.Option(
            help="A table of places: name, most, and if wanted least, crew, severity, group, threshold."
        ),
    ] = None,
    arms: Annotated[Path | None, typer.Option(hidden=True)] = None,  # the option's name in earlier versions
    name: Annotated[
        str | None, typer.Option(help="What the campaign is called; the file's name by default.")
    ] = None,
    most: Annotated[
        str | None, typer.Option(help="The most that a place can use, if the table does not say.")
    ] = None,
    crew: Annotated[
        str | None,
        typer.Option(help="What a place gets at least if it gets anything, if the table does not say."),
    ] = None,
    moves: MovesOption = None,
    group: GroupOption = None,
    sees: Annotated[
        str, typer.Option(help="What is reported: losses, or finds (what was prevented).")
    ] = "losses",
    losses: Annotated[str, typer.Option(help="binary (yes or no), or counts.")] = "binary",
    half_life: HalfLifeOption = None,
    scale: ScaleOption = None,
    timezone: Annotated[
        str | None, typer.Option(help="The time zone of dates: Europe/Vienna. Defaults to this machine's.")
    ] = None,
    day_starts: DayStartsOption = None,
    shapes: Annotated[Path | None, typer.Option(help="Outlines of the places on a map (GeoJSON).")] = None,
    policy: Annotated[
        str, typer.Option(help="Who decides, with parameters if wanted: any-response:draws=1.")
    ] = "any-response",
    seed: Annotated[int | None, typer.Option(help="The same seed and reports give the same plans.")] = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Begin a campaign: places, a budget, the smallest unit."""
    from allotment.campaign.amounts import count_of, listed, written
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.history.store.connecting import is_url
    from allotment.campaign.logs.arm_table import read_arms
    from allotment.campaign.planning.crews import ruled_out_by_moves
    from allotment.campaign.planning.warm_planner import compile_planner_in_background

    if name is None and is_url(store):
        raise InputError("the campaign has no name", "--name", what="name")
    if (table := places or arms) is None:
        raise InputError("there are no places", "--places, a table of them with name and most", what="places")
    described = read_arms(table, most, crew)
    with Campaign.create(
        store,
        name or Path(store).stem,
        budget=budget,
        unit=unit,
        **{**described, "groups": groups_from(group, described["groups"])},
        sees=sees,
        losses=losses,
        half_life=half_life,
        moves=None if moves is None else moves_in(moves),
        scale=scale,
        timezone=timezone,
        day_starts=day_starts,
        shapes=shapes,
        policy=policy,
        seed=seed,
        author=author,
        key=key,
    ) as campaign:
        settings = campaign.settings
        size = count_of(len(settings.arms), "place")
        amounts = f"{written(settings.budget)} a round in units of {written(settings.unit)}"
        say(f"Campaign {campaign.name} in {campaign.store.name}: {size}, {amounts}.")
        say(REPORTS[losses].format(seen=sees))
        for sentence in ruled_out_by_moves(settings):
            say(sentence)
        others = [each for each in campaign.store.campaigns() if each != campaign.name]
        if others:
            say(f"{campaign.store.name} also holds {listed(others)}. Name the campaign with --campaign.")
        compile_planner_in_background(settings)


def _show_import(report: "ImportReport", *, json: bool) -> None:
    """A report in sentences: the same mistake on a thousand lines is one of them.

    The error that follows says what is wrong with the first line. If all lines share that, it is said once.
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
        Path, typer.Argument(help="CSV, Excel or Parquet: date, place, amount, incidents, exposure.")
    ],
    amount: Annotated[str | None, typer.Option(help="What was granted where the log does not say.")] = None,
    period: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="FIRST LAST", help="Days for which a log of incidents is complete; the others were quiet."
        ),
    ] = None,
    incidents: Annotated[
        str, typer.Option(help="count, or any: a round with any incident is one loss.")
    ] = "count",
    correct: Annotated[bool, typer.Option("--correct", help="Replace what is known otherwise.")] = False,
    columns: Annotated[
        str | None,
        typer.Option(metavar="OURS=THEIRS,…", help="Names of the log's columns: place=Ort,date=Datum."),
    ] = None,
    header: Annotated[int | None, typer.Option(help="The row of the heading; 1 by default.")] = None,
    sheet: Annotated[
        str | None, typer.Option(help="The sheet of an Excel file; the first by default.")
    ] = None,
    dates: Annotated[str | None, typer.Option(help="The order of ambiguous dates: dmy, mdy or ymd.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
) -> None:
    """Import a log: years of rows, in one step."""
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
