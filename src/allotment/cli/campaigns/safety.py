"""`allotment record`, `effect`, `check`, `history`, `export`, `replay`, `backup`, `restore` and `verify`."""

from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.setting_options import KnownSituation, PlanSituation
from allotment.cli.campaigns.shared import (
    CampaignOption,
    CsvOption,
    PlotOption,
    StoreArgument,
    draw,
    file_named,
    opened,
    patiently,
    print_csv,
    show,
)
from allotment.cli.inputs import JsonOption, OverwriteOption
from allotment.cli.output import print_json, say
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


LAST = 30  # events on a screen
SECONDS = "%Y-%m-%d %H:%M:%S"
INDENT = "    "


@app.command(rich_help_panel=CAMPAIGNS)
def history(
    store: StoreArgument,
    date: Annotated[str | None, typer.Option(help="Only events of this date, or about its plans.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="Only one kind of event: asked, told, imported, changed, place added, …"),
    ] = None,
    situation: PlanSituation = None,
    every: Annotated[bool, typer.Option("--all", help="Show all events, not only the last ones.")] = False,
    campaign: CampaignOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show all events: who did what, and when."""
    from collections import deque

    from allotment.campaign.answers.history_reader import HistoryLine, history_lines

    with opened(store, campaign) as it:
        timezone, situations, found = it.settings.timezone, it.settings.situations, 0
        called = None if situation is None else situations.names_of(situations.find(situation))
        lines: deque[HistoryLine] = deque(maxlen=None if every or json or csv else LAST)
        wanted = history_lines(it.history(), on=date, kind=kind, situations=called)
        for found, line in enumerate(wanted, 1):  # noqa: B007
            lines.append(line)
    if json:
        from allotment.campaign.history.event_parts import without_control_seed

        print_json([without_control_seed(line.event.to_dict()) for line in lines])
    elif csv:
        situation_column = ("situation",) if situations else ()
        columns = ("number", "at", "by", "kind", "plan", "date", *situation_column, "words")
        rows = [
            (
                line.event.number,
                f"{line.at:{SECONDS}}",
                line.event.by,
                line.kind,
                line.plan,
                line.date,
                *((line.situation,) if situations else ()),
                line.words,
            )
            for line in lines
        ]
        print_csv(columns, rows)
    else:
        for line in lines:
            say(f"{line.event.number}  {line.at:{SECONDS}}  {line.event.by}  {line.kind}")
            if line.words:
                say(line.words, indent=INDENT)
        if found > len(lines):
            say(f"These are the last {len(lines)} of {found} events; --all shows all of them.")
        say(f"Times are in {timezone}." if lines else "No such event.")


@app.command(rich_help_panel=CAMPAIGNS)
def export(
    store: StoreArgument,
    path: Annotated[str, typer.Argument(help="The file to write: JSON Lines, one event per line.")],
    overwrite: OverwriteOption = False,
    campaign: CampaignOption = None,
) -> None:
    """Write the whole history to a file that `replay` reads."""
    with opened(store, campaign) as it:
        it.export(file_named(path), overwrite=overwrite)
        say(f"The history of {it.name} is in {path}.")


@app.command(rich_help_panel=CAMPAIGNS)
def replay(
    path: Annotated[str, typer.Argument(help="A file that `export` wrote.")], store: StoreArgument
) -> None:
    """Create a campaign from an exported history."""
    from allotment.campaign.campaign import Campaign

    with Campaign.replay(file_named(path), store) as it:
        say(f"Campaign {it.name} is in {it.store.name}.")


@app.command(rich_help_panel=CAMPAIGNS)
def backup(
    store: StoreArgument,
    path: Annotated[str, typer.Argument(help="The new file.")],
) -> None:
    """Copy the whole store into a new file."""
    from allotment.campaign.history.store.store import Store
    from allotment.campaign.safety.copies import back_up

    with Store(store) as opened_store:
        back_up(opened_store, file_named(path))
        say(f"{opened_store.name} is copied to {path}.")


@app.command(rich_help_panel=CAMPAIGNS)
def restore(
    copy: Annotated[str, typer.Argument(help="A file that `backup` made.")], store: StoreArgument
) -> None:
    """Restore a backup. The present store is moved aside, not deleted."""
    from allotment.campaign.safety.restoring import restore as bring_back

    done = bring_back(file_named(copy), store)
    campaigns = ", ".join(done.campaigns) or "none"
    say(f"{done.store} is restored from {copy}: {done.events} events of these campaigns: {campaigns}.")
    if done.moved_to is not None:
        say(f"The file that was there is kept as {done.moved_to}.")


@app.command(rich_help_panel=CAMPAIGNS)
def verify(
    store: StoreArgument,
    plans: Annotated[bool, typer.Option("--plans", help="Also compute the plans again.")] = False,
    campaign: CampaignOption = None,
) -> None:
    """Check the store against its history."""
    with opened(store, campaign) as it:
        it.verify(plans=plans)
        say(f"{it.name}: {it.last_event} events, all as they should be.")
