"""What requests hold. Forms are checked here; whether values make sense is the library's to say."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from allotment.campaign.forms.names import LONGEST_NOTE
from allotment.campaign.settings.specification import CHANGEABLE, OF_ARMS, SETTINGS, Form, Needed

Amount = int | float | str  # as a number, or as the exact decimals of one
Count = int | float | bool | str | None  # None: not known
Text = Annotated[str, Field(max_length=200)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]
Names = list[Text]
ByName = dict[str, Amount | None]
Setting = Amount | ByName | None  # of all places, or by their names
Bound = Amount | dict[str, Amount | ByName | None] | None  # by place, by situation, or by both


class Body(BaseModel):
    """A body with the fields that it names, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    def given(self) -> dict[str, Any]:
        """The fields that the request holds, as plain data."""
        return self.model_dump(exclude_unset=True)


class Group(Body):
    """A group of places and its limits."""

    arms: Names
    least: Amount | None = None
    most: Amount | None = None


class Rule(Body):
    """A rule of the calendar: the situations, in order, of dates on which all of its conditions hold."""

    situations: Text | Names
    days: Text | Names = []
    months: int | Text | list[int | Text] = []
    period: Annotated[list[Text], Field(min_length=2, max_length=2)] | None = None
    dates: Text | Names = []


class Calendar(Body):
    """Which situations a date has. The first rule that fits wins; without a default, it has all of them."""

    rules: list[Rule] = []
    default: Text | Names | None = None


class Control(Body):
    """Control rounds: their share of all rounds, and the plan to compare with."""

    share: Amount = "0.25"
    plan: Text | dict[str, Amount] = "equal"


class Orders(Body):
    """Orders of the day. The situation is needed where the date has several."""

    date: Text | None = None
    situation: Text | None = None
    budget: Amount | None = None
    exclude: Names = []
    require: Names = []
    fix: dict[str, Amount] | None = None
    moves: Amount | None = None


class PlansRequest(Orders):
    """All plans of a date that are asked for, or that of one situation. `again` replaces open plans."""

    explore: bool = True
    again: bool = False


class PlanRequest(PlansRequest):
    """A plan that is asked for. `again` replaces the open plan of the date, `also` stands beside it."""

    also: bool = False


class Report(Body):
    """What happened at places, and what was granted in truth."""

    losses: dict[str, Count] = {}
    amounts: dict[str, Amount] | None = None
    correct: bool = False
    keep: bool = False
    knew: Annotated[int, Field(ge=0)] | None = None


class Remark(Body):
    """A remark about a day; today by default."""

    text: Note
    date: Text | None = None


class Undo(Body):
    """A plan or an import, and what of it to take back."""

    id: Text
    what: Text | None = None


class Named(Body):
    """A place by its name."""

    name: Text


class Rename(Body):
    """A place or a situation, and its new name."""

    old: Text
    new: Text


TYPES: dict[Form, Any] = {
    Form.AMOUNT: Amount,
    Form.UNITS: Amount,
    Form.TEXT: Text,
    Form.NOTE: Note,
    Form.CHOICE: Text,
    Form.ZONE: Text,
    Form.POLICY: Text,
    Form.SEED: Annotated[int, Field(ge=0, le=2**53)],
    Form.BUDGET: Amount | dict[str, Amount],
    Form.BY_PLACE: Setting,
    Form.BOUND: Bound,
    Form.GROUPS: dict[str, Group],
    Form.SHAPES: dict[str, Any],
    Form.SITUATIONS: Names,
    Form.CALENDAR: Calendar,
    Form.CONTROL: Amount | Control,
}
OF_ONE_PLACE: dict[Form, Any] = {**TYPES, Form.BY_PLACE: Amount, Form.BOUND: Amount, Form.GROUPS: Text}


def _field(kind: Any, default: Any) -> Any:
    """The field of a setting in a request: its type and its default."""
    if default is Needed:
        return (kind, ...)
    return (kind | None, None) if default is None else (kind, default)


if TYPE_CHECKING:

    class Changes(Body):
        """As below."""

    class NewCampaign(Body):
        """As below."""

    class NewPlace(Body):
        """As below."""

else:
    Changes = create_model(
        "Changes",
        __base__=Body,
        __module__=__name__,
        __doc__="Settings to change. A field that is left out stays as it is; null means none.",
        **{each.name: (TYPES[each.form] | None, None) for each in CHANGEABLE},
    )
    NewCampaign = create_model(
        "NewCampaign",
        __base__=Body,
        __module__=__name__,
        __doc__="A campaign to begin, as `Campaign.create` takes it.",
        name=(Text, ...),
        arms=(Names, ...),
        **{each.name: _field(TYPES[each.form], each.default) for each in SETTINGS},
    )
    NewPlace = create_model(
        "NewPlace",
        __base__=Body,
        __module__=__name__,
        __doc__="A place to add.",
        name=(Text, ...),
        **{name: _field(OF_ONE_PLACE[each.form], each.new_default) for name, each in OF_ARMS.items()},
    )


class WhatIf(Changes):
    """Changes and orders to try."""

    date: Text | None = None
    situation: Text | None = None
    exclude: Names = Field(default=[])
    require: Names = Field(default=[])
    fix: dict[str, Amount] | None = None
    explore: bool = True
