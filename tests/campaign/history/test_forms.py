"""What events hold is checked when it is applied: a rehashed history may hold anything."""

import json

import pytest
from sqlalchemy import update

from allotment import Campaign, HistoryError, InputError
from allotment.campaign.forms.payloads import column, counts, keyed
from allotment.campaign.history.events import Draft, Event, Request, moment, text_of
from allotment.campaign.history.state import State
from allotment.campaign.history.store.tables import events as rows
from campaign_histories import edited, lively, rehashed

DEEP = json.loads("[" * 200 + "]" * 200)
CREATED, ASKED, TOLD, IMPORTED, CHANGED, RENAMED, ADDED, CANCELLED, UNDONE = 1, 2, 3, 7, 8, 9, 10, 12, 13
REMARKED = 20
FORGERIES = [
    (CREATED, ("name",), "=cmd|calc", "does not begin with ="),
    (CREATED, ("arms", 0, "name"), "+1", "does not begin with ="),
    (CREATED, ("arms", 0, "most"), "NaN", "most is 'NaN'"),
    (CREATED, ("arms", 0, "most"), True, "most is True"),
    (CREATED, ("arms", 0, "severity"), "1e-400", "severity is '1e-400'"),
    (CREATED, ("arms", 0, "shape"), [1, 2], "a geometry with type and coordinates only"),
    (CREATED, ("arms", 0, "active"), 1, "active is 1"),
    (CREATED, ("arms", 0, "color"), "red", "a place has 'color'"),
    (CREATED, ("arms",), {}, "arms is {}"),
    (CREATED, ("unit",), "0", "unit is '0'"),
    (CREATED, ("budget",), "1E+999999", "budget is '1E.999999'"),
    (CREATED, ("scale",), "900000000000", "at most 1000 units"),
    (CREATED, ("half_life",), "1e-400", "half_life is '1e-400'"),
    (CREATED, ("seed",), -1, "seed is -1"),
    (CREATED, ("seed",), 1.5, "seed is 1.5"),
    (CREATED, ("sees",), "all", "sees is 'all'"),
    (CREATED, ("losses",), ["binary"], "losses is"),
    (CREATED, ("timezone",), "../../etc/passwd", "timezone is"),
    (CREATED, ("policy",), "\x1b[31m", "policy is"),
    (CREATED, ("aliases", "Dock"), 7, "a place is 7"),
    (CREATED, ("aliases", "Dock"), 1, "'Dock' to be place 0"),
    (CREATED, ("groups",), {"n": {"least": "0"}}, "a group has no most"),
    (CREATED, ("groups",), DEEP, "groups is"),
    (ASKED, ("knew",), 0, "knew is 0; expected an event from 1 to 1"),
    (ASKED, ("knew",), -1, "knew is -1"),
    (ASKED, ("knew",), 2, "knew is 2"),
    (ASKED, ("knew",), True, "knew is True"),
    (ASKED, ("plan",), "2", "plan is '2'; expected 1"),
    (ASKED, ("plan",), 1, "plan is 1; expected 1"),
    (ASKED, ("date",), " 2026-01-01", "date is"),
    (ASKED, ("unit",), "0", "unit is '0'"),
    (ASKED, ("arms", 0), "Duck", "'Duck' is not known"),
    (ASKED, ("arms",), [], "units has 3 values; expected 0"),
    (ASKED, ("arms",), ["Gate", "Dock", "Yard"], "not in their order"),
    (ASKED, ("units", 0), -1, "units is -1"),
    (ASKED, ("units", 0), 1.5, "a list of whole numbers"),
    (ASKED, ("units", 0), True, "a list of whole numbers"),
    (ASKED, ("units", 0), 10**30, "units is 1000"),
    (ASKED, ("mean",), [1], "mean has 1 values; expected 3"),
    (ASKED, ("expected_losses",), "many", "expected_losses is"),
    (ASKED, ("explore",), 1, "explore is 1"),
    (ASKED, ("expected_cost",), None, "expected_cost is"),
    (ASKED, ("version",), 3, "version is 3; expected 2"),
    (ASKED, ("version",), True, "version is True; expected 2"),
    (ASKED, ("usual_budget",), "NaN", "usual_budget is 'NaN'"),
    (ASKED, ("best",), [1], "best has 1 values; expected 3"),
    (ASKED, ("beside", "hot spots"), ["many", 1], "beside is"),
    (ASKED, ("beside", "=1+1"), [1, 1], "beside is '=1"),
    (ASKED, ("losses", 0), [0.5], "a row of losses has 1 values; expected"),
    (ASKED, ("losses", 0, 1), None, "losses is"),
    (ASKED, ("losses",), [], "losses has 0 values; expected 3"),
    (ASKED, ("variances",), [[1.0]] * 3, "a row of variances has 1 values; expected"),
    (ASKED, ("find_variances",), [[1.0]] * 3, "expected none in a plan without variances"),
    (ASKED, ("find_variances",), None, "find_variances is"),
    (ASKED, ("severities", 0), 0, "severities is"),
    (ASKED, ("reasons", "price_cost"), "much", "price_cost is"),
    (ASKED, ("reasons", "binds", 0), "=1+1", "binds is '=1"),
    (ASKED, ("reasons", "moved"), [["Duck", 1, 2]], "moved is 'Duck'"),
    (ASKED, ("reasons", "because"), ["\x1b[2J"], "because is"),
    (ASKED, ("reasons", "to_learn", 0), -3, "to_learn is -3"),
    (ASKED, ("wishes", "fix"), {"Dock": "NaN"}, "fix is 'NaN'"),
    (ASKED, ("wishes", "exclude"), "Dock", "exclude is 'Dock'"),
    (ASKED, ("extra",), 1, "the plan has 'extra'"),
    (TOLD, ("plan",), "2", "there is no plan '2'"),
    (TOLD, ("losses", "Dock"), 2, "losses is 2; expected 0 to 1"),
    (TOLD, ("losses", "Dock"), -1, "losses is -1"),
    (TOLD, ("losses", "Dock"), True, "losses is"),
    (TOLD, ("losses", "Duck"), 1, "'Duck' is not known"),
    (TOLD, ("losses",), [1], "losses is"),
    (TOLD, ("amounts", "Dock"), "-1", "an amount is '-1'"),
    (TOLD, ("amounts", "Duck"), "1", "'Duck' is not known"),
    (TOLD, ("correct",), 0, "correct is 0"),
    (IMPORTED, ("import",), "import-2", "expected import-1"),
    (IMPORTED, ("rows", "arm", 0), -1, "arm of rows is -1"),
    (IMPORTED, ("rows", "amount", 0), 2, "amount of rows is 2; expected 0 to 1"),
    (IMPORTED, ("rows", "exposure", 0), -1, "exposure of rows is -1"),
    (IMPORTED, ("rows", "day", 0), 10**7, "day of rows is 10000000"),
    (IMPORTED, ("rows", "incidents", 0), 2, "more incidents than rounds"),
    (IMPORTED, ("rows", "incidents", 0), 1.0, "a list of whole numbers"),
    (IMPORTED, ("rows", "incidents"), [1], "incidents of rows has 1 values; expected 2"),
    (IMPORTED, ("rows", "extra"), [1, 2], "rows has 'extra'"),
    (IMPORTED, ("replaced", "day"), [0], "day of replaced has 1 values"),
    (IMPORTED, ("exposures", 0), "0.5", "exposure is '0.5'"),
    (IMPORTED, ("exposures", 0), "0", "exposure is '0'"),
    (IMPORTED, ("amounts", 0), "1e-400", "an amount is '1e-400'"),
    (IMPORTED, ("first",), "9999-99-99", "first is"),
    (IMPORTED, ("report", "rounds"), "2", "rounds is"),
    (IMPORTED, ("report",), None, "report is None"),
    (IMPORTED, ("report", "read_as"), {"columns": {"place": "Ort"}}, "read_as has no heading"),
    (IMPORTED, ("report", "read_as"), {"heading": ["a"], "columns": {"place": 1}}, "a list of texts"),
    (IMPORTED, ("report", "read_as"), {"heading": ["a"], "header": -1}, "header is -1"),
    (IMPORTED, ("report", "read_as"), {"heading": ["a"], "sheet": 1}, "a list of texts"),
    (IMPORTED, ("report", "read_as"), {"heading": ["a"], "form": 1}, "read_as has 'form'"),
    (CHANGED, ("settings", "half_life"), "1e-400", "half_life is"),
    (CHANGED, ("settings", "unit"), "0", "unit is '0'"),
    (CHANGED, ("settings", "budget"), None, "budget is None"),
    (CHANGED, ("settings", "seed"), 7, "the change has 'seed'"),
    (CHANGED, ("settings", "severities"), {"Dock": "0"}, "severities is '0'"),
    (CHANGED, ("settings", "shapes"), {"Dock": {"type": "Point"}}, "the shape of 'Dock'"),
    (CHANGED, ("settings", "groups", "north", "arms", 0), "Duck", "'Duck' is not known"),
    (RENAMED, ("new",), "@home", "does not begin with ="),
    (RENAMED, ("new",), "Dock", "'Dock' is or was the name of a place"),
    (RENAMED, ("old",), "Duck", "'Duck' is not known"),
    (ADDED, ("arm", "most"), "1000", "scale is 4"),
    (CANCELLED, ("plan",), "2", "plan 2 is told"),
    (CANCELLED, ("plan",), "9" * 5000, "event 12 .* is invalid"),
    (UNDONE, ("plan",), "3", "plan 3 has no report to undo"),
    (UNDONE, ("import",), "import-1", "the undoing has 'plan'"),
    (REMARKED, ("date",), "2026-1-4", "date is '2026-1-4'"),
    (REMARKED, ("date",), None, "date is None"),
    (REMARKED, ("text",), "two\nlines", "a text as it is stored, on one line"),
    (REMARKED, ("text",), "", "the remark is empty"),
    (REMARKED, ("text",), 5, "the remark is 5; expected a text"),
    (REMARKED, ("text",), "\x1b[31m", "without characters that control the text"),
    (REMARKED, ("text",), "x" * 501, "has 501 characters"),
    (REMARKED, ("place",), "Dock", "the remark has 'place'"),
]


