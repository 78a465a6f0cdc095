"""Check: shows whether the model still holds."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.campaign.answers.checks.finding import Checkup
from allotment.web.pages.check.view import check_view
from allotment.web.rendering.rendering import page
from allotment.web.requests.visits import Here
from allotment.web.work.jobs import Running
from allotment.web.work.kept_answers import Question, kept_answer

router = APIRouter()


@router.get("/c/{number}/check")
def check_page(request: Request, visit: Here) -> Response:
    """The result of each check, as soon as it is computed."""

    def compute(running: Running) -> Checkup:
        def say(share: float) -> None:
            running.say(f"About {100 * share:.0f} % done.")

        return visit.dear.answer(Checkup, "checkup", progress=say)

    back = f"{visit.path}/check"
    asked = Question("checkup", Checkup, "Checking the model", compute, back)
    return page(request, "check/check.html", check_view(kept_answer(visit, asked), visit.path))
