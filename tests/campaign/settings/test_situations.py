"""Situations in settings: names for good, and bounds that differ between them."""

import pytest

from allotment import ConflictError, InputError, NotFoundError
from allotment.campaign.answers.change_words import changes_back, meaning_of, real_changes
from allotment.campaign.answers.event_words import changes_of_settings
from allotment.campaign.answers.settings_words import effects_on_situations
from allotment.campaign.settings.changes import change_of, changed, first_settings
from allotment.campaign.settings.settings import Settings

WEEK = {"rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}], "default": "weekday"}


def begun(**others):
    given = {"arms": ["Dock", "Gate"], "budget": 6, "unit": 1, "most": 4, "seed": 7, "timezone": "UTC"}
    return first_settings("week", **{**given, "situations": ["weekday", "weekend"], **others})


def after(settings, **change):
    return changed(settings, change_of(settings, change)).checked()


def bounds(settings, situation):
    within = settings.within(settings.situations.find(situation))
    return within.budget, [(arm.least, arm.most) for arm in within.arms]


def test_a_number_or_a_table_means_all_situations():
    settings = begun(most={"Dock": 3, "Gate": 2}, least=1)
    assert bounds(settings, "weekday") == bounds(settings, "weekend") == (6, [(1, 3), (1, 2)])
    assert settings.situations.own == {}


def test_bounds_may_differ_by_situation():
    settings = begun(
        budget={"weekend": 4, "weekday": 7},
        most={"Dock": 4, "Gate": 3, "weekend": {"Dock": 2}},
        calendar=WEEK,
    )
    assert bounds(settings, "weekday") == (7, [(0, 4), (0, 3)])
    assert bounds(settings, "weekend") == (4, [(0, 2), (0, 3)])
    assert settings.scale == 4
    assert Settings.from_dict(settings.to_dict()) == settings


def test_situations_alone_may_say_the_most_of_places():
    settings = begun(most={"weekday": 4, "weekend": {"Dock": 2, "Gate": 6}})
    assert bounds(settings, "weekday")[1] == [(0, 4), (0, 4)]
    assert bounds(settings, "weekend")[1] == [(0, 2), (0, 6)]
    assert settings.scale == 6
    with pytest.raises(InputError, match="the most of 'Gate' is missing"):
        begun(most={"weekday": 4, "weekend": {"Dock": 2}})


def test_a_change_names_what_changes():
    settings = after(begun(), budget={"weekend": 4}, least={"weekend": {"Gate": 1}})
    assert bounds(settings, "weekday") == (6, [(0, 4), (0, 4)])
    assert bounds(settings, "weekend") == (4, [(0, 4), (1, 4)])
    settings = after(settings, most={"Gate": 3, "weekend": 2})
    assert bounds(settings, "weekday")[1] == [(0, 4), (0, 3)]
    assert bounds(settings, "weekend")[1] == [(0, 2), (1, 2)]
    settings = after(settings, budget=5, most=4, least=0)
    assert bounds(settings, "weekday") == bounds(settings, "weekend") == (5, [(0, 4), (0, 4)])
    assert settings.situations.own == {}


def test_a_new_situation_has_the_bounds_of_all():
    settings = after(begun(budget={"weekday": 6, "weekend": 4}), situations=["weekday", "weekend", "holiday"])
    assert bounds(settings, "holiday")[0] == 6


def test_a_change_says_the_budgets_of_new_situations_where_budgets_differ():
    settings = after(begun(budget={"weekday": 6, "weekend": 4}), budget={"weekday": 10, "weekend": 9})
    names = ["weekday", "weekend", "match"]
    for change, said in (({}, ["The budget in match is 6."]), ({"budget": {"match": 8}}, [])):
        new = after(settings, situations=names, **change)
        assert effects_on_situations(settings, new) == said
        assert set(said) <= set(meaning_of(settings, change_of(settings, {"situations": names, **change})))
    same = begun()
    assert effects_on_situations(same, after(same, situations=names)) == []


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"budget": {"weekday": 6}}, "the budget in weekend is missing"),
        ({"budget": {"weekday": 6, "weekedn": 4}}, "no situation named 'weekedn'. Did you mean weekend"),
        ({"budget": {"weekday": 6, "weekend": -1}}, "budget in weekend is -1; expected a finite number"),
        ({"most": {"weekend": {"Dokc": 1}, "weekday": 2}}, "most in weekend names 'Dokc'. Did you mean Dock"),
        ({"least": {"weekend": {"Dock": 5}}}, "the least of 'Dock' in weekend is 5; expected at most 4"),
        ({"scale": 4, "most": {"weekday": 4, "weekend": 5}}, "the most of 'Dock' in weekend is 5, and scale"),
        ({"crew": 2, "most": {"weekday": 4, "weekend": 1}}, "the crew of 'Dock' in weekend is 2"),
        ({"situations": ["Dock", "day"]}, "'Dock' is or was the name of a place and of a situation"),
        (
            {"situations": ["Dock", "day"], "most": {"Dock": 4, "Gate": 4}},
            "'Dock' is or was the name of a place and of a situation; expected names that differ",
        ),
        ({"situations": ["day", "day"]}, "situation 'day' is named twice"),
        ({"situations": []}, "there are no situations; expected the name of at least one"),
        ({"situations": "day"}, "situations is 'day'; expected names"),
        ({"situations": ["=day"]}, "does not begin with"),
        ({"situations": ["day, early"]}, "a situation's name is 'day, early'; expected a name without , = @"),
        ({"situations": ["day=1"]}, "expected a name without , = @"),
        ({"situations": ["day@1"]}, "expected a name without , = @"),
        (
            {"situations": [f"s{number}" for number in range(25)]},
            "there are 25 situations; expected at most 24",
        ),
        ({"situations": None, "calendar": WEEK}, "a calendar needs situations"),
        (
            {"situations": None, "budget": {"weekday": 6}},
            "this campaign has none; expected the names of situations first",
        ),
    ],
)
def test_wrong_situations_are_refused_in_a_sentence(wrong, sentence):
    with pytest.raises((InputError, ConflictError), match=sentence):
        begun(**wrong)


