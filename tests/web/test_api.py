"""The HTTP API: a daily round, roles, keys, cursors, problems."""

import json
import re

import pytest
from starlette.testclient import TestClient

from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, RECORDER, VIEWER, Rights
from allotment.web.application import make_application
from allotment.web.security.attempts import MOST_FAILURES

OWNER = Rights("root", PLANNER)
BASE = "/api/v1/campaigns"


def test_a_day_over_http(ada, campaign):
    made = ada.post(f"{BASE}/1/plans", json={"budget": 5})
    assert made.status_code == 201 and made.json()["made"] is True
    plan = made.json()["plan"]
    assert plan["amounts"] == campaign.plan("1").amounts and plan["by"] == "Ada"
    assert ada.post(f"{BASE}/1/plans", json={"budget": 5}).status_code == 200  # the open one
    told = ada.post(f"{BASE}/1/plans/1/report", json={"losses": {"Dock": 1, "Gate": 0}})
    assert told.json() == {"untold": ["Yard"]}
    assert ada.get(f"{BASE}/1/plans/1").json()["told"] == {"Dock": 1, "Gate": 0}
    assert ada.post(f"{BASE}/1/undo", json={"id": "1", "what": "report"}).status_code == 204
    assert ada.patch(f"{BASE}/1/settings", json={"budget": 4}).status_code == 204
    assert ada.get(f"{BASE}/1/settings").json()["budget"] == "4"
    for path in (
        *(
            "overview",
            "status",
            "evidence",
            "frontier?target=0.5",
            "forecast?rounds=2",
            "record?by=week",
            "check",
            "imports",
        ),
        *(
            "plans",
            "history",
            "history/words",
            "places",
            "places/history?name=Dock",
            "plans/latest",
            "plans?state=any",
        ),
        *("plans/1/explanation", "plans/1/explanation/place?name=Dock", "plans/1/orders", "plans/1/changes"),
        *("plans/1/in-force", "plans/1/report", "plans/1/sheet", "plans/1/sheet?kind=pdf", "export"),
    ):
        answer = ada.get(f"{BASE}/1/{path}")
        assert answer.status_code == 200, (path, answer.text)
    assert ada.post(f"{BASE}/1/what-if", json={"budget": 2}).json()["budget"] == 2
    assert ada.post(f"{BASE}/1/orders/check", json={"exclude": ["Dock"]}).status_code == 200
    assert ada.post(f"{BASE}/1/settings/try", json={"budget": 3}).json()
    campaign.verify()


def test_a_log_is_imported_after_a_dry_run(ada, campaign):
    log = ("log.csv", b"date,place,amount,incidents\n2026-01-01,Dock,1,0\n2026-01-02,Dock,0,1\n")
    tried = ada.post(f"{BASE}/1/imports", files={"file": log}, data={"dry_run": "true"})
    assert tried.json()["taken"] == 2 and campaign.imports() == ()
    made = ada.post(f"{BASE}/1/imports", files={"file": log}, headers={"idempotency-key": "k"})
    again = ada.post(f"{BASE}/1/imports", files={"file": log}, headers={"idempotency-key": "k"})
    assert made.json() == again.json() and len(campaign.imports()) == 1
    listed = ada.get(f"{BASE}/1/history").json()["items"][-1]
    assert listed["kind"] == "imported" and listed["payload"] == {
        "left_out": True
    }  # its rows may be millions
    wrong = ada.post(f"{BASE}/1/imports", files={"file": ("log.exe", b"x")})
    assert wrong.status_code == 422 and "not a table" in wrong.json()["detail"]


def test_a_campaign_is_created_once_under_its_key(ada, program):
    body = {"name": "noon", "arms": ["A", "B"], "budget": 2, "unit": 1, "most": 1}
    first, second = (ada.post(BASE, json=body, headers={"idempotency-key": "k"}) for _ in range(2))
    assert first.status_code == second.status_code == 201 and first.json() == second.json()
    assert ada.post(BASE, json=body).status_code == 409
    assert program(Rights("Bo", PLANNER, 1)).post(BASE, json=body | {"name": "x"}).status_code == 403


def test_without_a_valid_token_nothing_is_answered(campaign, desk, program):
    text = desk.tokens.add(Rights("Eve", VIEWER), by=OWNER)[1]
    desk.tokens.revoke("Eve", by=OWNER)
    open_one = TestClient(make_application(desk), base_url=desk.address)
    assert open_one.get(f"{BASE}/1/plans/openapi.json").status_code == 401
    for wrong in ("Bearer x", f"Bearer {text}", f"Basic {text}", "", "Bearer", text):
        answer = TestClient(make_application(desk), base_url=desk.address).get(
            f"{BASE}/1/plans", headers={"authorization": wrong}
        )
        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:allotment:problem:not-signed-in"


def test_a_session_of_a_browser_is_no_token(campaign, visitor):
    assert visitor.get(f"{BASE}/1/plans").status_code == 401


