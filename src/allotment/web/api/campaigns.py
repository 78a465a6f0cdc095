"""Campaigns: which there are, a new one, and the settings of one."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from allotment.campaign.answers.event_words import Difference
from allotment.campaign.answers.overview import Overview
from allotment.campaign.history.event_parts import without_seeds
from allotment.web.api.answers import as_json, kept_json
from allotment.web.api.bodies import Changes, NewCampaign
from allotment.web.api.calls import AnyCaller, IdempotencyKey, Plans, Reads, Sees
from allotment.web.api.cursors import Cursor, Limit, after, page
from allotment.web.api.schemas import answers, page_of, problems

router = APIRouter(tags=["campaigns"])
CAMPAIGN = {
    "type": "object",
    "required": ["number", "name"],
    "properties": {"number": {"type": "integer"}, "name": {"type": "string"}},
}
HERE = {**CAMPAIGN, "properties": {**CAMPAIGN["properties"], "last_event": {"type": "integer"}}}  # type: ignore[dict-item]
SETTINGS = {"type": "object", "required": ["name", "arms", "budget", "unit"]}
LIST = {
    **page_of(int),
    "properties": {**page_of(int)["properties"], "items": {"type": "array", "items": CAMPAIGN}},
}
CREATE = "create campaigns, which planners for all campaigns do"


@router.get("/campaigns", responses=answers(LIST))
def list_campaigns(caller: AnyCaller, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """List the campaigns that the caller sees."""
    known, first = caller.desk.campaigns.names(), after(cursor)
    found = [
        {"number": number, "name": name}
        for number, name in sorted(known.items())
        if number > first and caller.rights.sees(number)
    ]
    return as_json(page(found, limit, lambda each: int(each["number"])))


@router.post("/campaigns", status_code=201, responses=answers(CAMPAIGN, 201) | problems(409))
def create_campaign(caller: AnyCaller, body: NewCampaign, key: IdempotencyKey = None) -> Response:
    """Begin a campaign."""
    caller.rights.check(caller.rights.is_owner, CREATE)
    given = body.given()
    name = given.pop("name")
    number = caller.desk.campaigns.create(name, caller.rights.name, **given, key=caller.key(key))
    return as_json({"number": number, "name": caller.desk.campaigns.names()[number]}, 201)


@router.get("/campaigns/{campaign}", responses=answers(HERE))
def show_campaign(call: Sees) -> Response:
    """Show a campaign's name and the number of its last event."""
    event = call.campaign.last_event
    return as_json({"number": call.number, "name": call.campaign.name, "last_event": event})


@router.get("/campaigns/{campaign}/settings", responses=answers(SETTINGS))
def show_settings(call: Reads) -> Response:
    """Show the settings; only planners for all campaigns see seeds."""

    def settings() -> dict[str, Any]:
        found = call.campaign.settings.to_dict()
        shown = without_seeds(found)  # nobody needs the seed of control rounds
        return {**shown, "seed": found["seed"]} if call.sight.has_seeds else shown

    return kept_json(call, (), settings)


@router.patch("/campaigns/{campaign}/settings", status_code=204, responses=problems(409))
def change_settings(call: Plans, body: Changes, key: IdempotencyKey = None) -> Response:
    """Change settings from the next plan on."""
    call.campaign.change(**body.given(), key=call.key(key))
    return Response(status_code=204)


@router.post("/campaigns/{campaign}/settings/try", responses=answers(list[Difference]) | problems(409))
def try_settings(call: Reads, body: Changes) -> Response:
    """Show what a change would change. Nothing is written."""
    return as_json(call.campaign.try_change(**body.given()))


@router.get("/campaigns/{campaign}/overview", responses=answers(Overview))
def overview(call: Reads) -> Response:
    """Say where things stand yesterday and today. Where the store lies is the server's own business."""
    return kept_json(call, (), lambda: replace(call.campaign.overview(), store=""))
