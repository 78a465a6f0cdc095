"""Control rounds in the browser and over HTTP: set on Settings, marked on Today, and without their seed."""

import re

import pytest

from allotment.campaign.access.rights import PLANNER, Rights

SETTINGS, HERE = "/c/1/settings", "/api/v1/campaigns/1"


def test_control_rounds_are_set_and_ended_on_settings(campaign, visitor):
    assert "Control rounds" in visitor.get(SETTINGS).text
    typed = {"control_share": "0.25", "control_plan": "given", "amount:Dock": "2"}
    path = visitor.submit(f"{SETTINGS}/control", typed, seen=SETTINGS).headers["location"]
    text = visitor.get(path).text
    assert "0.25 of rounds (given amounts: Dock 2)" in text
    assert "withholds cover on purpose" in text
    visitor.submit(f"{path}/keep", seen=path)
    control = campaign.settings.to_dict()["control"]
    assert (control["share"], control["plan"]) == ("0.25", {"Dock": "2"})
    text = visitor.get(SETTINGS).text
    assert 'name="control_share" value="0.25"' in text
    assert re.search(r'name="amount:Dock" value="2"', text)
    assert str(control["seed"]) not in text
    path = visitor.submit(f"{SETTINGS}/control", {"control_share": ""}, seen=SETTINGS).headers["location"]
    visitor.submit(f"{path}/keep", seen=path)
    assert campaign.settings.control is None


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"control_share": "2"}, "0.01 to 0.9"),
        ({"control_share": "0.2", "control_plan": "given"}, "no amounts"),
        ({"control_share": "0.2", "control_plan": "given", "amount:Dock": "x"}, "Dock"),
        ({"control_share": ""}, "nothing differs"),
    ],
)
def test_wrong_control_rounds_are_a_sentence(campaign, visitor, typed, sentence):
    answer = visitor.submit(f"{SETTINGS}/control", typed, seen=SETTINGS)
    said = re.search(r'role="alert">(.*?)<', answer.text)[1]
    assert answer.status_code in (409, 422)
    assert sentence.lower() in said.lower()
    assert campaign.last_event == 1


def test_today_marks_a_control_round(campaign, visitor, monkeypatch):
    monkeypatch.setattr("allotment.campaign.settings.control.new_seed", lambda: "1")
    campaign.change(control=0.9)
    drawn = next(
        plan for plan in (campaign.ask(date=f"2030-01-{n + 1:02}") for n in range(9)) if plan.control
    )
    text = visitor.get(f"/c/1/today?date={drawn.date}").text
    assert '<span class="tag">control round</span>' in text
    assert "comparison plan (equal split)" in text


def test_the_api_sets_control_rounds_and_keeps_their_seed_to_itself(program, ada, campaign):
    body = {"control": {"share": 0.5, "plan": "hot-spots"}}
    assert ada.patch(f"{HERE}/settings", json=body).status_code == 204
    seed = campaign.settings.control.seed
    planner = program(Rights("Pia", PLANNER, 1))
    for someone, paths in ((planner, ("settings", "history", "export")), (ada, ("settings", "history"))):
        for path in paths:
            answer = someone.get(f"{HERE}/{path}")
            assert answer.status_code == 200
            assert str(seed) not in answer.text
    assert str(seed) in ada.get(f"{HERE}/export").text  # which can be replayed
    assert planner.get(f"{HERE}/settings").json()["control"] == {
        "share": "0.5",
        "plan": "hot-spots",
        "id": campaign.settings.control.id,
    }
    assert ada.get(f"{HERE}/effect").status_code == 404
    assert ada.get(f"{HERE}/effect/duration", params={"share": 0.2}).json()["courses"]
    assert ada.get(f"{HERE}/effect/duration", params={"share": 2}).status_code == 422
    assert ada.patch(f"{HERE}/settings", json={"control": None}).status_code == 204
    assert campaign.settings.control is None
