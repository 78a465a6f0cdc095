"""What is written out by hand for editors and readers says the same as the specification of settings."""

import inspect
import re
from typing import get_type_hints

import pytest

from allotment import Campaign
from allotment.campaign.settings.all_values import IN_FIELD, VALUES
from allotment.campaign.settings.settings import Settings
from allotment.campaign.settings.specification import (
    BY_NAME,
    CHANGEABLE,
    OF_ARMS,
    SETTINGS,
    Changes,
    Form,
    Needed,
)
from allotment.campaign.settings.values import Value
from allotment.worlds.world import KINDS, SEES

NOT_SETTINGS = {"store", "name", "arms", "author", "key"}  # of `create`
SINCE = {"day_starts": 2, "crew": 2, "moves": 2, "situations": 3, "calendar": 3, "control": 4, "note": 6}


def test_create_has_a_parameter_for_each_setting_with_its_default():
    parameters = inspect.signature(Campaign.create).parameters
    assert parameters.keys() - NOT_SETTINGS == BY_NAME.keys()
    for each in SETTINGS:
        default = parameters[each.name].default
        assert default == (inspect.Parameter.empty if each.default is Needed else each.default), each.name
    described = " ".join(re.findall(r"^ {8}([a-z_, ]+) : ", inspect.getdoc(Campaign.create) or "", re.M))
    described += " ".join(re.findall(r"^([a-z_, ]+) : ", inspect.getdoc(Campaign.create) or "", re.M))
    assert BY_NAME.keys() <= set(re.split(r"[ ,]+", described))


def test_change_takes_what_is_changeable():
    assert get_type_hints(Changes).keys() == {each.name for each in CHANGEABLE}
    for method in (Campaign.change, Campaign.try_change, Campaign.what_if):
        (settings,) = (
            each for each in inspect.signature(method).parameters.values() if each.kind is each.VAR_KEYWORD
        )
        assert "Changes" in str(settings.annotation)
    said = inspect.getdoc(Campaign.change) or ""
    assert [each.name for each in CHANGEABLE if not re.search(rf"\b{each.name}\b", said)] == []


def test_a_new_place_has_a_parameter_for_each_setting_of_places_with_its_default():
    parameters = inspect.signature(Campaign.add_arm).parameters
    assert parameters.keys() - {"self", "name", "key"} == OF_ARMS.keys()
    for name, each in OF_ARMS.items():
        default = inspect.Parameter.empty if each.new_default is Needed else each.new_default
        assert parameters[name].default == default, name
    described = re.findall(r"^([a-z_, ]+) : ", inspect.getdoc(Campaign.add_arm) or "", re.M)
    assert OF_ARMS.keys() <= set(re.split(r"[ ,]+", " ".join(described)))


def test_settings_keep_each_setting_in_one_place():
    kept = set(Settings.__dataclass_fields__) - {"name", "arms", "aliases"}
    assert IN_FIELD.keys() == kept
    elsewhere = {each.name for each in SETTINGS if each.field is None and each.of_arm is None}
    assert elsewhere == {"calendar"}  # with the situations


def test_every_form_has_a_value_of_its_own():
    assert {each.about.form for each in VALUES.values()} == set(Form)
    assert all(type(each) is not Value for each in VALUES.values())


def test_choices_are_those_of_worlds():
    assert (BY_NAME["sees"].choices, BY_NAME["losses"].choices) == (SEES, KINDS)


def test_settings_have_the_version_that_brought_them():
    """A change of these numbers would make old programs misread new events, or requests of old keys."""
    assert {each.name: each.since for each in SETTINGS if each.since > 1} == SINCE


def test_what_a_change_of_a_setting_does():
    assert {each.name for each in SETTINGS if each.rereads} == {"unit", "scale", "situations", "calendar"}
    assert {each.name for each in SETTINGS if not each.of_plans} == {"shapes", "note"}
    assert {each.name for each in SETTINGS if not each.of_usual_plans} == {"shapes", "control", "note"}


@pytest.mark.parametrize("about", SETTINGS, ids=lambda each: each.name)
def test_what_people_see_of_a_setting_is_written(about):
    options = {*about.options, *about.new_options}
    assert options and all(each.help.endswith(".") for each in options)
    for shown in filter(None, (about.page, about.place)):
        assert shown.title
    if about.place is not None:
        assert about.place.hint.endswith(".") and about.place.help.endswith(".") and about.place.columns
    assert (about.words is not None) == bool(about.label)
    has_sentence = about.changeable and about.form not in (
        *(Form.GROUPS, Form.SHAPES, Form.SITUATIONS, Form.CALENDAR, Form.CONTROL),
    )
    assert (about.meaning is not None) == has_sentence
