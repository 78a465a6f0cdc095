"""What recorders see is what was allowed: a new field, or a new kind of answer, is hidden."""

from dataclasses import dataclass, fields

import pytest

from allotment import NotAllowedError
from allotment.campaign.access import sight
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.campaign.access.sight import allow, seen_by
from allotment.campaign.forms.answer import field_names
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