def test_guesses_meet_a_wall_that_shuts_nobody_out(ada, campaign, desk):
    assert ada.get(f"{BASE}/1").status_code == 200
    guesser = type(ada)(desk, "al_000000000000_" + "x" * 43)
    statuses = [guesser.get(f"{BASE}/1").status_code for _ in range(MOST_FAILURES + 1)]
    assert statuses == [401] * MOST_FAILURES + [429]
    assert ada.get(f"{BASE}/1").status_code == 200


def test_a_campaign_that_is_not_yours_does_not_exist(program):
    bo = program(Rights("Bo", VIEWER, 1))
    assert [each["name"] for each in bo.get(BASE).json()["items"]] == ["night"]
    seen, missing = bo.get(f"{BASE}/2"), bo.get(f"{BASE}/9")
    assert seen.status_code == missing.status_code == 404
    assert seen.json()["detail"].replace("2", "9") == missing.json()["detail"]


def test_roles(program, campaign):
    plan = campaign.ask().id
    viewer, recorder = program(Rights("Vi", VIEWER)), program(Rights("Eve", RECORDER, 1, "town"))
    writes = (
        ("POST", "plans", {}),
        ("POST", f"plans/{plan}/cancel", None),
        ("POST", f"plans/{plan}/close", None),
        ("POST", "undo", {"id": plan}),
        ("POST", "places", {"name": "New", "most": 1}),
        ("POST", "places/retire", {"name": "Dock"}),
        ("PATCH", "settings", {"budget": 1}),
    )
    for someone in (viewer, recorder):
        for method, path, body in writes:
            assert someone.request(method, f"{BASE}/1/{path}", json=body).status_code == 403
        assert (
            someone.post(
                BASE, json={"name": "x", "arms": ["A"], "budget": 1, "unit": 1, "most": 1}
            ).status_code
            == 403
        )
    assert viewer.post(f"{BASE}/1/plans/{plan}/report", json={"losses": {"Gate": 0}}).status_code == 403
    for path in (
        "settings",
        "status",
        "history",
        "export",
        "places",
        "overview",
        "evidence",
        "imports",
        "record",
    ):
        assert recorder.get(f"{BASE}/1/{path}").status_code == 403
    assert set(recorder.get(f"{BASE}/1/plans/{plan}").json()["amounts"]) == {"Gate", "Yard"}
    assert set(viewer.get(f"{BASE}/1/plans/{plan}").json()["amounts"]) == {"Dock", "Gate", "Yard"}
    told = recorder.post(f"{BASE}/1/plans/{plan}/report", json={"losses": {"Gate": 1}})
    assert told.json() == {"untold": ["Yard"]}
    assert [each["place"] for each in recorder.get(f"{BASE}/1/plans/{plan}/report").json()["places"]] == [
        "Gate",
        "Yard",
    ]
    for place in ("Dock", "Gate"):
        other = program(Rights(f"Other {place}", RECORDER, 1, "town"))
        refused = other.post(f"{BASE}/1/plans/{plan}/report", json={"losses": {place: 0}, "correct": True})
        assert refused.status_code == 403
    assert campaign.plan(plan).told == {"Gate": 1}
    for unknown in ("Dokc", "Bridge"):  # a sentence names no place of another group
        refused = recorder.post(f"{BASE}/1/plans/{plan}/report", json={"losses": {unknown: 0}})
        assert refused.status_code == 403 and "Dock" not in refused.text.replace("Dokc", "")


def test_recorders_write_remarks_and_viewers_do_not(program, campaign):
    for rights, status in ((Rights("Eve", RECORDER, 1, "town"), 204), (Rights("Vi", VIEWER), 403)):
        said = {"text": "Fair in town", "date": "2026-03-02"}
        assert program(rights).post(f"{BASE}/1/remarks", json=said).status_code == status
    (event,) = [each for each in campaign.history() if each.kind == "remarked"]
    assert (event.by, event.payload) == ("Eve", {"date": "2026-03-02", "text": "Fair in town"})


def test_a_key_belongs_to_its_token_and_route(program, campaign):
    plan = campaign.ask().id
    eve, bo = program(Rights("Eve", RECORDER)), program(Rights("Bo", RECORDER))
    key, body = {"idempotency-key": "tap 1"}, {"losses": {"Dock": 1}}
    path = f"{BASE}/1/plans/{plan}/report"
    first = eve.post(path, json=body, headers=key)
    assert first.status_code == 200 and eve.post(path, json=body, headers=key).json() == first.json()
    assert eve.post(path, json={"losses": {"Dock": 0}}, headers=key).status_code == 409
    assert bo.post(path, json=body, headers=key).status_code == 403  # not Eve's answer: Dock is Eve's report
    assert campaign.last_event == 3
    viewer = program(Rights("Vi", VIEWER))
    assert viewer.post(path, json=body, headers=key).status_code == 403  # the role is checked before the key


