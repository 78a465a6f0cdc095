"""Kinds of events: each has its class, and the version that reads it."""

from dataclasses import replace
from datetime import date

import pytest

from allotment import Campaign
from allotment.campaign.answers.event_words import kind_meant, kind_shown
from allotment.campaign.history import kinds, state
from allotment.campaign.history.event_parts import Words
from allotment.campaign.history.kinds import KINDS, OF_SETTINGS, VERSION, Kind, drafted
from allotment.campaign.history.state import State
from allotment.campaign.settings.specification import BY_NAME
from allotment.errors import HistoryError, InputError

NIGHT = {"arms": ["Dock", "Gate"], "budget": 3, "unit": 1, "most": 2, "seed": 1}
WEEK = {**NIGHT, "situations": ["weekday", "weekend"]}
LOG = "date,place,amount,incidents\n2026-03-01,Dock,1,0\n"
SITUATED_LOG = "date,place,amount,incidents,situation\n2026-03-01,Dock,1,0,weekend\n"
# The lowest version that reads each kind, in a campaign without and with situations; parts that came later.
READ_BY = {
    "created": (2, 3),
    "asked": (2, 3),
    "told": (2, 2),
    "cancelled": (2, 2),
    "closed": (2, 2),
    "imported": (2, 3),
    "undone": (2, 2),
    "remarked": (7, 7),
    "arm added": (2, 2),
    "arm renamed": (2, 2),
    "arm retired": (2, 2),
    "arm restored": (2, 2),
    "changed": (2, 3),
    "situation renamed": (None, 3),
}


def all_kinds(folder, settings):
    """A campaign in which everything happened once."""
    log = folder / "log.csv"
    log.write_text(SITUATED_LOG if "situations" in settings else LOG)
    with Campaign.create(folder / "it.db", "it", **settings) as it:
        situated = {"situation": "weekday"} if "situations" in settings else {}
        it.ask(date="2026-03-02", **situated)
        it.tell("1", {"Dock": 0})
        it.close_plan("1")
        it.undo("1", what="closing")
        it.ask(date="2026-03-03", **situated)
        it.cancel("2")
        it.import_log(log)
        it.remark("Fair in town", date="2026-03-02")
        it.add_arm("Yard", most=2)
        it.rename_arm("Yard", "Hall")
        it.retire_arm("Hall")
        it.restore_arm("Hall")
        if situated:
            it.rename_situation("weekend", "Sunday")
            it.change(calendar={"default": "weekday"})
        else:
            it.change(budget=4)
        yield it


@pytest.mark.parametrize(("settings", "which"), [(NIGHT, 0), (WEEK, 1)], ids=["night", "week"])
def test_each_kind_has_the_lowest_version_that_reads_it(tmp_path, settings, which, monkeypatch):
    for it in all_kinds(tmp_path, settings):
        events = list(it.history())
        found = {event.kind: event.version for event in events}
        expected = {kind: read_by[which] for kind, read_by in READ_BY.items() if read_by[which]}
        assert found == expected
        items = list(it.history_items())
    for event, item in zip(events, items, strict=True):
        assert isinstance(item.words, Words) and str(item.words)
        before = State().follow(events[: event.number - 1])
        with monkeypatch.context() as older:
            older.setattr(state, "VERSION", event.version - 1)
            with pytest.raises(HistoryError, match="was written by a newer allotment"):
                before.apply(event)
        before.apply(event)
        assert before.number == event.number


def test_each_kind_says_what_it_is_about(tmp_path):
    for it in all_kinds(tmp_path, NIGHT):
        items, called = list(it.history_items()), [arm.name for arm in it.settings.arms]
        (kept, _), plan = [it.plan(each) for each in ("1", "2")], it.plan("1")
    about = {
        each.entry.kind: {name for arm, name in enumerate(called) if each.entry.is_about(arm)}
        for each in reversed(items)
    }
    words = {each.entry.kind: str(each.words) for each in reversed(items)}
    granted = {name: amount for name, amount in plan.amounts.items() if amount}
    both, hall = {"Dock", "Gate"}, {"Hall"}
    assert (kept.state, granted.keys()) == ("partly told", about.pop("asked"))
    assert about == {
        "created": both,
        "told": {"Dock"},
        "closed": both,
        "undone": both,
        "cancelled": both,
        "imported": {"Dock"},
        **dict.fromkeys(("place added", "place renamed", "place retired", "place restored"), hall),
        "changed": set(),
        "remarked": set(),
    }
    amounts = ", ".join(f"{name} {amount}" for name, amount in granted.items())
    assert words == {
        "created": "2 places, budget 3, unit 1",
        "asked": f"plan 1 of 2026-03-02: {amounts}",
        "told": "plan 1 of 2026-03-02: Dock 0",
        "closed": "plan 1 of 2026-03-02",
        "undone": "plan 1 of 2026-03-02: closing undone",
        "cancelled": "plan 2 of 2026-03-03",
        "imported": "import-1 (log.csv): 1 rows, 0 incidents from 2026-03-01 to 2026-03-01",
        "remarked": "2026-03-02: Fair in town",
        "place added": "Yard, most 2",
        "place renamed": "Yard → Hall",
        "place retired": "Hall",
        "place restored": "Hall",
        "changed": "budget 3 → 4",
    }


