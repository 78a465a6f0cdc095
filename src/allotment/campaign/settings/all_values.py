"""The value of every setting by its name. The values of situations, the calendar and the budget are here."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from allotment.campaign.forms.amounts import written
from allotment.campaign.forms.payloads import TEXT, column
from allotment.campaign.settings import place_values, values
from allotment.campaign.settings.arms import setting
from allotment.campaign.settings.situation_bounds import (
    budget_now,
    budgets_given,
    first_budget,
    new_budgets,
    with_budget,
)
from allotment.campaign.settings.situations import Situations
from allotment.campaign.settings.specification import SETTINGS, Form
from allotment.campaign.settings.values import NO_WAY, SAME, Start, Value

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings


class Budget(Value):
    """The budget of all situations, and that of each where they differ."""

    def begin(self, start: Start, value: Any) -> None:
        """The budget of the first situation also stands for situations that come later."""
        start.fields[self.kept_in], own = first_budget(value, start.situations)
        if own:
            start.later[self.name] = own

    def given(self, settings: "Settings", value: Any) -> Any:
        """For all situations, or by their names."""
        return budgets_given(value, settings.situations)

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """For all situations, or for some."""
        return with_budget(settings, stored)

    def now(self, settings: "Settings") -> Any:
        """One for all situations, or that of each if they differ."""
        return budget_now(settings)

    def news(self, settings: "Settings", wanted: Any) -> Any:
        """The situations whose budget differs."""
        if not settings.situations:
            return super().news(settings, wanted)
        return new_budgets(settings, wanted) or SAME

    def stored(self, settings: "Settings") -> str:
        """The budget of all situations; the others are stored with the situations."""
        return written(settings.budget)

    def checked(self, value: Any) -> Decimal:
        """An amount."""
        return setting(self.name, value)


class SituationNames(Value):
    """The names of situations. None can be removed."""

    def begin(self, start: Start, value: Any) -> None:
        """Check them first: a bound of a place would be read as the situation's."""
        if value is not None:
            start.situations = start.situations.with_names(start.situations.listed(value))
        start.situations.check_apart(start.called.__contains__)

    def given(self, settings: "Settings", value: Any) -> list[str]:
        """All names, those that are there first."""
        return list(settings.situations.listed(value))

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """The same situations, and new ones."""
        called = tuple(column(self.name, stored, TEXT))
        return replace(settings, situations=settings.situations.with_names(called))

    def now(self, settings: "Settings") -> list[str]:
        """In order."""
        return list(settings.situations.names)

    def back(self, settings: "Settings", change: Any) -> Any:
        """None can be removed."""
        return NO_WAY

    def stored(self, settings: "Settings") -> Any:
        """With their calendar and their own bounds."""
        called = tuple(arm.name for arm in settings.arms)
        return settings.situations.to_dict(called) if settings.situations else None

    def read(self, content: Any, aliases: Mapping[str, int]) -> Situations:
        """With their calendar and their own bounds."""
        return Situations.from_dict(content, aliases)


class CalendarRules(Value):
    """Which situations a date has. It is kept with the situations."""

    def begin(self, start: Start, value: Any) -> None:
        """It names situations."""
        start.situations = start.situations.with_calendar(value)

    def given(self, settings: "Settings", value: Any) -> Any:
        """By the present names of situations."""
        return settings.situations.with_calendar(value).calendar_data()

    def applied(self, settings: "Settings", stored: Any) -> "Settings":
        """Another calendar, or none."""
        return replace(settings, situations=settings.situations.with_calendar(stored))

    def now(self, settings: "Settings") -> Any:
        """By the present names of situations."""
        return settings.situations.calendar_data()


CLASSES: dict[Form, type[Value]] = {
    Form.AMOUNT: values.Amount,
    Form.UNITS: values.Units,
    Form.TEXT: values.Text,
    Form.NOTE: values.Text,
    Form.CHOICE: values.Choice,
    Form.ZONE: values.Zone,
    Form.POLICY: values.Policy,
    Form.SEED: values.Seed,
    Form.BUDGET: Budget,
    Form.BY_PLACE: place_values.ByPlace,
    Form.BOUND: place_values.Bound,
    Form.GROUPS: place_values.Groups,
    Form.SHAPES: place_values.Shapes,
    Form.SITUATIONS: SituationNames,
    Form.CALENDAR: CalendarRules,
    Form.CONTROL: values.ControlRounds,
}
VALUES: dict[str, Value] = {
    each.name: (values.Scale if each.name == "scale" else CLASSES[each.form])(each) for each in SETTINGS
}
IN_FIELD: dict[str, Value] = {
    each.about.field: each for each in VALUES.values() if each.about.field is not None
}
