"""Another name for a situation. `questions.py` has the situations of a date, `settings` all of them."""

from fastapi import APIRouter
from starlette.responses import Response

from allotment.web.api.bodies import Rename
from allotment.web.api.calls import IdempotencyKey, Plans
from allotment.web.api.schemas import problems

router = APIRouter(prefix="/campaigns/{campaign}/situations", tags=["situations"])


@router.post("/rename", status_code=204, responses=problems(409))
def rename_situation(call: Plans, body: Rename, key: IdempotencyKey = None) -> Response:
    """Give a situation another name; the old one keeps pointing to it."""
    call.campaign.rename_situation(body.old, body.new, key=call.key(key))
    return Response(status_code=204)
