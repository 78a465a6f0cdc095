"""What requests hold. Forms are checked here; whether values make sense is the library's to say."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Amount = int | float | str  # as a number, or as the exact decimals of one
Count = int | float | bool | str | None  # None: not known
Text = Annotated[str, Field(max_length=200)]
Names = list[Text]
ByName = dict[str, Amount | None]
Setting = Amount | ByName | None  # of all places, or by their names
Budget = Amount | dict[str, Amount] | None  # of all situations, or by their names
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


class Undo(Body):
    """A plan or an import, and what of it to take back."""

    id: Text
    what: Text | None = None


class NewPlace(Body):
    """A place to add."""

    name: Text
    most: Amount
    least: Amount = 0
    severity: Amount = 1
    group: Text | None = None
    threshold: Amount | None = None
    shape: dict[str, Any] | None = None
    crew: Amount | None = None


class Named(Body):
    """A place by its name."""

    name: Text


class Rename(Body):
    """A place or a situation, and its new name."""

    old: Text
    new: Text


class Changes(Body):
    """Settings to change. A field that is left out stays as it is; null means none."""

    budget: Budget = None
    unit: Amount | None = None
    scale: Amount | None = None
    half_life: Amount | None = None
    groups: dict[str, Group] | None = None
    moves: Amount | None = None
    shapes: dict[str, Any] | None = None
    day_starts: Text | None = None
    most: Bound = None
    least: Bound = None
    crew: Setting = None
    severities: Setting = None
    thresholds: Setting = None
    situations: Names | None = None
    calendar: Calendar | None = None
    control: Amount | Control | None = None


class WhatIf(Changes):
    """Changes and orders to try."""

    date: Text | None = None
    situation: Text | None = None
    exclude: Names = []
    require: Names = []
    fix: dict[str, Amount] | None = None
    explore: bool = True


class NewCampaign(Body):
    """A campaign to begin, as `Campaign.create` takes it."""

    name: Text
    arms: Names
    budget: Amount | dict[str, Amount]
    unit: Amount
    most: Bound
    least: Bound = 0
    severities: Setting = None
    groups: dict[str, Group] | None = None
    thresholds: Setting = None
    shapes: dict[str, Any] | None = None
    sees: Text = "losses"
    losses: Text = "binary"
    half_life: Amount | None = None
    scale: Amount | None = None
    timezone: Text | None = None
    policy: Text = "any-response"
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    day_starts: Text | None = None
    crew: Setting = None
    moves: Amount | None = None
    situations: Names | None = None
    calendar: Calendar | None = None
    control: Amount | Control | None = None
