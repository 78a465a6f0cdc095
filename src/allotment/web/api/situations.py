"""The situations of a date, and another name for one of them. `settings` has them all, and the calendar."""

from fastapi import APIRouter
from starlette.responses import Response

from allotment.web.api.answers import kept_json
from allotment.web.api.bodies import Rename
from allotment.web.api.calls import Day, IdempotencyKey, Plans, Sees
from allotment.web.api.schemas import answers, problems

router = APIRouter(prefix="/campaigns/{campaign}/situations", tags=["situations"])


@router.get("", responses=answers(list[str]))
def situations_on(call: Sees, date: Day = None) -> Response:
    """List the situations that the calendar gives to a date, in order; empty if the campaign has none."""
    return kept_json(call, (date,), lambda: call.campaign.situations_on(date))


@router.post("/rename", status_code=204, responses=problems(409))
def rename_situation(call: Plans, body: Rename, key: IdempotencyKey = None) -> Response:
    """Give a situation another name; the old one keeps pointing to it."""
    call.campaign.rename_situation(body.old, body.new, key=call.key(key))
    return Response(status_code=204)
