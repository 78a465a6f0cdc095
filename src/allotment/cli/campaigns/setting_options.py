"""Options of settings, made from their specification, and the values that they hold."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from allotment.campaign.settings.specification import (
    CHANGEABLE,
    OF_PLACES,
    SETTINGS,
    Form,
    Needed,
    Option,
    Setting,
)
from allotment.cli.campaigns.shared import by_name, groups_from, number_or_names, texts_in
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.settings.settings import Settings


NEW, CHANGE, TRY = "new", "change", "what-if"
ADD = "places --add"
NONE = "none"  # of settings that a campaign can be without
TYPES: dict[Form, Any] = {Form.SHAPES: Path, Form.SEED: int}
Command = Callable[..., None]


def setting_options(command: str, after: str = "store") -> Callable[[Command], Command]:
    """Give a command the options of settings, which it takes as keyword arguments, after a parameter."""

    def with_options(function: Command) -> Command:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        made = [_parameter(about, each, command) for about in SETTINGS for each in _options(about, command)]
        taken = [each.name for each in own]
        place = taken.index(after) + 1
        together = [*own[:place], *(each for each in made if each.name not in taken), *own[place:]]
        named = [each.replace(kind=each.KEYWORD_ONLY) for each in together]
        vars(function)["__signature__"] = signature.replace(parameters=named)
        function.__annotations__ = {each.name: each.annotation for each in named} | {"return": None}
        return function

    return with_options


def _options(about: Setting, command: str) -> tuple[Option, ...]:
    if command == NEW:
        return about.new_options
    if command == ADD:
        return () if about.place is None else (Option(f"--{about.of_arm}", about.place.help),)
    return tuple(each for each in about.options if about.changeable and (command == CHANGE or each.tried))


def _parameter(about: Setting, option: Option, command: str) -> inspect.Parameter:
    kind: Any = TYPES.get(about.form, str)
    default = about.default if command == NEW and about.form is not Form.BOUND else None
    if command == ADD and about.new_default not in (None, Needed):
        default = str(about.new_default)
    if default is None:
        kind = (list[str] if option.many else kind) | None
    annotation: Any = Annotated[kind, typer.Option(option.flag, metavar=option.metavar, help=option.help)]
    return inspect.Parameter(
        option.parameter,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if default is Needed else default,
        annotation=annotation,
    )


def text_in(about: Setting, text: Any) -> Any:
    """The value of an option that is one text."""
    return None if about.optional and text == NONE else text


def changes_from(campaign: "Campaign", given: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the given options into settings."""
    new_situations = situations_in(given.get("situations"))
    places = [arm.name for arm in campaign.settings.arms]

    def find(situation: str) -> None:
        if situation not in (new_situations or ()):
            campaign.settings.situations.find(situation)

    read: dict[Form, Callable[..., Any]] = {
        Form.BUDGET: budget_in,
        Form.SITUATIONS: situations_in,
        Form.CALENDAR: calendar_in,
        Form.GROUPS: partial(groups_from, members=campaign.settings.members()),
        Form.CONTROL: partial(control_in, settings=campaign.settings),
    }
    found: dict[str, Any] = {}
    for about in CHANGEABLE:
        texts = [given.get(each.parameter) for each in about.options]
        if all(each is None or each == [] for each in texts):
            continue
        flag = about.options[0].flag
        if about.form is Form.BOUND:
            found[about.name] = bounds_in(flag, texts[0], find, places)
        elif about.form is Form.BY_PLACE:
            values = number_or_names(flag, texts[0])
            if about.optional and isinstance(values, dict):
                values = {name: value or None for name, value in values.items()}
            found[about.name] = values
        else:
            found[about.name] = read.get(about.form, partial(text_in, about))(*texts)
    return found


def first_values(given: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a new campaign, from options and from a table of places (`places_in`)."""
    read: dict[Form, Callable[..., Any]] = {
        Form.BUDGET: budget_in,
        Form.SITUATIONS: situations_in,
        Form.CALENDAR: calendar_in,
        Form.GROUPS: partial(groups_from, members=described["groups"]),
        Form.CONTROL: control_in,
    }
    found = dict(described)
    for about in SETTINGS:
        texts = [given[each.parameter] for each in _options(about, NEW)]
        if about.form is Form.GROUPS:
            found[about.name] = read[about.form](*texts)
        elif about.name not in described and any(each is not None for each in texts):
            found[about.name] = read.get(about.form, partial(text_in, about))(*texts)
    return found


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


OPTION, NONE, USUAL = "--control", "none", "0.25"


class WithControl(TyperCommand):
    """A command whose option --control may stand alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, with the usual share after an option --control that stands alone."""
        given = list[str]()
        for argument, following in zip_longest(args, args[1:], fillvalue=""):
            given.append(argument)
            if argument == OPTION and not _is_share(following):
                given.append(USUAL)
        return super().parse_args(ctx, given)


def _is_share(text: str) -> bool:
    """Whether a text was meant as a share, right or wrong: it begins like a number, or is none."""
    return text.lower() == NONE or text.lstrip("+-.")[:1].isdecimal()


def control_in(
    share: str | None, plan: str | None, settings: "Settings | None" = None
) -> dict[str, Any] | None:
    """Control rounds as the library takes them, None for none. Call it only if a share or a plan is given."""
    is_off = settings is None or settings.control is None
    if plan is not None and ((share is None and is_off) or (share or "").lower() == NONE):
        raise ConflictError(
            "--control-plan is given, but no control rounds", f"{OPTION} with a share", what="--control-plan"
        )
    if share is not None and share.lower() == NONE:
        return None
    found: dict[str, Any] = {} if share is None else {"share": share}
    if plan is not None:
        found["plan"] = plan if "=" not in plan else by_name("--control-plan", texts_in(plan))
    return found
