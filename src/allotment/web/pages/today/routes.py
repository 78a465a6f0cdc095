"""Today: shows the plan of a day, checks orders for it, and asks for one."""

from datetime import date as civil_date
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from allotment.campaign.answers.plan_explanation import Explanation
from allotment.campaign.forms.amounts import listed
from allotment.campaign.planning.standing_plan import DayPlan
from allotment.errors import AllotmentError, ConflictError
from allotment.web.pages.today.asking import AGAIN, ALSO, refused, situations_to_plan
from allotment.web.pages.today.orders import Orders, Typed
from allotment.web.pages.today.view import today_view
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import Form, SentForm, key_of
from allotment.web.requests.problems import Problem
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice
from allotment.web.work.jobs import Running, follow

router = APIRouter()
TEMPLATE = "today/today.html"


@router.get("/c/{number}/today")
def today(request: Request, visit: Here, date: str | None = None, situation: str = "") -> Response:
    """Where things stand, and the plans of today or of another day, of all situations or of one."""
    return _shown(request, visit, day=date or None, situation=situation or None)


@router.get("/c/{number}/plans/{plan_id}")
def one_plan(request: Request, visit: Here, plan_id: str) -> Response:
    """The same page with another plan."""
    return _shown(request, visit, plan_id=plan_id)


@router.post("/c/{number}/orders/check")
def check_orders(request: Request, visit: Here, form: SentForm) -> Response:
    """Say at once whether orders fit; nothing is written. Scripts get the sentence, others the page."""
    as_data = "application/json" in request.headers.get("accept", "")
    orders = Orders()
    try:
        orders = Orders.in_form(form)
        sentence = _checked(visit, form, orders)
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        if as_data:
            return JSONResponse({"fits": False, "sentence": problem.sentence})
        return _with_orders(request, visit, form, orders, problem=problem)
    if as_data:
        return JSONResponse({"fits": True, "sentence": sentence if orders.are_given else ""})
    return _with_orders(request, visit, form, orders, fits=sentence)


@router.post("/c/{number}/plans")
def ask(request: Request, visit: Here, form: SentForm) -> Response:
    """Make plans of a day: all that it has none of, one that replaces the open one, or a second one."""
    again, also = form.flag(AGAIN), form.flag(ALSO)
    campaign, orders, situation = visit.campaign, Orders(), form.text("situation")
    try:
        orders = Orders.in_form(form)
        _checked(visit, form, orders)
        wishes, day = orders.wishes(), _day(visit, form)
    except AllotmentError as error:
        return _with_orders(request, visit, form, orders, problem=visit.desk.problem_of(error))
    is_today, stated = day == campaign.day(), () if situation is None else (situation,)
    back = f"{visit.path}/today" + ("" if is_today else f"?date={day}")
    key = key_of(form.key, day, wishes, again, also, *stated)

    def work(running: Running) -> str:
        asked = {"situation": situation, **wishes, "again": again, "key": key}
        try:
            if also:
                plans: tuple[DayPlan, ...] = (campaign.plan_for(day, **asked, also=True),)
            else:
                plans = campaign.plans_for(day, **asked)
        except ConflictError as error:
            raise refused(error, campaign) from None
        visit.session.tell(Notice(_made(plans)))
        return back

    title = "Making today's plan" if is_today else f"Making the plan of {day}"
    return follow(visit.desk.jobs.start(visit, "ask", title, work, arguments=(key,), back=back))


def _made(plans: tuple[DayPlan, ...]) -> str:
    """Which plans are new, in a sentence."""
    new = [each.plan.id for each in plans if each.made]
    if not new:
        return "This plan was made before."
    return f"Plan {new[0]} is ready." if len(new) == 1 else f"Plans {listed(new)} are ready."


def _day(visit: Visit, form: Form) -> civil_date:
    return visit.campaign.day(form.text("date"))


def _checked(visit: Visit, form: Form, orders: Orders) -> str:
    """That orders fit in each situation that the form asks for, in words; an error if they do not."""
    campaign, day = visit.campaign, _day(visit, form)
    found = {
        each: str(campaign.check_orders(day, situation=each, **orders.wishes()))
        for each in situations_to_plan(campaign, day, form.text("situation"))
    }
    if len(found) == 1:
        return next(iter(found.values()))
    return " ".join(f"{situation}: {sentence}" for situation, sentence in found.items())


def _with_orders(
    request: Request,
    visit: Visit,
    form: Form,
    orders: Orders,
    *,
    problem: Problem | None = None,
    fits: str | None = None,
) -> Response:
    """The page again, with the orders that were typed and what there is to say of them."""
    try:
        day = _day(visit, form)
    except AllotmentError:
        day = visit.campaign.day()
    stated = form.text("situation")
    typed = Typed(orders, stated, None if problem is None else problem.sentence, fits)
    only = (
        None if stated in visit.campaign.situations_on(day) else stated
    )  # one that the calendar does not give
    status = 200 if problem is None else problem.status
    return _shown(request, visit, status, day=day, situation=only, typed=typed)


def _shown(request: Request, visit: Visit, status: int = 200, **what: Any) -> Response:
    """The page. In a large campaign, a process of its own explains the plans."""

    def explain(plan_id: str) -> Explanation:
        return visit.dear.at_once(Explanation, "explain", plan_id=plan_id)

    view = today_view(visit.campaign, **what, explain=explain)
    return page(request, TEMPLATE, view, status=status)
