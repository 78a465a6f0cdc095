"""Cancel or close a plan, or undo what is in force. A notice offers to take it back for ten seconds."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from allotment.campaign.history.plan_records import CANCELLATION, CLOSING
from allotment.web.requests.forms import Form, SentForm
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice

router = APIRouter()


@router.post("/c/{number}/plans/{plan_id}/cancel")
def cancel(visit: Here, plan_id: str, form: SentForm) -> Response:
    """Say that a plan is not carried out."""
    visit.campaign.cancel(plan_id, key=form.key)
    return _done(visit, form, plan_id, f"Plan {plan_id} is cancelled.", CANCELLATION)


@router.post("/c/{number}/plans/{plan_id}/close")
def close(visit: Here, plan_id: str, form: SentForm) -> Response:
    """Say that nothing more will be reported."""
    visit.campaign.close_plan(plan_id, key=form.key)
    return _done(visit, form, plan_id, f"Plan {plan_id} is closed. Late reports are still taken.", CLOSING)


@router.post("/c/{number}/plans/{plan_id}/undo")
def undo(visit: Here, plan_id: str, form: SentForm) -> Response:
    """Take back a plan's report, cancellation or closing; the form says which."""
    what = form.needed("what")
    visit.campaign.undo(plan_id, what=what, key=form.key)
    return _done(visit, form, plan_id, f"The {what} of plan {plan_id} is undone.")


def _done(visit: Visit, form: Form, plan_id: str, sentence: str, undoable: str | None = None) -> Response:
    """Back to the page that the button was on, with a notice."""
    path = f"{visit.path}/plans/{plan_id}"
    if undoable is None:
        visit.session.tell(Notice(sentence))
    else:
        visit.session.tell(Notice(sentence, undo_path=f"{path}/undo", undo_fields={"what": undoable}))
    back = f"{visit.path}/report/{plan_id}" if form.text("from") == "report" else path
    return RedirectResponse(back, status_code=303)