def test_situations_cannot_be_removed_and_names_stay():
    settings = begun(calendar=WEEK)
    with pytest.raises(ConflictError, match="situation 'weekend' is left out; expected all situations"):
        after(settings, situations=["weekday", "holiday"])
    situations = settings.situations.renamed(1, "Wochenende")
    assert situations.find("weekend") == situations.find("Wochenende") == 1
    assert situations.calendar_data()["rules"][0]["situations"] == ["Wochenende"]
    with pytest.raises(ConflictError, match="'weekend' is or was the name of another situation"):
        situations.renamed(0, "weekend")
    with pytest.raises(
        NotFoundError, match="no situation named 'night'; expected one of weekday, Wochenende"
    ):
        situations.find("night")


def test_places_and_situations_have_names_that_differ():
    with pytest.raises(ConflictError, match="'Hall' is or was the name of a place and of a situation"):
        after(begun(arms=["Dock", "Hall"]), situations=["weekday", "weekend", "Hall"])


def test_real_changes_leave_out_what_is_so_already():
    settings = begun(budget={"weekday": 6, "weekend": 4}, most={"Dock": 4, "Gate": 4, "weekend": {"Dock": 2}})
    same = {
        "budget": {"weekend": 4},
        "most": {"Gate": 4, "weekend": {"Dock": 2}},
        "situations": ["weekend", "weekday"],
    }
    assert real_changes(settings, same) == {}
    for change in (
        {"budget": {"weekend": "5"}},
        {"budget": "6"},
        {"most": {"Dock": "4"}},
        {"most": {"weekend": {"Gate": "1"}}},
        {"calendar": {"rules": [], "default": ["weekday"]}},
    ):
        found = real_changes(settings, change)
        assert found == change
        there = changed(settings, found)
        assert meaning_of(settings, found)
        assert changes_of_settings(settings, there)
        back = changed(there, change_of(there, changes_back(settings, found)))
        assert changes_of_settings(settings, back) == []


def test_changes_by_situation_in_words():
    settings = begun()
    change = real_changes(
        settings, {"budget": {"weekend": 4}, "most": {"weekend": {"Dock": 2}}, "calendar": WEEK}
    )
    assert meaning_of(settings, change)[:3] == [
        "The calendar becomes: Saturday, Sunday: weekend; otherwise: weekday. Rounds whose situation "
        "followed from their date are read again. The history stays as it is.",
        "Budget in weekend: 4 (now 6).",
        "Most of Dock in weekend: 2 (now 4).",
    ]
    assert changes_of_settings(settings, changed(settings, change)) == [
        "calendar none → Saturday, Sunday: weekend; otherwise: weekday",
        "budget in weekend 6 → 4",
        "most of Dock in weekend 4 → 2",
    ]


def test_first_situations_say_what_becomes_of_earlier_reports():
    settings = begun(situations=None)
    change = real_changes(settings, {"situations": ["day", "night"]})
    assert meaning_of(settings, change)[:2] == [
        "Plans and reports distinguish these situations: day, night.",
        "Earlier reports belong to the situation that the calendar gives to their date, and to day where a "
        "date has several.",
    ]
    assert changes_back(settings, change) == {}
