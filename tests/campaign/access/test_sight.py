"""What recorders see is what was allowed: a new field, or a new kind of answer, is hidden."""

from dataclasses import dataclass, fields, replace

import pytest

from allotment import Campaign, NotAllowedError
from allotment.campaign.access import sight
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.sight import allow, seen_by
from allotment.campaign.forms.answer import field_names, plain_data
from allotment.campaign.planning import plan_inputs
from allotment.campaign.planning.comparison import lot_of
from allotment.campaign.planning.plan import BriefPlan, Plan

EVE, TOM = Rights("Eve", RECORDER, 1), Rights("Tom", RECORDER, 1, "town")


@dataclass(frozen=True)
class Note:
    """A record with a field that was allowed, and new ones that nobody thought of."""

    id: str
    words: str = ""
    count: int = 0
    rest: float | None = None


@pytest.fixture
def note(monkeypatch):
    monkeypatch.setattr(sight, "_ALLOWED", dict(sight._ALLOWED))
    allow(Note, "id")
    return Note("1", "a control round", 3, 0.5)


@pytest.mark.parametrize("who", [EVE, TOM])
def test_a_new_field_is_hidden_until_it_is_allowed(note, who):
    assert seen_by(who).of(note, None) == Note("1")
    assert seen_by(who).of((note,), None) == (Note("1"),)
    for role in (VIEWER, PLANNER):
        assert seen_by(Rights("Vi", role)).of(note, None) == note


def test_a_new_kind_of_answer_is_refused():
    for answer in (Note("1"), [Note("1")], {"id": "1"}):
        with pytest.raises(NotAllowedError, match="a recorder may not see"):
            seen_by(EVE).of(answer, None)


def test_every_field_of_what_recorders_see_can_be_hidden():
    for kind in (Plan, BriefPlan):
        for name in field_names(kind):
            if name != "date":  # which no answer of these hides
                assert not sight._hidden(kind, name)


def test_what_is_allowed_names_fields_that_there_are():
    for kind, allowed in sight._ALLOWED.items():
        named = allowed.fields | allowed.by_place | allowed.of_all_places
        assert named <= set(field_names(kind)), kind
    assert len(fields(Plan)) > 20


def shown_of_a_week(folder, monkeypatch, who, *, drawn):
    """The names of all fields in which recorders see something, plan by plan, if each lot falls one way."""

    def same_lot(*known):
        lot = lot_of(*known)
        return None if lot is None else replace(lot, drawn=drawn)

    monkeypatch.setattr(plan_inputs, "lot_of", same_lot)
    given = {"unit": 1, "most": 4, "seed": 7, "moves": 2, "control": {"share": 0.5}}
    given |= {"arms": ["Dock", "Gate", "Yard"], "groups": {"town": {"arms": ["Gate", "Yard"]}}}
    with Campaign.create(folder / f"{drawn}.db", "night", budget=10, **given) as made:
        made.ask(date="2026-01-01")
        made.tell("1", {"Dock": 1, "Gate": 0, "Yard": 0})
        made.ask(date="2026-01-02", require=["Gate"], budget=5)
        made.ask(date="2026-01-03", exclude=["Yard"])  # so that no place needs the last units
        made.plan_for("2026-01-03", exclude=["Yard"], again=True)
        made.ask(date="2026-01-04", moves=0)
        made.tell("2", {"Gate": 0}, amounts={"Gate": 1})
        assert [bool(each.control) for each in map(made.plan, "12345")] == [drawn] * 5
        sight, settings = seen_by(who), made.settings
        records = [answer(each) for each in "12345" for answer in (made.plan, made.report)]
        seen = [sight.of(each, settings) for each in (*records, *made.plans_of("2026-01-03"))]
        return [
            {name for name, value in plain_data(each).items() if value not in (None, [], {})} for each in seen
        ]


@pytest.mark.parametrize("who", [EVE, TOM], ids=["all places", "a group"])
def test_which_fields_a_recorder_sees_does_not_depend_on_the_lot(tmp_path, monkeypatch, who):
    control, usual = (shown_of_a_week(tmp_path, monkeypatch, who, drawn=drawn) for drawn in (True, False))
    assert control == usual


@pytest.mark.parametrize("who", [EVE, TOM], ids=["all places", "a group"])
def test_recorders_do_not_see_spare_units(campaign, who):
    """A control round never has any, and not every week has a plan that has."""
    plan = replace(campaign.ask(date="2026-01-01"), spare={"Dock": 1.0, "Gate": 0.5})
    assert not seen_by(who).of(plan, campaign.settings).spare