@pytest.fixture
def history(campaign, tmp_path):
    lively(campaign, tmp_path)
    return list(campaign.history())


def test_an_event_that_makes_no_sense_is_refused_and_the_sentence_says_why(history):
    for number, path, value, sentence in FORGERIES:
        forged = rehashed(history, number, edited(history[number - 1].payload, path, value))
        with pytest.raises(HistoryError, match=sentence):
            State().follow(forged)
    assert State().follow(rehashed(history, 0, {})).hash == history[-1].hash


def test_events_come_in_an_order_that_makes_sense(history):
    created, asked, told = history[:3]
    cancelled = next(event for event in history if event.kind == "cancelled")

    def following(*events):
        found, previous = [], ""
        for number, (kind, payload) in enumerate(events, start=1):
            event = Event.after(
                previous, number, asked.at, Request("Ada", str(number), "r"), Draft(kind, payload)
            )
            found.append(event)
            previous = event.hash
        return found

    start = ("created", created.payload)
    plan, report = ("asked", asked.payload), ("told", told.payload)
    cancel = ("cancelled", {**cancelled.payload, "plan": "1"})
    State().follow(following(start, plan, cancel))
    for events, sentence in [
        ((plan,), "created by its first event"),
        ((start, start), "created by its first event"),
        ((start, report), "there is no plan yet"),
        ((start, plan, cancel, report), "plan 1 was cancelled"),
        ((start, plan, cancel, cancel), "plan 1 is cancelled already"),
        ((start, plan, plan), "plan is '1'; expected 2"),
        ((start, ("danced", {})), "a kind that this allotment does not know"),
        ((start, ("arm retired", {})), "the change has no arm"),
    ]:
        with pytest.raises(HistoryError, match=sentence):
            State().follow(following(*events))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("by", "=cmd|calc"),
        ("by", ""),
        ("key", "\x1b[31m"),
        ("request", ""),
        ("version", 0),
        ("at", "0001-01-01T00:00:00+14:00"),
        ("kind", "\ud800"),
        ("extra", 1),
    ],
)
def test_what_is_around_a_payload_is_checked_too(campaign, part, value):
    event = next(campaign.history())
    content = {**event.to_dict(), part: value}
    with pytest.raises(HistoryError):
        forged = Event.from_dict(content)
        State().apply(Event(**{**vars(forged), "hash": forged.sealed("")}) if part != "kind" else forged)


