"""`allotment new`, `ask`, `tell`, `undo`, `cancel` and `import`: what is done every day."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    CsvOption,
    GroupOption,
    HalfLifeOption,
    KeyOption,
    ScaleOption,
    StoreArgument,
    by_name,
    count_in,
    groups_from,
    opened,
    patiently,
    show,
)
from allotment.cli.inputs import JsonOption
from allotment.errors import InputError

if TYPE_CHECKING:
    from allotment.campaign.planning.plan import Plan

ExcludeOption = Annotated[list[str] | None, typer.Option(help="A place that gets nothing (repeatable).")]
RequireOption = Annotated[
    list[str] | None, typer.Option(help="A place that gets at least one unit (repeatable).")
]
FixOption = Annotated[
    list[str] | None, typer.Option(help="A place and exactly what it gets: Dock=2.5 (repeatable).")
]


@app.command(rich_help_panel=CAMPAIGNS)
def new(
    store: StoreArgument,
    arms: Annotated[
        Path,
        typer.Option(help="A table of places: name, most, and if wanted least, severity, group, threshold."),
    ],
    budget: Annotated[str, typer.Option(help="What can be granted in a round, in your own units.")],
    unit: Annotated[str, typer.Option(help="The smallest amount worth granting.")],
    name: Annotated[
        str | None, typer.Option(help="What the campaign is called; the file's name by default.")
    ] = None,
    most: Annotated[
        str | None, typer.Option(help="The most that a place can use, if the table does not say.")
    ] = None,
    group: GroupOption = None,
    sees: Annotated[
        str, typer.Option(help="What is reported: losses, or finds (what was prevented).")
    ] = "losses",
    losses: Annotated[str, typer.Option(help="binary (yes or no), or counts.")] = "binary",
    half_life: HalfLifeOption = None,
    scale: ScaleOption = None,
    timezone: Annotated[
        str | None, typer.Option(help="Of the dates of plans, such as Europe/Vienna.")
    ] = None,
    shapes: Annotated[Path | None, typer.Option(help="Outlines of the places on a map (GeoJSON).")] = None,
    policy: Annotated[
        str, typer.Option(help="Who decides, with parameters if wanted: any-response:draws=1.")
    ] = "any-response",
    seed: Annotated[int | None, typer.Option(help="The same seed and reports give the same plans.")] = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Begin a campaign: places, a budget, the smallest unit."""
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.history.store.connecting import is_url
    from allotment.campaign.logs.arm_table import read_arms
    from allotment.campaign.planning.warm_planner import compile_planner_in_background

    if name is None and is_url(store):
        raise InputError("the campaign has no name", "--name", what="name")
    places = read_arms(arms, most)
    with Campaign.create(
        store,
        name or Path(store).stem,
        budget=budget,
        unit=unit,
        **{**places, "groups": groups_from(group, places["groups"])},
        sees=sees,
        losses=losses,
        half_life=half_life,
        scale=scale,
        timezone=timezone,
        shapes=shapes,
        policy=policy,
        seed=seed,
        author=author,
        key=key,
    ) as campaign:
        count = len(campaign.settings.arms)
        where = f"Campaign {campaign.name} in {campaign.store.name}"
        print(f"{where}: {count} places, {budget} a round in units of {unit}.")
        compile_planner_in_background(campaign.settings)


