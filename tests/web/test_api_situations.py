"""Situations over HTTP. A campaign without situations is asked and answers as it was before."""

import json

import pytest

from allotment.campaign.access.rights import RECORDER, Rights

HERE = "/api/v1/campaigns/1"
SATURDAY = "2026-01-31"
SHIFTS = {"rules": [{"days": ["Sat"], "situations": ["early", "late"]}], "default": "early"}
BEFORE = ("overview", "plans", "plans/latest", "plans/1", "plans/1/report", "plans/1/explanation")
BEFORE += (
    "plans/1/explanation/place?name=Dock",
    "places/history?name=Dock",
    "evidence",
    "status",
    "frontier",
)
BEFORE += ("forecast?rounds=1", "history/words", "imports")


@pytest.fixture
def shifts(ada, campaign):
    """The campaign with two shifts on Saturdays."""
    body = {"situations": ["early", "late"], "calendar": SHIFTS, "budget": {"early": 6, "late": 4}}
    assert ada.patch(f"{HERE}/settings", json=body).status_code == 204
    return campaign


def test_without_situations_no_answer_names_one(ada, campaign):
    made = ada.post(f"{HERE}/plans", json={"date": SATURDAY})
    ada.post(f"{HERE}/plans/1/report", json={"losses": {"Dock": 1}})
    log = ("log.csv", b"date,place,amount,incidents\n2026-01-01,Dock,1,0\n")
    ada.post(f"{HERE}/imports", files={"file": log})
    for answer in (made, *(ada.get(f"{HERE}/{path}") for path in BEFORE)):
        assert (
            answer.status_code < 300 and "situation" not in answer.text and "today_budgets" not in answer.text
        )
    assert ada.get(f"{HERE}/situations").json() == []
    wrong = ada.get(f"{HERE}/plans", params={"situation": "late"})
    assert wrong.status_code == 404 and "no situation" in wrong.json()["detail"]


def test_all_plans_of_a_date_are_made_once(ada, shifts):
    assert ada.get(f"{HERE}/situations", params={"date": SATURDAY}).json() == ["early", "late"]
    refused = ada.post(f"{HERE}/plans", json={"date": SATURDAY})
    assert refused.status_code == 422 and "early, late" in refused.json()["detail"]
    made, again = (ada.post(f"{HERE}/plans/all", json={"date": SATURDAY}) for _ in range(2))
    assert (made.status_code, again.status_code) == (201, 200)
    plans = [each["plan"] for each in made.json()]
    assert [(each["situation"], each["budget"]) for each in plans] == [("early", 6), ("late", 4)]
    assert [each["plan"] for each in again.json()] == plans
    late = {"date": SATURDAY, "situation": "late"}
    assert ada.get(f"{HERE}/plans/latest", params=late).json()["id"] == "2"
    for state in ("open", "any", "reportable"):
        items = ada.get(f"{HERE}/plans", params={**late, "state": state}).json()["items"]
        assert [each["situation"] for each in items] == ["late"]
    assert ada.post(f"{HERE}/plans", json={**late, "also": True}).json()["plan"]["id"] == "3"


def test_questions_name_their_situation(ada, shifts):
    ada.post(f"{HERE}/plans/all", json={"date": SATURDAY})
    ada.post(f"{HERE}/plans/2/report", json={"losses": {"Dock": 1}})
    for path in ("status", "frontier"):
        found = [ada.get(f"{HERE}/{path}", params={"situation": each}).json() for each in ("early", "late")]
        assert [each["situation"] for each in found] == ["early", "late"] and found[0] != found[1]
    assert ada.get(f"{HERE}/evidence").json()[0]["situation"] == "late"
    tried = ada.post(f"{HERE}/what-if", json={"situation": "late", "most": {"late": {"Dock": 1}}}).json()
    assert tried["situation"] == "late" and tried["amounts"]["Dock"] <= 1
    assert ada.post(f"{HERE}/situations/rename", json={"old": "late", "new": "night"}).status_code == 204
    assert shifts.settings.situations.names == ("early", "night")


def test_a_recorder_sees_the_shifts_and_the_places_of_a_group(program, ada, shifts):
    ada.post(f"{HERE}/plans/all", json={"date": SATURDAY})
    eve = program(Rights("Eve", RECORDER, 1, "town"))
    seen = eve.get(f"{HERE}/plans/latest", params={"date": SATURDAY, "situation": "late"}).json()
    assert set(seen["amounts"]) == {"Gate", "Yard"} and seen["situation"] == "late"
    assert eve.get(f"{HERE}/situations").status_code == 200
    for path, body in (("plans/all", {}), ("situations/rename", {"old": "late", "new": "x"})):
        assert eve.post(f"{HERE}/{path}", json=body).status_code == 403


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"calendar": {"rules": [{"days": ["Caturday"], "situations": "late"}]}}, "day of rule 1"),
        ({"calendar": {"rules": [{"days": ["Sat"]}]}}, "calendar.rules.0.situations"),
        ({"calendar": {"default": "noon"}}, "noon"),
        ({"situations": ["late"]}, "is left out"),
        ({"budget": {"noon": 3}}, "noon"),
    ],
)
def test_what_is_wrong_with_situations_is_a_sentence(ada, shifts, body, sentence):
    answer = ada.patch(f"{HERE}/settings", json=body)
    assert answer.status_code in (404, 409, 422) and sentence in answer.json()["detail"]


def test_the_description_names_situations(ada):
    found = ada.get("/api/v1/openapi.json").json()
    for path in ("plans", "plans/latest", "status", "frontier", "history/words"):
        named = [
            each["name"] for each in found["paths"][f"/campaigns/{{campaign}}/{path}"]["get"]["parameters"]
        ]
        assert "situation" in named, path
    schemas = found["components"]["schemas"]
    assert "situation" in schemas["Plan"]["properties"] and "situation" not in schemas["Plan"]["required"]
    assert {"situations", "calendar"} <= set(schemas["Changes"]["properties"])
    assert "situation" in json.dumps(schemas["PlansRequest"])