def planted(campaign, events):
    with campaign.store.engine.begin() as connection:
        for event in events:
            values = {"payload": event.text, "hash": event.hash, "at": moment(event.at)}
            connection.execute(update(rows).where(rows.c.number == event.number).values(**values))


def test_a_forged_store_is_refused_with_a_sentence(history, campaign):
    planted(campaign, rehashed(history, ASKED, edited(history[ASKED - 1].payload, ("knew",), 0)))
    with Campaign.open(campaign.store.name) as other:
        for use in (other.verify, other.status, other.ask):
            with pytest.raises(HistoryError, match=r"event 2 \('asked'\) is invalid: knew is 0"):
                use()


def test_what_json_can_hold_and_no_event_does_is_not_exported(campaign, tmp_path):
    first = next(campaign.history())
    for text in ('{"budget":NaN}', '{"budget":1e400}', '{"name":"\\ud800"}'):
        forged = Event(**{**vars(first), "text": text})
        planted(campaign, [Event(**{**vars(forged), "hash": forged.sealed("")})])
        with pytest.raises(HistoryError, match="event 1 .*(cannot be exported|is invalid)"):
            campaign.export(tmp_path / "history.jsonl")
        assert not (tmp_path / "history.jsonl").exists()


def test_a_forged_export_leaves_nothing(history, tmp_path):
    for path, value in [
        (("arms", 1, "name"), "=cmd|calc"),
        (("unit",), "0"),
        (("policy",), "any-response:x=1"),
    ]:
        forged = rehashed(history, CREATED, edited(history[0].payload, path, value))
        heading = {"format": "allotment-history-1", "events": len(forged), "hash": forged[-1].hash}
        lines = [heading, *(event.to_dict() for event in forged)]
        (tmp_path / "forged.jsonl").write_text("".join(text_of(line) + "\n" for line in lines))
        with pytest.raises((HistoryError, InputError), match=r"forged.jsonl, line 2: "):
            Campaign.replay(tmp_path / "forged.jsonl", tmp_path / "other.db")
        assert not (tmp_path / "other.db").exists()


def test_forms():
    with pytest.raises(InputError, match="it is 3; expected values by name"):
        keyed("it", 3, ("a",))
    with pytest.raises(InputError, match="it has 'b'; expected only a, c"):
        keyed("it", {"a": 1, "b": 2}, ("a",), ("c",))
    with pytest.raises(InputError, match="expected finite numbers"):
        column("it", [1, float("nan")], frozenset({int, float}))
    with pytest.raises(InputError, match="it is 3; expected 0 to 2"):
        counts("it", [1, 3], below=3)
