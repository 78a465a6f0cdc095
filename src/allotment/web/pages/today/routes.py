"""Today: shows the plan of the day, and asks for one."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.web.forms import SentForm
from allotment.web.jobs import Job, follow
from allotment.web.pages.today.view import today_view
from allotment.web.rendering import page
from allotment.web.security.sessions import Notice
from allotment.web.visits import Here

router = APIRouter()


@router.get("/c/{number}/today")
def today(request: Request, visit: Here) -> Response:
    """Where things stand, and the plan of today."""
    return page(request, "today/today.html", today_view(visit.campaign))


@router.get("/c/{number}/plans/{plan_id}")
def one_plan(request: Request, visit: Here, plan_id: str) -> Response:
    """The same page with another plan."""
    return page(request, "today/today.html", today_view(visit.campaign, plan_id))


@router.post("/c/{number}/plans")
def ask(visit: Here, form: SentForm) -> Response:
    """Make the plan of today: the first one, one that replaces the open one, or a second one."""
    again, also, key = form.flag("again"), form.flag("also"), form.key
    campaign = visit.campaign

    def work(job: Job) -> str:
        found = campaign.plan_for(again=again, also=also, key=key)
        visit.session.tell(
            Notice(f"Plan {found.plan.id} is ready." if found.made else "This plan was made before.")
        )
        return f"{visit.path}/today"

    back = f"{visit.path}/today"
    job = visit.desk.jobs.start(visit, "ask", "Making today's plan", work, arguments=(key,), back=back)
    return follow(job)