@app.command(rich_help_panel=CAMPAIGNS)
def ask(
    store: StoreArgument,
    date: Annotated[str | None, typer.Option(help="The plan's date; today by default.")] = None,
    budget: Annotated[str | None, typer.Option(help="Another budget, for this plan only.")] = None,
    exclude: ExcludeOption = None,
    require: RequireOption = None,
    fix: FixOption = None,
    explore: Annotated[bool, typer.Option(help="Grant some in order to learn.")] = True,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Make the next plan, and keep it."""
    from allotment.campaign.planning.warm_planner import compile_planner_in_background

    with opened(store, campaign, author) as it, patiently():
        plan = it.ask(
            date=date,
            budget=budget,
            exclude=exclude or (),
            require=require or (),
            fix=by_name("--fix", fix) or None,
            explore=explore,
            key=key,
        )
        show(plan, json=json, as_csv=csv)
        compile_planner_in_background(it.settings)


@app.command(rich_help_panel=CAMPAIGNS)
def tell(
    store: StoreArgument,
    reports: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PLACE=LOSSES]...", help="What happened; asked for if left out."),
    ] = None,
    plan: Annotated[str | None, typer.Option(help="The plan's number; the only one not fully told.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="A table: place, losses, and if it differs amount.")
    ] = None,
    amount: Annotated[
        list[str] | None, typer.Option(help="What a place was granted in truth: Dock=2.5 (repeatable).")
    ] = None,
    correct: Annotated[
        bool, typer.Option("--correct", help="Replace what was told before; Dock= withdraws it.")
    ] = False,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
) -> None:
    """Report what happened; without reports, it asks place by place."""
    from allotment.campaign.logs.arm_table import read_report
    from allotment.cli.output import print_json

    with opened(store, campaign, author) as it:
        meant = it.waiting() if plan is None else it.plan(plan)
        losses: dict[str, Any] = {name: count_in(text) for name, text in by_name("a report", reports).items()}
        amounts: dict[str, Any] = by_name("--amount", amount)
        if file is not None:
            told, granted = read_report(file)
            losses, amounts = (
                {**{name: count_in(text) for name, text in told.items()}, **losses},
                {**granted, **amounts},
            )
        if not losses and not amounts:
            losses = _asked_for(meant)
        left = it.tell(meant.id, losses, amounts=amounts, correct=correct, key=key)
        if json:
            print_json({"plan": meant.id, "still_to_be_reported": list(left)})
        elif left:
            print(f"Plan {meant.id}: still to be reported: {', '.join(left)}.")
        else:
            print(f"Plan {meant.id} is fully reported.")


def _asked_for(plan: "Plan") -> dict[str, Any]:
    """Losses, place by place, as someone types them; nothing is kept if it is broken off."""
    print(
        f"Plan {plan.id} of {plan.date}. Losses at each place; Enter if not known, Ctrl-D when done.",
        file=sys.stderr,
    )
    found: dict[str, Any] = {}
    for name in plan.untold:
        while True:
            print(f"{name} (granted {plan.amounts[name]}): ", end="", file=sys.stderr, flush=True)
            text = sys.stdin.readline()
            if not text:
                print(file=sys.stderr)
                return found
            count = count_in(text)
            if count is None or (isinstance(count, int) and count >= 0):
                break
            print("A whole number, please.", file=sys.stderr)
        if count is not None:
            found[name] = count
    return found


@app.command(rich_help_panel=CAMPAIGNS)
def undo(
    store: StoreArgument,
    what: Annotated[
        str, typer.Argument(metavar="ID", help="A plan's number (its report), or an import: import-1.")
    ],
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Take back a plan's whole report, or an import."""
    with opened(store, campaign, author) as it:
        it.undo(what, key=key)
        print(f"{what} is undone." if what.startswith("import") else f"The report of plan {what} is undone.")


@app.command(rich_help_panel=CAMPAIGNS)
def cancel(
    store: StoreArgument,
    plan: Annotated[str, typer.Argument(help="The plan's number.")],
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Say that a plan is not carried out."""
    with opened(store, campaign, author) as it:
        it.cancel(plan, key=key)
        print(f"Plan {plan} is cancelled.")


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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
) -> None:
    """Start from the log that you have: years of rows, in one step."""
    from allotment.campaign.logs.import_report import RefusedError

    with opened(store, campaign, author) as it:
        options: dict[str, Any] = {
            "amount": amount,
            "period": period,
            "incidents": incidents,
            "correct": correct,
        }
        try:
            report = it.import_log(log, **options, dry_run=dry_run, key=key)
        except RefusedError as refused:
            show(refused.report, json=json)
            raise
        show(report, json=json)
        if report.id is not None and not json:
            print(f"To take it back: allotment undo {it.store.name} {report.id}")
