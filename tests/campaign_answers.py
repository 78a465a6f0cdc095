"""Every question to a stored campaign, asked of the library and of the API: what users' programs read."""

import datetime
import json
from typing import NamedTuple

from starlette.testclient import TestClient

from allotment import Campaign
from allotment.campaign.access.rights import PLANNER, Rights
from allotment.campaign.forms import names
from allotment.campaign.settings import control
from allotment.web.application import make_application
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import OpenCampaigns

NOW = datetime.datetime(2026, 1, 10, 12, tzinfo=datetime.UTC)
PLACES = ["Dock", "Gate", "Yard"]
PLAIN = {
    "groups": {"harbour": {"arms": ["Dock"]}, "town": {"arms": ["Gate", "Yard"], "most": 5}},
    "severities": {"Dock": 2},
    "moves": 3,
    "losses": "counts",
}
SITUATED = {
    "situations": ["weekday", "weekend"],
    "calendar": {"default": "weekday", "rules": [{"days": ["Sat", "Sun"], "situations": "weekend"}]},
    "control": {"share": 0.5, "plan": "equal"},
}
CAMPAIGNS = {"plain": PLAIN, "situated": SITUATED}
LOG = "date,place,amount,incidents\n2025-12-01,Dock,2,1\n2025-12-02,Yard,0,0\n"


class Question(NamedTuple):
    """A question: an address of the API, and how the library is asked the same."""

    path: str
    ask: object


QUESTIONS = {
    "plan": Question("plans/2", lambda it: it.plan("2")),
    "latest": Question("plans/latest", lambda it: it.latest()),
    "explanation": Question("plans/3/explanation", lambda it: it.explain("3")),
    "place in plan": Question(
        "plans/3/explanation/place?name=Dock", lambda it: it.explain_place("3", "Dock")
    ),
    "status": Question("status", lambda it: it.status()),
    "frontier": Question("frontier?target=0.5", lambda it: it.frontier(target=0.5)),
    "forecast": Question("forecast?rounds=3", lambda it: it.forecast(3)),
    "record": Question("record?by=place", lambda it: it.record(by="place")),
    "check": Question("check", lambda it: it.checkup()),
    "effect": Question("effect", lambda it: it.effect()),
    "effect duration": Question("effect/duration", lambda it: it.effect_duration()),
    "overview": Question("overview", lambda it: it.overview()),
    "place": Question("places/history?name=Dock", lambda it: it.place_history("Dock")),
    "unreported": Question("places/unreported?days=2", lambda it: it.unreported(2)),
    "imports": Question("imports", lambda it: [each.report for each in it.imports()]),
    "open plans": Question("plans?state=open", lambda it: it.open_plans()),
    "what-if": Question("what-if", lambda it: it.what_if(budget=4)),
}
OF_API = ("plans/2/report", "plans/2/orders", "evidence", "history/words", "situations")


def stored_campaign(store, tmp_path, settings):
    """A week of plans with reports, a log, and changes of settings."""
    given = {"budget": 6, "unit": 1, "most": {"Dock": 4, "Gate": 3, "Yard": 4}, "seed": 1, "timezone": "UTC"}
    made = Campaign.create(store, "night", arms=PLACES, author="Ada", **given, **settings)
    log = tmp_path / "log.csv"
    log.write_text(LOG, encoding="utf-8")
    made.import_log(log)
    for day in range(1, 8):
        orders = {"exclude": ["Gate"], "budget": 5} if day == 2 else {}
        plan = made.ask(date=f"2026-01-{day:02}", **orders)
        made.tell(plan.id, {name: (day + i) % 4 == 0 for i, name in enumerate(PLACES)})
    made.change(half_life=45)
    made.ask(date="2026-01-10")
    made.tell("8", {"Dock": 1}, amounts={"Dock": 1})
    return made


def answers_of(store, tmp_path, settings, monkeypatch):
    """All answers as plain data: of the library and of the API, by question; and the API's description."""
    monkeypatch.setattr(names, "now", lambda: NOW)
    monkeypatch.setattr(names, "author", lambda given: given or "Ada")
    monkeypatch.setattr(control, "new_seed", lambda: "5" * 32)
    found = {"library": {}, "api": {}}
    with stored_campaign(store, tmp_path, settings) as campaign:
        desk = Desk(OpenCampaigns(str(store)), 8350, author="Ada")
        token = desk.tokens.add(Rights("Ada", PLANNER), by=Rights("root", PLANNER))[1]
        with TestClient(make_application(desk), base_url=desk.address) as program:
            program.headers["authorization"] = f"Bearer {token}"
            for name, question in QUESTIONS.items():
                if name.startswith("effect") and "control" not in settings:
                    continue
                answer = question.ask(campaign)
                several = isinstance(answer, list | tuple) and not hasattr(answer, "_fields")
                plain = [each.to_dict() for each in answer] if several else answer.to_dict()
                found["library"][name] = json.loads(json.dumps(plain, allow_nan=False))
                found["api"][name] = _asked(program, question.path)
            for path in OF_API:
                found["api"][path] = _asked(program, path)
            found["description"] = program.get("/api/v1/openapi.json").json()
        desk.close()
    overview = found["library"]["overview"]
    overview["store"] = ""  # a folder of this run
    overview["next"] = [[step.replace(str(store), "STORE") for step in each] for each in overview["next"]]
    return found


def _asked(program, path):
    address = f"/api/v1/campaigns/1/{path}"
    answer = program.post(address, json={"budget": 4}) if path == "what-if" else program.get(address)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()
