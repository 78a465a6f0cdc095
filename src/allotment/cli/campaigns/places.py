"""`allotment places`, `change` and `situations`: the settings of a campaign."""

from typing import Annotated, Any

import typer

from allotment.campaign.settings.specification import BY_NAME
from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.setting_options import (
    ADD,
    CALENDAR_EXAMPLE,
    CHANGE,
    WithControl,
    changes_from,
    setting_options,
)
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
from allotment.cli.output import print_json, say
from allotment.errors import ConflictError, InputError


@app.command("arms", hidden=True)  # the command's name in earlier versions
@app.command(rich_help_panel=CAMPAIGNS)
@setting_options(ADD, after="restore")
def places(
    store: StoreArgument,
    add: Annotated[str | None, typer.Option(help="Add a place of this name.")] = None,
    rename: Annotated[tuple[str, str] | None, typer.Option(metavar="OLD NEW", help="Rename a place.")] = None,
    retire: Annotated[
        str | None, typer.Option(help="Stop planning for a place. Its evidence is kept.")
    ] = None,
    restore: Annotated[str | None, typer.Option(help="Plan for a retired place again.")] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
    **given: Any,
) -> None:
    """List the places; or add, rename, retire or restore one."""
    from allotment.campaign.answers.settings_words import bounds_by_situation
    from allotment.campaign.planning.plan_bounds import ruled_out_by_moves

    if sum(each is not None for each in (add, rename, retire, restore)) > 1:
        raise ConflictError("several changes are given", "one of --add, --rename, --retire, --restore")
    if add is not None and given["most"] is None:
        raise InputError(
            f"the most of {add!r} is missing", "--most, the largest amount it can use", what="most"
        )
    with opened(store, campaign, author) as it:
        if add is not None:
            it.add_arm(add, **given, key=key)
        elif rename is not None:
            it.rename_arm(*rename, key=key)
        elif retire is not None:
            it.retire_arm(retire, key=key)
        elif restore is not None:
            it.restore_arm(restore, key=key)
        rows = [arm.to_row() for arm in it.settings.arms]
        warned, bounds = ruled_out_by_moves(it.settings), bounds_by_situation(it.settings)
    done = _done(add, rename, retire, restore)
    if json:
        print_json(rows)
    elif csv or not done:
        (print_csv if csv else print_rows)(tuple(rows[0]), [tuple(row.values()) for row in rows])
        for sentence in () if csv else bounds:
            say(sentence)
    else:
        for sentence in (done, *warned):
            say(sentence)


def _done(add: str | None, rename: tuple[str, str] | None, retire: str | None, restore: str | None) -> str:
    """Make the change, and say what changed; empty if nothing did."""
    if add is not None:
        return f"{add} is added, from the next plan on."
    if rename is not None:
        return f"{rename[0]} is now called {rename[1]}. The old name is still understood."
    if retire is not None:
        return f"{retire} is retired: from the next plan on, it gets nothing. Its evidence is kept."
    return f"{restore} is active again, from the next plan on." if restore is not None else ""


@app.command(rich_help_panel=CAMPAIGNS, epilog=CALENDAR_EXAMPLE, cls=WithControl)
@setting_options(CHANGE)
def change(
    store: StoreArgument,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    **given: Any,
) -> None:
    """Change settings, from the next plan on."""
    from allotment.campaign.answers.change_words import control_meaning
    from allotment.campaign.answers.event_words import changes_of_settings
    from allotment.campaign.answers.settings_words import effects_on_situations
    from allotment.campaign.forms.amounts import listed
    from allotment.campaign.planning.plan_bounds import ruled_out_by_moves

    with opened(store, campaign, author) as it:
        changes, before = changes_from(it, given), it.settings
        if not changes:
            raise InputError("no setting to change is given", "an option such as --budget 7", what="change")
        it.change(key=key, **changes)
        mark = "; " if it.settings.situations else ", "  # calendars have commas of their own
        differences = listed(changes_of_settings(before, it.settings), mark=mark) or "no setting differs"
        is_of_plans = any(BY_NAME[name].of_plans for name in changes)
        say(f"Changed{', from the next plan on' if is_of_plans else ''}: {differences}.")
        said = [*effects_on_situations(before, it.settings), *ruled_out_by_moves(it.settings)]
        said += control_meaning(it.settings) if it.settings.control != before.control else ()
        for sentence in said:
            say(sentence)


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
    from allotment.campaign.answers.settings_words import (
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
