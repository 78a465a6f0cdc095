"""`allotment places` and `allotment change`: the settings of a campaign."""

from typing import Annotated, Any

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.control_options import (
    ControlOption,
    ControlPlanOption,
    WithControl,
    control_in,
)
from allotment.cli.campaigns.shared import (
    AuthorOption,
    CampaignOption,
    CsvOption,
    DayStartsOption,
    GroupOption,
    HalfLifeOption,
    KeyOption,
    MovesOption,
    ScaleOption,
    StoreArgument,
    UnitOption,
    groups_from,
    moves_in,
    number_or_names,
    opened,
    print_csv,
    print_rows,
)
from allotment.cli.campaigns.situation_options import (
    CALENDAR_EXAMPLE,
    CalendarOption,
    SituationsOption,
    bounds_in,
    budget_in,
    calendar_in,
    situations_in,
)
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json
from allotment.cli.sentences import say
from allotment.errors import ConflictError, InputError

MostOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The largest amount of a place: 3 for all, Dock=3 (repeatable), Dock=2@night in one situation."
    ),
]
LeastOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The smallest amount of a place: 1 for all, Dock=1 (repeatable), Dock=1@night in one situation."
    ),
]
CrewOption = Annotated[
    list[str] | None,
    typer.Option(help="The least amount of a place that gets anything: 2 for all, or Dock=2 (repeatable)."),
]
SeverityOption = Annotated[
    list[str] | None, typer.Option(help="The cost of one loss: 2 for all, or Dock=2 (repeatable).")
]
ThresholdOption = Annotated[
    list[str] | None,
    typer.Option(help="An amount known to cover a place: 3 for all, or Dock=3 (repeatable); Dock= for none."),
]


@app.command("arms", hidden=True)  # the command's name in earlier versions
@app.command(rich_help_panel=CAMPAIGNS)
def places(
    store: StoreArgument,
    add: Annotated[str | None, typer.Option(help="Add a place of this name.")] = None,
    rename: Annotated[tuple[str, str] | None, typer.Option(metavar="OLD NEW", help="Rename a place.")] = None,
    retire: Annotated[
        str | None, typer.Option(help="Stop planning for a place. Its evidence is kept.")
    ] = None,
    restore: Annotated[str | None, typer.Option(help="Plan for a retired place again.")] = None,
    most: Annotated[str | None, typer.Option(help="The largest amount of the added place.")] = None,
    least: Annotated[str, typer.Option(help="The smallest amount of the added place.")] = "0",
    crew: Annotated[
        str | None, typer.Option(help="The least amount of the added place, if it gets anything.")
    ] = None,
    severity: Annotated[str, typer.Option(help="The cost of one loss at the added place.")] = "1",
    group: Annotated[str | None, typer.Option(help="The group of the added place.")] = None,
    threshold: Annotated[str | None, typer.Option(help="The amount known to cover the added place.")] = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """List the places; or add, rename, retire or restore one."""
    from allotment.campaign.answers.settings.settings_words import bounds_by_situation
    from allotment.campaign.planning.limits.crews import ruled_out_by_moves

    if sum(each is not None for each in (add, rename, retire, restore)) > 1:
        raise ConflictError("several changes are given", "one of --add, --rename, --retire, --restore")
    if add is not None and most is None:
        raise InputError(
            f"the most of {add!r} is missing", "--most, the largest amount it can use", what="most"
        )
    with opened(store, campaign, author) as it:
        if add is not None:
            it.add_arm(
                add,
                most=most,
                least=least,
                severity=severity,
                group=group,
                threshold=threshold,
                crew=crew,
                key=key,
            )
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
def change(
    store: StoreArgument,
    budget: Annotated[
        str | None, typer.Option(help="The amount to split in each plan: 6, or weekend=4 in one situation.")
    ] = None,
    most: MostOption = None,
    least: LeastOption = None,
    crew: CrewOption = None,
    severity: SeverityOption = None,
    threshold: ThresholdOption = None,
    group: GroupOption = None,
    half_life: HalfLifeOption = None,
    moves: MovesOption = None,
    situations: SituationsOption = None,
    calendar: CalendarOption = None,
    control: ControlOption = None,
    control_plan: ControlPlanOption = None,
    unit: UnitOption = None,
    scale: ScaleOption = None,
    day_starts: DayStartsOption = None,
    campaign: CampaignOption = None,
    author: AuthorOption = None,
    key: KeyOption = None,
) -> None:
    """Change settings, from the next plan on."""
    from allotment.campaign.answers.history.event_words import changes_of_settings
    from allotment.campaign.answers.settings.change_words import control_meaning
    from allotment.campaign.answers.settings.settings_words import effects_on_situations
    from allotment.campaign.forms.amounts import listed
    from allotment.campaign.planning.limits.crews import ruled_out_by_moves

    given = locals()
    with opened(store, campaign, author) as it:
        changes, before = changes_from(it, given), it.settings
        if not changes:
            raise InputError("no setting to change is given", "an option such as --budget 7", what="change")
        it.change(key=key, **changes)
        mark = "; " if it.settings.situations else ", "  # calendars have commas of their own
        differences = listed(changes_of_settings(before, it.settings), mark=mark) or "no setting differs"
        say(f"Changed, from the next plan on: {differences}.")
        said = [*effects_on_situations(before, it.settings), *ruled_out_by_moves(it.settings)]
        said += control_meaning(it.settings) if it.settings.control != before.control else ()
        for sentence in said:
            say(sentence)


def changes_from(campaign: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Turn the given options into settings."""
    new_situations = situations_in(given.get("situations"))

    def find(situation: str) -> None:
        if situation not in (new_situations or ()):
            campaign.settings.situations.find(situation)

    places = [arm.name for arm in campaign.settings.arms]
    settings: dict[str, Any] = {
        "budget": budget_in(given["budget"]),
        "unit": given["unit"],
        "scale": given["scale"],
        "day_starts": given.get("day_starts"),
        "situations": new_situations,
        "most": bounds_in("--most", given["most"], find, places),
        "least": bounds_in("--least", given["least"], find, places),
        "crew": number_or_names("--crew", given["crew"]),
        "severities": number_or_names("--severity", given["severity"]),
        "thresholds": number_or_names("--threshold", given["threshold"]),
    }
    found = {name: value for name, value in settings.items() if value is not None}
    if isinstance(found.get("thresholds"), dict):
        found["thresholds"] = {name: value or None for name, value in found["thresholds"].items()}
    if given["half_life"] is not None:
        found["half_life"] = None if given["half_life"] == "none" else given["half_life"]
    if given["moves"] is not None:
        found["moves"] = moves_in(given["moves"])
    if given.get("calendar") is not None:
        found["calendar"] = calendar_in(given["calendar"])
    share, plan = given.get("control"), given.get("control_plan")
    if share is not None or plan is not None:
        found["control"] = control_in(share, plan, campaign.settings)
    if given["group"]:
        found["groups"] = groups_from(given["group"], campaign.settings.members())
    return found
