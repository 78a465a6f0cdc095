"""Options of settings, made from their specification, and the values that they hold."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allotment.campaign.settings.specification import CHANGEABLE, SETTINGS, Form, Needed, Option, Setting
from allotment.cli.campaigns.control_options import control_in
from allotment.cli.campaigns.shared import groups_from, number_or_names
from allotment.cli.campaigns.situation_options import bounds_in, budget_in, calendar_in, situations_in

if TYPE_CHECKING:
    from allotment.campaign.campaign import Campaign

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
