"""A request that is repeated under its idempotency key gets the answer that it had."""

BASE = "/api/v1/campaigns"


def test_a_request_that_is_repeated_gets_the_answer_that_it_had(campaign, ada):
    body, key = {"explore": False}, {"idempotency-key": "plan"}
    first, again = (ada.post(f"{BASE}/1/plans", json=body, headers=key) for _ in range(2))
    assert first.status_code == again.status_code == 201 and first.json() == again.json()
    path, told = f"{BASE}/1/plans/{first.json()['plan']['id']}/report", {"idempotency-key": "report"}
    before = ada.post(path, json={"losses": {"Dock": 0}}, headers=told)
    assert before.json() == {"untold": ["Gate", "Yard"]}
    ada.post(path, json={"losses": {"Gate": 0}})
    ada.post(path, json={"losses": {"Dock": 1}, "correct": True})
    repeated = ada.post(path, json={"losses": {"Dock": 0}}, headers=told)
    assert (repeated.status_code, repeated.json()) == (200, before.json())
    taken = ada.post(path, json={"losses": {"Yard": 0}}, headers=told)
    assert taken.status_code == 409 and "api-" not in taken.text
    assert "This idempotency key was used for another request" in taken.json()["detail"]


def test_a_key_whose_request_found_a_plan_is_not_free_for_another_date(campaign, ada):
    campaign.ask(date="2026-01-09", explore=False)
    path, key = f"{BASE}/1/plans", {"idempotency-key": "found"}
    body = {"date": "2026-01-09", "explore": False}
    first = ada.post(path, json=body, headers=key)
    assert (first.status_code, first.json()["made"]) == (200, False)
    campaign.tell("1", {"Dock": 0, "Gate": 0, "Yard": 0})
    again = ada.post(path, json=body, headers=key)
    assert (again.status_code, again.json()["plan"]["id"]) == (200, "1")
    taken = ada.post(path, json={**body, "date": "2026-01-10"}, headers=key)
    assert taken.status_code == 409 and "was used for another request" in taken.json()["detail"]
    assert len(campaign.plans_of("2026-01-10")) == 0
