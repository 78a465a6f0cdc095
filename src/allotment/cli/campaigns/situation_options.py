"""Options that name situations, and values that differ by situation."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from allotment.campaign.settings.specification import OF_PLACES, Form
from allotment.cli.campaigns.shared import by_name, number_or_names, texts_in

NO_CALENDAR = "none"
CALENDAR_EXAMPLE = """\b
A calendar, such as week.toml. The first rule that fits a date wins:
  default = "weekday"
  [[rules]]
  dates = ["2026-12-25"]
  situations = "weekend"
  [[rules]]
  days = ["Sat", "Sun"]
  situations = "weekend"
Rules have days, months, period (first and last day) or dates. For
shifts, name several situations: ["early", "late", "night"]."""

AskedSituation = Annotated[
    str | None, typer.Option(help="The situation to plan. Defaults to all that the calendar gives the date.")
]
PlanSituation = Annotated[str | None, typer.Option(help="The situation of the plan.")]
KnownSituation = Annotated[
    str | None, typer.Option(help="The situation. Defaults to the first one of the date.")
]


def situations_in(text: str | None) -> list[str] | None:
    """The names of situations in a list; None if the option is not given."""
    return None if text is None else texts_in(text)


def calendar_in(text: str) -> dict[str, Any] | None:
    """The calendar in a file; none stands for no calendar."""
    from allotment.campaign.settings.calendar import read_calendar

    return None if text == NO_CALENDAR else read_calendar(Path(text))


def budget_in(text: str | None) -> str | dict[str, str] | None:
    """A budget for all situations, or budgets such as night=8,day=12."""
    return text if text is None or "=" not in text else by_name("--budget", texts_in(text), "night=8,day=12")


def bounds_in(
    what: str, texts: Sequence[str] | None, find: Callable[[str], object], places: Sequence[str]
) -> Any:
    """One number for all places or numbers by name; after @, the situation in which they hold.

    `find` raises an error if there is no situation of a name. `places` are the names of all places.
    """
    common, own = list[str](), dict[str, list[str]]()
    for text in texts or ():
        _, at, situation = text.rpartition("=")[2].partition("@")
        if at:
            find(situation)
            own.setdefault(situation, []).append(text.removesuffix(f"@{situation}"))
        else:
            common.append(text)
    if not own:
        return number_or_names(what, common)
    everywhere = number_or_names(what, common) if common else {}
    if isinstance(everywhere, str):
        everywhere = dict.fromkeys(places, everywhere)
    return {**everywhere, **{name: number_or_names(what, each) for name, each in own.items()}}


def places_in(table: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The places of a table, with bounds from options.

    A plain number holds where the table has none. Bounds by name or by situation replace the table's bounds.
    """
    from allotment.campaign.logs.arm_table import read_arms
    from allotment.campaign.settings.situations import Situations

    several, situations = Situations(), situations_in(given["situations"])
    if situations is not None:
        several = several.with_names(several.listed(situations))
    options = [(each, option) for each in OF_PLACES for option in each.new_options]
    bounds = {each.name: option for each, option in options if each.form is Form.BOUND}
    others = {
        each.of_arm or "": given[option.parameter] for each, option in options if each.form is not Form.BOUND
    }
    described = read_arms(table, **others)
    for what, option in bounds.items():
        texts = given[option.parameter] or ()
        plain = [each for each in texts if "=" not in each and "@" not in each]
        named = [each for each in texts if each not in plain]
        for_all = number_or_names(option.flag, plain)
        usual = {} if for_all is None else dict.fromkeys(described["arms"], for_all)
        own = bounds_in(option.flag, named, several.find, ()) or {}
        described[what] = {**usual, **(described[what] or {}), **own}
    return described
