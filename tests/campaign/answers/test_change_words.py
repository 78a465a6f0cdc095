"""A change of settings before it is kept: what differs, what it means, and how to change back."""

import pytest

from allotment.campaign.answers.change_words import (
    changes_back,
    groups_with,
    meaning_of,
    real_changes,
)
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms import names
from allotment.errors import InputError

CHANGES = {
    "budget": {"budget": "8"},
    "moves": {"moves": 3},
    "unit": {"unit": "0.5"},
    "scale": {"scale": 6},
    "half-life": {"half_life": 30},
    "day": {"day_starts": "06:00"},
    "most": {"most": {"Dock": 2}},
    "least": {"least": {"Dock": 1}},
    "crew": {"crew": {"Yard": 2}},
    "severity": {"severities": {"Gate": 5}},
    "threshold": {"thresholds": {"Gate": 2}},
    "no groups": {"groups": {}},
    "many": {"most": 3, "least": {"Gate": 1}, "budget": 9},
}


@pytest.fixture
def night(tmp_path):
    groups = {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"], "least": 1, "most": 5}}
    settings = {"budget": 6, "unit": 1, "most": 4, "groups": groups, "seed": 1}
    with Campaign.create(tmp_path / "night.db", "night", arms=["Dock", "Gate", "Yard"], **settings) as made:
        yield made


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_can_be_changed_back(night, name):
    before = night.settings
    change = real_changes(before, CHANGES[name])
    assert meaning_of(before, change)[-1].startswith("It applies from the next plan on.")
    night.change(**change)
    assert night.settings != before
    assert real_changes(night.settings, CHANGES[name]) == {}  # since it is so now
    night.change(**changes_back(before, change))
    assert night.settings == before


def test_a_new_outline_cannot_be_changed_back(night):
    first, second = ({"type": "Point", "coordinates": [x, 48]} for x in (16, 17))
    change = real_changes(night.settings, {"budget": 8, "shapes": {"Dock": first}})
    assert changes_back(night.settings, change) == {}
    night.change(**change)
    before = night.settings
    change = real_changes(before, {"shapes": {"Dock": second}})
    night.change(**change)
    night.change(**changes_back(before, change))
    assert night.settings == before


def test_a_long_name_of_a_group_from_an_earlier_version_stays(tmp_path):
    long, options = "y" * 200, {"budget": 6, "unit": 1, "most": 4, "seed": 1}
    with pytest.MonkeyPatch.context() as before:
        before.setattr(names, "LONGEST", 200)
        groups = {long: {"arms": ["Dock"]}}
        made = Campaign.create(tmp_path / "a.db", "night", arms=["Dock", "Gate"], groups=groups, **options)
    with made:
        made.change(groups=groups_with(made.settings, {"Gate": long}, {long: (1, 5)}))
        assert made.settings.members() == {long: ["Dock", "Gate"]}
        with pytest.raises(InputError, match="has 101 characters"):
            groups_with(made.settings, {"Gate": "z" * 101})


def test_only_what_differs_is_a_change(night):
    settings = night.settings
    given = {"budget": 6, "most": {"Dock": "4.0", "Gate": 3}, "moves": None, "groups": groups_with(settings)}
    assert real_changes(settings, given) == {"most": {"Gate": "3"}}
    assert real_changes(settings, {}) == {} and meaning_of(settings, {}) == []


def test_places_move_between_groups(night):
    settings = night.settings
    found = groups_with(settings, {"Dock": "town", "Gate": "new", "Yard": None}, {"town": (0, 2)})
    assert {name: each["arms"] for name, each in found.items()} == {"town": ["Dock"], "new": ["Gate"]}
    said = meaning_of(settings, real_changes(settings, {"groups": found}))
    assert "Dock counts towards town instead of harbour." in said
    assert "The places of town get together 0 to 2." in said
    assert "Group harbour has no place any more, and goes." in said


def test_a_raised_most_and_a_lowered_one_mean_different_things(night):
    settings = night.settings
    night.change(most={"Dock": 2})
    (lowered, _), (raised, _) = (
        meaning_of(before, {"most": {"Dock": most}})
        for before, most in ((settings, "2"), (night.settings, "4"))
    )
    assert "no belief changes" in lowered
    assert "about amounts up to 4 is used and shown" in raised


def test_a_first_severity_brings_the_cost(night):
    said = meaning_of(night.settings, {"severities": {"Dock": "5"}})
    assert any("show the cost beside the losses" in each for each in said)


def test_many_places_are_counted_and_not_named(tmp_path):
    names = [f"Post {number}" for number in range(20)]
    with Campaign.create(tmp_path / "a.db", "a", arms=names, budget=6, unit=1, most=4, seed=1) as made:
        said = meaning_of(made.settings, real_changes(made.settings, {"most": 3}))
    assert len(said) == 8 and said[6] == "The same kind of change at 14 more places."
