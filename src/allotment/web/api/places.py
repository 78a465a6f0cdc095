"""Places: listed, added, renamed, retired, restored."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from allotment.campaign.answers.place_history import PlaceHistory
from allotment.web.api.answers import kept_json
from allotment.web.api.bodies import Named, NewPlace, Rename
from allotment.web.api.calls import IdempotencyKey, Plans, Reads
from allotment.web.api.cursors import Cursor, Limit, ListPage, after, page
from allotment.web.api.schemas import answers, page_of, problems

router = APIRouter(prefix="/campaigns/{campaign}/places", tags=["places"])


@router.get("", responses=answers(page_of(dict[str, Any])))
def list_places(call: Reads, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """List the places with their settings, retired ones included."""

    def found() -> ListPage:
        first = after(cursor)
        left = list(enumerate(call.campaign.settings.arms, 1))[first:]
        shown = page(left, limit, lambda each: int(each[0]))
        return shown._replace(items=[{"number": number, **arm.to_dict()} for number, arm in shown.items])

    return kept_json(call, (cursor, limit), found)


@router.post("", status_code=204, responses=problems(409))
def add_place(call: Plans, body: NewPlace, key: IdempotencyKey = None) -> Response:
    """Add a place, from the next plan on."""
    call.campaign.add_arm(**body.model_dump(), key=call.key(key))
    return Response(status_code=204)


@router.post("/rename", status_code=204, responses=problems(409))
def rename_place(call: Plans, body: Rename, key: IdempotencyKey = None) -> Response:
    """Give a place another name; the old one keeps pointing to it."""
    call.campaign.rename_arm(body.old, body.new, key=call.key(key))
    return Response(status_code=204)


@router.post("/retire", status_code=204, responses=problems(409))
def retire_place(call: Plans, body: Named, key: IdempotencyKey = None) -> Response:
    """Plan no longer for a place."""
    call.campaign.retire_arm(body.name, key=call.key(key))
    return Response(status_code=204)


@router.post("/restore", status_code=204, responses=problems(409))
def restore_place(call: Plans, body: Named, key: IdempotencyKey = None) -> Response:
    """Plan for a retired place again."""
    call.campaign.restore_arm(body.name, key=call.key(key))
    return Response(status_code=204)


@router.get("/history", responses=answers(PlaceHistory))
def place_history(call: Reads, name: Annotated[str, Query(max_length=200)]) -> Response:
    """Show what plans granted to a place, what was reported of it, and its changes."""
    return kept_json(call, (name,), lambda: call.campaign.place_history(name))
