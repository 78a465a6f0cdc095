"""Plans and their reports."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from allotment.campaign.answers.place_history import PlanReport
from allotment.campaign.answers.place_story import PlaceStory
from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.planning.plan import BriefPlan, Plan
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
OBJECT = {"type": "object"}
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


@router.get("/plans/latest", responses=answers(Plan))
def latest_plan(call: Sees, date: Day = None, situation: Situation = None) -> Response:
    """Show the newest plan that is not cancelled; null if there is none."""
    return kept_json(call, (date, situation), lambda: call.campaign.latest(date, situation))


@router.get("/plans/{plan_id}", responses=answers(Plan))
def show_plan(call: Sees, plan_id: str) -> Response:
    """Show a plan, and how far it has been reported."""
    return kept_json(call, (plan_id,), lambda: call.campaign.plan(plan_id))


@router.get("/plans/{plan_id}/report", responses=answers(PlanReport))
def show_report(call: Reports, plan_id: str) -> Response:
    """Show what was reported of each place, when and by whom."""
    return kept_json(call, (plan_id,), lambda: call.campaign.report(plan_id))


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


@router.get("/plans/{plan_id}/explanation", responses=answers(Explanation))
def explain(call: Reads, plan_id: str) -> Response:
    """Say why a plan is what it is."""
    return kept_json(call, (plan_id,), lambda: call.campaign.explain(plan_id))


@router.get("/plans/{plan_id}/explanation/place", responses=answers(PlaceStory))
def explain_place(call: Reads, plan_id: str, name: Annotated[str, Query(max_length=200)]) -> Response:
    """Tell the full story of one place in a plan."""
    return kept_json(call, (plan_id, name), lambda: call.campaign.explain_place(plan_id, name))


@router.get("/plans/{plan_id}/orders", responses=answers(OBJECT))
def show_orders(call: Reads, plan_id: str) -> Response:
    """Show the orders of the day that a plan was made with."""
    return kept_json(call, (plan_id,), lambda: call.campaign.orders(plan_id))


@router.get("/plans/{plan_id}/changes", responses=answers(list[str]))
def changes_since(call: Reads, plan_id: str) -> Response:
    """Say what was recorded after a plan that could lead to another plan."""
    return kept_json(call, (plan_id,), lambda: call.campaign.changes_since(plan_id))


@router.get("/plans/{plan_id}/in-force", responses=answers(dict[str, list[str]]))
def in_force(call: Reads, plan_id: str) -> Response:
    """Show what undo can take back of a plan, each with its authors."""
    return kept_json(call, (plan_id,), lambda: call.campaign.in_force(plan_id))


@router.get("/plans/{plan_id}/sheet", responses={200: {"description": "The sheet.", "content": SHEETS}})
def sheet(call: Reads, plan_id: str, kind: Literal["html", "pdf"] = "html") -> Response:
    """Write a plan as a duty sheet to print."""
    content = call.campaign.sheet_content(plan_id, kind)
    headers = {"content-disposition": f'attachment; filename="sheet.{kind}"'}
    return Response(content, headers=headers, media_type=KINDS[kind])
