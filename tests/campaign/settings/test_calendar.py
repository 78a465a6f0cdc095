"""The calendar: which situations a date has, and what is wrong with a calendar in a sentence."""

import calendar as months_of_the_library
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment import InputError
from allotment.campaign.settings.calendar import DAYS, MONTHS, Calendar, Rule, read_calendar
from allotment.campaign.settings.situations import Situations
from allotment.errors import FileError

NAMES = ("early", "late", "night")
SOME = st.lists(st.sampled_from(range(3)), min_size=1, max_size=3, unique=True).map(tuple)
DATES = st.dates(date(2025, 1, 1), date(2027, 12, 31))
PERIODS = st.tuples(DATES, st.integers(0, 400)).map(lambda each: (each[0], each[0] + timedelta(each[1])))
CONDITIONS = {
    "days": st.sets(st.integers(0, 6), min_size=1).map(lambda each: tuple(sorted(each))),
    "months": st.sets(st.integers(1, 12), min_size=1).map(lambda each: tuple(sorted(each))),
    "period": PERIODS,
    "dates": st.sets(DATES, min_size=1, max_size=5).map(lambda each: tuple(sorted(each))),
}


@st.composite
def rules(draw):
    chosen = draw(st.lists(st.sampled_from(sorted(CONDITIONS)), min_size=1, unique=True))
    return Rule(draw(SOME), **{name: draw(CONDITIONS[name]) for name in chosen})


CALENDARS = st.builds(Calendar, st.lists(rules(), max_size=5).map(tuple), st.one_of(st.just(()), SOME))


def of(given):
    return Calendar.of(given, NAMES.index)


@given(CALENDARS)
def test_a_calendar_survives_as_plain_data(made):
    assert of(made.to_dict(NAMES.__getitem__)) == made


@given(CALENDARS, DATES)
def test_the_first_rule_that_fits_wins_and_every_date_has_a_situation(made, day):
    fitting = [rule.situations for rule in made.rules if rule.fits(day)]
    found = Situations(NAMES, {}, made).on(day)
    assert found == (fitting[0] if fitting else made.default or (0, 1, 2))
    assert found


@given(st.sampled_from(range(12)), st.integers(2025, 2027))
def test_a_month_fits_on_its_days_alone(month, year):
    made = of({"rules": [{"months": [MONTHS[month][:3]], "situations": "night"}], "default": "early"})
    days = [date(year, 1, 1) + timedelta(day) for day in range(366)]
    fitting = sum(made.situations_on(day) == (2,) for day in days if day.year == year)
    assert fitting == months_of_the_library.monthrange(year, month + 1)[1]


def test_all_conditions_of_a_rule_must_hold():
    made = of({"rules": [{"days": ["Sat", "sunday"], "months": ["Jul", 8], "situations": ["early", "late"]}]})
    assert made.rules[0].to_dict(NAMES.__getitem__) == {
        "days": ["Saturday", "Sunday"],
        "months": ["July", "August"],
        "situations": ["early", "late"],
    }
    assert made.situations_on(date(2026, 7, 4)) == (0, 1)  # a Saturday
    assert made.situations_on(date(2026, 7, 6)) == made.situations_on(date(2026, 6, 6)) == ()


def test_days_are_known_by_their_first_letters():
    for number, name in enumerate(DAYS):
        assert of({"rules": [{"days": name[:2], "situations": "late"}]}).rules[0].days == (number,)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([], "calendar is \\[\\]; expected rules and a default"),
        ({"rule": []}, "the calendar has 'rule'; expected only rules, default"),
        ({"rules": {}}, "rules of the calendar is {}; expected a list"),
        ({"rules": ["Sat"]}, "rule 1 of the calendar is 'Sat'; expected situations, and one or more of"),
        ({"rules": [{"days": ["Sat"]}]}, "rule 1 of the calendar has no situations"),
        ({"rules": [{"situations": "late"}]}, "rule 1 of the calendar has no condition"),
        (
            {"rules": [{"day": "Sat", "situations": "late"}]},
            "rule 1 of the calendar has 'day'; expected",
        ),
        ({"rules": [{"days": [], "situations": "late"}]}, "days of rule 1 of the calendar is \\[\\]"),
        ({"rules": [{"days": ["Son"], "situations": "late"}]}, "is 'Son'; expected a day of the week"),
        ({"rules": [{"days": [6], "situations": "late"}]}, "is 6; expected a day of the week"),
        ({"rules": [{"months": [13], "situations": "late"}]}, "is 13; expected a month"),
        ({"rules": [{"months": [True], "situations": "late"}]}, "is True; expected a month"),
        ({"rules": [{"dates": ["31.2.2026"], "situations": "late"}]}, "a date of rule 1 .* expected a date"),
        ({"rules": [{"period": ["2026-02-01"], "situations": "late"}]}, "its first and its last day"),
        (
            {"rules": [{"period": ["2026-02-01", "2026-01-31"], "situations": "late"}]},
            "period of rule 1 .* expected a first day that is not after the last",
        ),
        (
            {"rules": [{"days": "Sat", "situations": []}]},
            "situations of rule 1 .* expected the name",
        ),
        ({"rules": [{"days": "Sat", "situations": ["late", "late"]}]}, "name a situation twice"),
        ({"default": 3}, "the default of the calendar is 3; expected the name of a situation"),
        (
            {"default": "nihgt"},
            "the default of the calendar: there is no situation named 'nihgt'. Did you mean night",
        ),
    ],
)
def test_a_wrong_calendar_is_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        Situations().with_names(NAMES).with_calendar(wrong)


def test_a_file_holds_the_same_data(tmp_path):
    path = tmp_path / "week.toml"
    path.write_text(
        'default = "early"\n[[rules]]\nsituations = ["late", "night"]\ndates = [2026-12-24, "2026-12-31"]\n'
    )
    made = of(read_calendar(path))
    assert made.situations_on(date(2026, 12, 31)) == (1, 2)
    assert made.situations_on(date(2026, 12, 30)) == (0,)


def test_a_file_that_is_no_calendar_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "week.toml"
    path.write_bytes(b"rules = [\xff")
    with pytest.raises(FileError, match=r"week.toml is not TOML: "):
        read_calendar(path)
    with pytest.raises(FileError, match="missing"):
        read_calendar(tmp_path / "missing.toml")
