"""What events hold of situations is checked when it is applied: a rehashed history may hold anything."""

import pytest

from allotment import Campaign, HistoryError
from allotment.campaign.history.snapshots import packed, unpacked
from allotment.campaign.history.state import State
from campaign_histories import edited, rehashed

WEEK = {"rules": [{"days": ["Sat"], "situations": "weekend"}], "default": "weekday"}
CREATED, ASKED, IMPORTED, CHANGED, RENAMED = 1, 2, 3, 4, 5
FORGERIES = [
    (CREATED, ("situations",), {}, "the situations has no names"),
    (CREATED, ("situations", "names"), [], "at least one situation"),
    (CREATED, ("situations", "names"), ["=weekday", "weekend"], "does not begin with ="),
    (CREATED, ("situations", "names"), ["weekend", "weekday"], "is or was the name of another situation"),
    (CREATED, ("situations", "names"), ["Dock", "weekend"], "the name of a place and of a situation"),
    (CREATED, ("situations", "aliases", "weekday"), 2, "a situation is 2"),
    (CREATED, ("situations", "own", "weekend", "budget"), "NaN", "budget is 'NaN'"),
    (CREATED, ("situations", "own", "weekend", "most"), {"Duck": "1"}, "'Duck' is not known"),
    (CREATED, ("situations", "own", "night"), {}, "'night' is not known"),
    (CREATED, ("situations", "calendar", "rules"), [{}], "rule 1 of the calendar has no condition"),
    (CREATED, ("situations", "calendar", "default"), ["night"], "there is no situation named 'night'"),
    (ASKED, ("situation",), "night", "'night' is not known"),
    (ASKED, ("situation",), ["weekday"], "unhashable"),
    (ASKED, ("stated",), 1, "stated is 1"),
    (IMPORTED, ("situations",), ["night"], "'night' is not known"),
    (IMPORTED, ("rows", "situation"), [2], "situation of rows is 2; expected 0 to 1"),
    (IMPORTED, ("rows", "stated"), [2], "stated of rows is 2; expected 0 to 1"),
    (IMPORTED, ("rows", "stated"), [], "stated of rows has 0 values; expected 1"),
    (IMPORTED, ("report", "situations"), {"weekend": -1}, "weekend is -1"),
    (CHANGED, ("settings", "budget"), {"night": "3"}, "'night' is not known"),
    (CHANGED, ("settings", "situations"), ["weekend"], "the situations that there are"),
    (CHANGED, ("settings", "most"), {"weekend": {"Dock": "99"}}, "the most of 'Dock' in weekend is 99"),
    (RENAMED, ("new",), "weekday", "is or was the name of another situation"),
    (RENAMED, ("old",), "night", "'night' is not known"),
]


@pytest.fixture
def week(tmp_path):
    given = {
        "arms": ("Dock", "Gate"),
        "budget": {"weekday": 3, "weekend": 2},
        "unit": 1,
        "most": 2,
        "seed": 7,
    }
    situations = {"situations": ["weekday", "weekend"], "calendar": WEEK, "timezone": "UTC"}
    with Campaign.create(tmp_path / "week.db", "week", **given, **situations, author="Ada") as made:
        made.ask(date="2026-03-27")
        log = tmp_path / "log.csv"
        log.write_text("date,place,amount,incidents\n2026-03-28,Dock,1,0\n")
        made.import_log(log)
        made.change(budget={"weekend": 3}, situations=["weekday", "weekend"], most={"weekend": {"Dock": 1}})
        made.rename_situation("weekend", "Wochenende")
        yield made


def test_an_event_that_makes_no_sense_is_refused_and_the_sentence_says_why(week):
    history = list(week.history())
    for number, path, value, sentence in FORGERIES:
        forged = rehashed(history, number, edited(history[number - 1].payload, path, value))
        with pytest.raises(HistoryError, match=sentence):
            State().follow(forged)
    assert State().follow(rehashed(history, 0, {})).hash == history[-1].hash


def test_a_plan_has_both_parts_of_its_situation_or_none(week):
    created, asked, *_ = week.history()
    plain = {name: part for name, part in asked.payload.items() if name not in ("situation", "stated")}
    (plan,) = State().follow(rehashed([created, asked], 2, plain)).plans  # from before the first situations
    assert (plan.situation, plan.stated) == (0, False)
    for left_out in ("situation", "stated"):
        part = {name: each for name, each in asked.payload.items() if name != left_out}
        with pytest.raises(HistoryError, match="the plan has"):
            State().follow(rehashed([created, asked], 2, part))


def test_a_snapshot_that_points_to_no_situation_is_not_used(week):
    state = State().follow(week.history())
    assert unpacked(packed(state)) is not None
    state.plans[0].recorded = 2
    assert unpacked(packed(state)) is None