def test_a_remark_is_found_under_its_date_and_changes_nothing(tmp_path):
    with Campaign.create(tmp_path / "it.db", "it", **NIGHT) as it:
        it.ask(date="2026-03-02")
        tallies, plan, tried = it.evidence(), it.plan("1"), it.what_if(date="2026-03-03").amounts
        it.remark(" Fair in town,\nuntil midnight ", date="2026-03-02", key="k")
        it.remark(" Fair in town,\nuntil midnight ", date="2026-03-02", key="k")
        assert it.last_event == 3 and it.changes_since("1") == ()
        assert (it.evidence(), it.plan("1")) == (tallies, plan)
        assert it.what_if(date="2026-03-03").amounts == tried
        (item,) = it.history_items(first="2026-03-02", last="2026-03-02", kind="remarked")
        assert item.entry.date == date(2026, 3, 2)
        assert str(item.words) == "2026-03-02: Fair in town, until midnight"
        assert it.history_page(first="2026-03-03", last="2026-03-03", kind="remarked").items == ()
        for wrong in ("", " \n", "x" * 501, "a\u202eb", None):
            with pytest.raises(InputError):
                it.remark(wrong)
        it.verify(plans=True)
        it.export(tmp_path / "it.jsonl")
    with Campaign.replay(tmp_path / "it.jsonl", tmp_path / "again.db") as again:
        assert [event.kind for event in again.history()] == ["created", "asked", "remarked"]
        again.verify()


def test_control_rounds_need_version_4(tmp_path):
    with Campaign.create(tmp_path / "it.db", "it", **NIGHT, control=0.5) as it:
        it.ask(date="2026-03-02")
        it.change(control=None)
        it.ask(date="2026-03-03")
        assert [event.version for event in it.history()] == [4, 4, 4, 2]


def test_plans_of_counted_finds_need_version_5(tmp_path):
    for losses, version in (("counts", 5), ("binary", 2)):
        with Campaign.create(tmp_path / losses, "it", **NIGHT, sees="finds", losses=losses) as it:
            plan = it.ask(date="2026-03-02")
            asked = list(it.history())[1]
            assert asked.version == version
            tables = asked.plan.tables
            assert (tables.find_variances is None) == (losses == "binary")
            for row in tables.find_variances or ():
                assert row[0] == 0.0 and min(row) >= 0.0  # nothing is found without a grant
        assert plan.amounts


def test_the_version_is_that_of_the_newest_part():
    assert VERSION == 7
    assert drafted("asked", {"find_variances": []}).version == 5
    assert drafted("changed", {"settings": {"budget": "3", "note": "Bring radios"}}).version == 6
    assert drafted("remarked", {"date": "2026-03-02", "text": "Fair in town"}).version == VERSION


def test_a_later_setting_of_places_raises_the_version_of_the_events_that_hold_it(monkeypatch):
    """A program of version 4 would refuse such an event as forged, instead of asking for a newer program."""
    monkeypatch.setitem(kinds.OF_ARMS, "phone", replace(BY_NAME["crew"], since=5))
    old, new = {"name": "Dock", "most": "2", "crew": "1"}, {"name": "Gate", "most": "2", "phone": "112"}
    for kind, payload, expected in [
        ("arm added", {"arm": old}, 2),
        ("arm added", {"arm": new}, 5),
        ("created", {"arms": [old]}, 2),
        ("created", {"arms": [old, new, old]}, 5),
    ]:
        assert drafted(kind, payload).version == expected


def test_every_class_is_listed_under_its_name():
    named = {
        each.name: each for each in vars(kinds).values() if isinstance(each, type) and "name" in vars(each)
    }
    assert {name: type(kind) for name, kind in KINDS.items()} == named
    assert all(isinstance(each, Kind) for each in KINDS.values())
    assert OF_SETTINGS.keys() == {"changed", "situation renamed"} | {
        name for name in KINDS if name.startswith("arm ")
    }
    assert KINDS.keys() == READ_BY.keys()


def test_kinds_are_asked_for_in_a_planners_terms():
    assert [kind_meant(kind_shown(kind)) for kind in KINDS] == [kind_shown(kind) for kind in KINDS]


@pytest.mark.parametrize("kind", [each for each in KINDS if each not in ("created", "asked", "imported")])
def test_a_kind_refuses_parts_that_it_does_not_have(kind):
    sound = dict.fromkeys(KINDS[kind].needed, "1") or {"plan": "1"}
    KINDS[kind].form(sound)
    with pytest.raises(ValueError, match="has 'colour'"):
        KINDS[kind].form({**sound, "colour": "1"})
    for part in sound:
        with pytest.raises(ValueError, match=f"has no {part}"):
            KINDS[kind].form({name: each for name, each in sound.items() if name != part})
