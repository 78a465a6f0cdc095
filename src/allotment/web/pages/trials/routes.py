"""A change on trial: look at it, keep it, change back."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.web.pages.trials.trial import Trial, digest_of, path_of, remember, trial_of, try_changes
from allotment.web.pages.trials.view import trial_view
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice

router = APIRouter()
TRIAL = "/c/{number}/trials/{id}"
BACK = "Changed back: these settings are as they were before."
OVERTAKEN = "The settings have changed in the meantime. This is what your change would do now."


@router.get(TRIAL)
def trial_page(request: Request, visit: Here, id: str) -> Response:  # noqa: A002 - as in addresses
    """What the change means, and the plan that would follow."""
    return page(request, "trials/trial.html", trial_view(trial_of(visit, id), path_of(visit, id)))


@router.post(f"{TRIAL}/keep")
def keep_trial(visit: Here, form: SentForm, id: str) -> Response:  # noqa: A002 - as in addresses
    """Keep the change, if the settings are still those that it was tried on."""
    trial, campaign = trial_of(visit, id), visit.campaign
    if not trial.kept:
        if digest_of(campaign.settings) != trial.before:
            return _try_again(visit, trial, trial.changes)
        campaign.change(key=form.key, **trial.changes)
        trial.after = digest_of(campaign.settings)
        remember(visit, id, trial)
    undo = f"{path_of(visit, id)}/back" if trial.back_changes else None
    visit.session.tell(Notice(_kept(trial), undo_path=undo))
    return RedirectResponse(trial.origin, status_code=303)


@router.post(f"{TRIAL}/back")
def change_back(visit: Here, form: SentForm, id: str) -> Response:  # noqa: A002 - as in addresses
    """Restore what the change altered, if nothing else has changed since."""
    trial, campaign = trial_of(visit, id), visit.campaign
    if trial.kept and trial.back_changes:
        if digest_of(campaign.settings) != trial.after:
            return _try_again(visit, trial, trial.back_changes)
        campaign.change(key=form.key, **trial.back_changes)
        trial.after = None
        remember(visit, id, trial)
    visit.session.tell(Notice(BACK))
    return RedirectResponse(trial.origin, status_code=303)


def _kept(trial: Trial) -> str:
    """What was kept, in a line."""
    many = len(trial.differences)
    return f"Kept: {trial.differences[0].words if many == 1 else f'{many} settings changed'}."


def _try_again(visit: Visit, trial: Trial, changes: dict[str, Any]) -> Response:
    """Show what a change means by now, since somebody has changed the settings meanwhile."""
    shown = try_changes(visit, changes, trial.origin)
    visit.session.tell(Notice(OVERTAKEN, kind="problem"))
    return shown
