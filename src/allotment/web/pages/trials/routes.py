"""A change on trial: look at it, keep it, change back."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.errors import ConflictError
from allotment.web.forms import SentForm
from allotment.web.pages.trials.trial import path_of, trial_of
from allotment.web.pages.trials.view import trial_view
from allotment.web.rendering import page
from allotment.web.security.sessions import Notice
from allotment.web.visits import Here

router = APIRouter()
KEPT = "Kept: the change applies from the next plan on."


@router.get("/c/{number}/budget/trials/{id}")
def trial_page(request: Request, visit: Here, id: str) -> Response:  # noqa: A002 - as in addresses
    """What the change means, and the plan that would follow."""
    return page(request, "trials/trial.html", trial_view(trial_of(visit, id), path_of(visit, id)))


@router.post("/c/{number}/budget/trials/{id}/keep")
def keep_trial(visit: Here, form: SentForm, id: str) -> Response:  # noqa: A002 - as in addresses
    """Keep the change, if the settings are still those that it was tried on."""
    trial = trial_of(visit, id)
    if not trial.kept:
        if visit.campaign.settings != trial.before:
            raise ConflictError("the settings have changed since this was tried", "to try it again")
        visit.campaign.change(key=form.key, **trial.changes)
        trial.kept = True
    visit.session.tell(Notice(KEPT, undo_path=f"{path_of(visit, id)}/back"))
    return RedirectResponse(trial.origin, status_code=303)


@router.post("/c/{number}/budget/trials/{id}/back")
def change_back(visit: Here, form: SentForm, id: str) -> Response:  # noqa: A002 - as in addresses
    """Restore what the change altered."""
    trial = trial_of(visit, id)
    if trial.kept:
        visit.campaign.change(key=form.key, **trial.back_changes)
        trial.kept = False
    visit.session.tell(Notice("Changed back: these settings are as they were before."))
    return RedirectResponse(trial.origin, status_code=303)
