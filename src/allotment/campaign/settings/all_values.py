"""The value of every setting, by its name and by the field of `Settings` that keeps it."""

from allotment.campaign.settings import place_values, situation_values, values
from allotment.campaign.settings.specification import SETTINGS, Form
from allotment.campaign.settings.values import Value

CLASSES: dict[Form, type[Value]] = {
    Form.AMOUNT: values.Amount,
    Form.UNITS: values.Units,
    Form.TEXT: values.Text,
    Form.CHOICE: values.Choice,
    Form.ZONE: values.Zone,
    Form.POLICY: values.Policy,
    Form.SEED: values.Seed,
    Form.BUDGET: situation_values.Budget,
    Form.BY_PLACE: place_values.ByPlace,
    Form.BOUND: place_values.Bound,
    Form.GROUPS: place_values.Groups,
    Form.SHAPES: place_values.Shapes,
    Form.SITUATIONS: situation_values.SituationNames,
    Form.CALENDAR: situation_values.CalendarRules,
    Form.CONTROL: values.ControlRounds,
}
VALUES: dict[str, Value] = {
    each.name: (values.Scale if each.name == "scale" else CLASSES[each.form])(each) for each in SETTINGS
}
IN_FIELD: dict[str, Value] = {
    each.about.field: each for each in VALUES.values() if each.about.field is not None
}
