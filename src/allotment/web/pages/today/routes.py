"""Today: shows the plan of a day, checks orders for it, and asks for one."""

from dataclasses import replace
from datetime import date as civil_date

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from allotment.errors import AllotmentError, ConflictError
from allotment.web.forms import Form, SentForm
from allotment.web.jobs import Running, follow
from allotment.web.pages.today.asking import AGAIN, ALSO, refused, with_answer, with_problem
from allotment.web.pages.today.orders import Orders
from allotment.web.pages.today.view import TodayView, today_view
from allotment.web.rendering import page
from allotment.web.request_keys import key_of
from allotment.web.security.sessions import Notice
from allotment.web.visits import Here, Visit

router = APIRouter()
TEMPLATE = "today/today.html"


@router.get("/c/{number}/today")
def today(request: Request, visit: Here, date: str | None = None) -> Response:
    """Where things stand, and the plan of today or of another day."""
    return page(request, TEMPLATE, today_view(visit.campaign, day=date or None))


@router.get("/c/{number}/plans/{plan_id}")
def one_plan(request: Request, visit: Here, plan_id: str) -> Response:
    """The same page with another plan."""
    return page(request, TEMPLATE, today_view(visit.campaign, plan_id))


@router.post("/c/{number}/orders/check")
def check_orders(request: Request, visit: Here, form: SentForm) -> Response:
    """Say at once whether orders fit; nothing is written. Scripts get the sentence, others the page."""
    as_data = "application/json" in request.headers.get("accept", "")
    orders = Orders()
    try:
        orders = Orders.in_form(form)
        sentence = str(visit.campaign.check_orders(_day(visit, form), **orders.wishes()))
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        if as_data:
            return JSONResponse({"fits": False, "sentence": problem.sentence})
        return _with_orders(request, visit, form, orders, problem.sentence, status=problem.status)
    if as_data:
        return JSONResponse({"fits": True, "sentence": sentence if orders.are_given else ""})
    view = _view(visit, form, orders)
    return page(request, TEMPLATE, replace(view, asking=with_answer(view.asking, sentence)))


@router.post("/c/{number}/plans")
def ask(request: Request, visit: Here, form: SentForm) -> Response:
    """Make the plan of a day: the first one, one that replaces the open one, or a second one."""
    again, also = form.flag(AGAIN), form.flag(ALSO)
    campaign, orders = visit.campaign, Orders()
    try:
        orders = Orders.in_form(form)
        wishes, day = orders.wishes(), _day(visit, form)
        campaign.check_orders(day, **wishes)
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        return _with_orders(request, visit, form, orders, problem.sentence, status=problem.status)
    key = key_of(form.key, day, wishes, again, also)
    is_today = day == campaign.day()
    back = f"{visit.path}/today" + ("" if is_today else f"?date={day}")

    def work(running: Running) -> str:
        try:
            found = campaign.plan_for(day, **wishes, again=again, also=also, key=key)
        except ConflictError as error:
            raise refused(error, campaign, day) from None
        visit.session.tell(
            Notice(f"Plan {found.plan.id} is ready." if found.made else "This plan was made before.")
        )
        return back

    title = "Making today's plan" if is_today else f"Making the plan of {day}"
    return follow(visit.desk.jobs.start(visit, "ask", title, work, arguments=(key,), back=back))


def _day(visit: Visit, form: Form) -> civil_date:
    return visit.campaign.day(form.text("date"))


def _view(visit: Visit, form: Form, orders: Orders) -> TodayView:
    """The page with the orders that were typed."""
    try:
        day = _day(visit, form)
    except AllotmentError:
        day = visit.campaign.day()
    return today_view(visit.campaign, day=day, orders=orders)


def _with_orders(
    request: Request, visit: Visit, form: Form, orders: Orders, sentence: str, *, status: int
) -> Response:
    """The page again, with the orders that were typed and what is wrong with them."""
    view = _view(visit, form, orders)
    return page(request, TEMPLATE, replace(view, asking=with_problem(view.asking, sentence)), status=status)
