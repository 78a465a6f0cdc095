"""Plans and their reports."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from allotment.campaign.planning.plan import BriefPlan
from allotment.campaign.planning.plan_bounds import CheckedOrders
from allotment.campaign.planning.standing_plan import DayPlan
from allotment.web.api.answers import as_json, kept_json
from allotment.web.api.bodies import Orders, PlanRequest, PlansRequest, Report, Undo
from allotment.web.api.calls import Day, IdempotencyKey, Plans, Reads, Reports, Sees, Situation
from allotment.web.api.cursors import Cursor, Limit, ListPage, after, page
from allotment.web.api.schemas import answers, page_of, problems, schema_of
from allotment.web.api.turns import turn

router = APIRouter(prefix="/campaigns/{campaign}", tags=["plans"])
PAGES = page_of(BriefPlan)
UNTOLD = {"type": "object", "required": ["untold"], "properties": {"untold": schema_of(list[str])}}
KINDS = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}
SHEETS = {"text/html": {"schema": {"type": "string"}}, "application/pdf": {"schema": {"type": "string"}}}


@router.get("/plans", responses=answers(PAGES))
def list_plans(
    call: Sees,
    date: Day = None,
    situation: Situation = None,
    state: Annotated[
        Literal["open", "any", "reportable"],
        Query(
            description="`open` await reports; `any` are all of a date; `reportable` as `tell` finds them."
        ),
    ] = "open",
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """List plans in brief."""
    campaign = call.campaign

    def found() -> ListPage:
        known = campaign.settings.situations
        called = None if situation is None else known.name(known.find(situation))
        if state == "reportable":
            plans = campaign.to_report(date, situation)
        elif state == "any":
            plans = campaign.plans_of(date)
        else:
            day = None if date is None else campaign.day(date)
            plans = tuple(each for each in campaign.open_plans() if day in (None, each.date))
        plans = tuple(each for each in plans if called in (None, each.situation))
        first = after(cursor)
        left = sorted((each for each in plans if int(each.id) > first), key=lambda each: int(each.id))
        return page(left, limit, lambda each: int(each.id))

    return kept_json(call, (date, situation, state, cursor, limit), found)


@router.post("/plans", status_code=201, responses=answers(DayPlan, 201) | answers(DayPlan) | problems(409))
def ask(call: Plans, body: PlanRequest, key: IdempotencyKey = None) -> Response:
    """Make the plan of a date, or show the open one (status 200)."""
    with turn(call, "ask"):
        found = call.campaign.plan_for(**body.model_dump(), key=call.key(key))
    return as_json(found, 201 if found.made else 200)


@router.post(
    "/plans/all",
    status_code=201,
    responses=answers(list[DayPlan], 201) | answers(list[DayPlan]) | problems(409),
)
def ask_for_all(call: Plans, body: PlansRequest, key: IdempotencyKey = None) -> Response:
    """Make a plan for each situation of a date. Where there is one, show it; status 200 if all are there."""
    with turn(call, "ask"):
        found = call.campaign.plans_for(**body.model_dump(), key=call.key(key))
    return as_json(found, 201 if any(each.made for each in found) else 200)


@router.post("/orders/check", responses=answers(CheckedOrders) | problems(409))
def check_orders(call: Reads, body: Orders) -> Response:
    """Say whether orders of the day can be met. Nothing is written."""
    return as_json(call.campaign.check_orders(**body.model_dump()))


@router.post("/plans/{plan_id}/report", responses=answers(UNTOLD) | problems(409))
def tell(call: Reports, plan_id: str, body: Report, key: IdempotencyKey = None) -> Response:
    """Report what happened; the answer names the places still to be reported."""
    untold = call.campaign.tell(plan_id, **body.model_dump(), rights=call.rights, key=call.key(key))
    return as_json({"untold": call.sight.places(untold, call.campaign.settings)})


@router.post("/plans/{plan_id}/cancel", status_code=204, responses=problems(409))
def cancel(call: Plans, plan_id: str, key: IdempotencyKey = None) -> Response:
    """Say that a plan is not carried out."""
    call.campaign.cancel(plan_id, key=call.key(key))
    return Response(status_code=204)


@router.post("/plans/{plan_id}/close", status_code=204, responses=problems(409))
def close(call: Plans, plan_id: str, key: IdempotencyKey = None) -> Response:
    """Say that nothing more will be reported of a plan."""
    call.campaign.close_plan(plan_id, key=call.key(key))
    return Response(status_code=204)


@router.post("/undo", status_code=204, responses=problems(409))
def undo(call: Plans, body: Undo, key: IdempotencyKey = None) -> Response:
    """Take back a report, a cancellation, a closing or an import."""
    call.campaign.undo(body.id, what=body.what, key=call.key(key))
    return Response(status_code=204)


@router.get("/plans/{plan_id}/sheet", responses={200: {"description": "The sheet.", "content": SHEETS}})
def sheet(call: Reads, plan_id: str, kind: Literal["html", "pdf"] = "html") -> Response:
    """Write a plan as a duty sheet to print."""
    content = call.dear.content("sheet_content", plan_id=plan_id, kind=kind)
    headers = {"content-disposition": f'attachment; filename="sheet.{kind}"'}
    return Response(content, headers=headers, media_type=KINDS[kind])