def test_a_revoked_token_cannot_repeat_its_own_request(program, campaign, desk):
    plan = campaign.ask().id
    eve = program(Rights("Eve", RECORDER))
    said = {"json": {"losses": {"Dock": 1}}, "headers": {"idempotency-key": "k"}}
    assert eve.post(f"{BASE}/1/plans/{plan}/report", **said).status_code == 200
    desk.tokens.revoke("Eve", by=OWNER)
    assert eve.post(f"{BASE}/1/plans/{plan}/report", **said).status_code == 401


def test_the_seed_and_the_hashes_are_for_owners(program, ada):
    bo = program(Rights("Bo", PLANNER, 1))
    first = ada.get(f"{BASE}/1/history").json()["items"][0]
    assert first["payload"]["seed"] == 1 and "hash" in first
    assert ada.get(f"{BASE}/1/settings").json()["seed"] == 1
    for path in ("history", "settings", "export", "history/words"):
        assert '"seed"' not in bo.get(f"{BASE}/1/{path}").text
    assert "hash" not in bo.get(f"{BASE}/1/history").json()["items"][0]


def test_lists_are_paged_by_cursor(ada, campaign):
    for _ in range(5):
        campaign.ask()
    for path in ("history", "places", "plans"):
        whole = ada.get(f"{BASE}/1/{path}?limit=100").json()["items"]
        found, cursor = [], None
        while True:
            page = ada.get(
                f"{BASE}/1/{path}", params={"limit": 2} | ({"cursor": cursor} if cursor else {})
            ).json()
            found += page["items"]
            cursor = page["next"]
            if cursor is None:
                break
        assert found == whole and len(whole) >= 3
    assert ada.get(f"{BASE}/1/history?cursor=nonsense").status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", "1/plans/9", None, 404, "not-found"),
        ("GET", "1/nothing", None, 404, "not-found"),
        ("GET", "1/history?limits=2", None, 422, "invalid"),
        ("DELETE", "1/plans", None, 405, "method"),
        ("POST", "1/plans", {"budget": -1}, 422, "invalid"),
        ("POST", "1/plans", {"budgets": 1}, 422, "invalid"),
        ("POST", "1/plans", {"again": True, "also": True}, 409, "conflict"),
        ("POST", "1/plans", {"fix": {"Dock": 4, "Yard": 4}}, 409, "conflict"),
        ("POST", "1/plans", {"date": "someday"}, 422, "invalid"),
        ("PATCH", "1/settings", {"least": {"Dock": 4, "Yard": 4}}, 409, "conflict"),
        ("POST", "1/places/retire", {"name": "Shed"}, 404, "not-found"),
    ],
)
def test_problems(ada, method, path, body, status, kind):
    answer = ada.request(method, f"{BASE}/{path}", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:allotment:problem:{kind}" and problem["detail"].endswith((".", "?"))


def test_an_answer_is_kept_until_the_next_event(ada, campaign, monkeypatch):
    campaign.ask()
    computed = []
    whole = Campaign.plan

    def plan(self, plan_id):
        computed.append(plan_id)
        return whole(self, plan_id)

    monkeypatch.setattr(Campaign, "plan", plan)
    for _ in range(3):
        ada.get(f"{BASE}/1/plans/1")
    assert computed == ["1"]
    campaign.tell("1", {"Dock": 1})
    computed.clear()
    assert ada.get(f"{BASE}/1/plans/1").json()["told"] == {"Dock": 1} and computed == ["1"]


def test_a_status_may_be_some_seconds_old_and_says_so(ada, campaign):
    assert "age" not in ada.get(f"{BASE}/1/status").headers
    campaign.change(budget=5)
    old = ada.get(f"{BASE}/1/status")
    assert old.json()["budget"] == 6 and int(old.headers["age"]) < 10


def test_the_description_names_every_route_and_loads_nothing_from_elsewhere(ada):
    found = ada.get("/api/v1/openapi.json")
    assert found.status_code == 200 and "http://" not in found.text.replace("http://127.0.0.1", "")
    described = found.json()
    assert {"/campaigns/{campaign}/plans", "/campaigns/{campaign}/imports"} <= set(described["paths"])
    for path in ("/api/v1/docs", "/api/v1/redoc"):
        assert ada.get(path).status_code == 404
    assert "al_" not in json.dumps(described["components"]["schemas"])


def test_the_errors_of_a_recorder_name_own_places_only(campaign, program):
    """A mistyped place is answered alike, whether another group has, or had, one like it."""
    campaign.rename_arm("Dock", "Quay")
    plan = campaign.ask(explore=False).id
    recorder = program(Rights("Tom", RECORDER, 1, "town"))
    said = set()
    for name in ("Quay", "Dock", "Qua", "Dokc", "Nowhere"):
        answer = recorder.post(f"{BASE}/1/plans/{plan}/report", json={"losses": {name: 0}})
        said.add((answer.status_code, answer.json()["detail"].replace(name, "…")))
        assert not {"Quay", "Dock"} - {name} & set(re.findall(r"\w+", answer.text)) - {name}
    assert len(said) == 1
    own = recorder.post(f"{BASE}/1/plans/{plan}/report", json={"losses": {"Gate": 0}})
    assert own.status_code == 200
