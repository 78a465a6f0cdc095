"""Settings: shows them, shows what a change would change, and keeps it; ends sessions."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from allotment.campaign.shapes import shapes_by_name
from allotment.errors import AllotmentError, InputError
from allotment.web.forms import SentForm
from allotment.web.pages.settings.staged_change import (
    CAMPAIGN,
    StagedChange,
    changes_of_campaign,
    changes_of_groups,
    changes_of_places,
    reversed_change,
    tried,
)
from allotment.web.pages.settings.view import TABLES, confirm_view, settings_view, table_view
from allotment.web.problems import problem_of
from allotment.web.rendering import page
from allotment.web.security.sessions import Notice
from allotment.web.uploads import shapes_in
from allotment.web.visits import Here, Visit

router = APIRouter()
BASE = "/c/{number}/settings"


@router.get(BASE)
def settings_page(request: Request, visit: Here) -> Response:
    """All settings."""
    view = settings_view(visit.campaign, visit.desk.sessions.live(), visit.session)
    return page(request, "settings/settings.html", view)


@router.post(BASE)
def try_campaign(request: Request, visit: Here, form: SentForm) -> Response:
    """Show what a change of the campaign's settings would change."""
    try:
        return _confirm(visit, changes_of_campaign(form, visit.campaign.settings), f"{visit.path}/settings")
    except AllotmentError as error:
        return _again(request, visit, "campaign", error, typed=form.given(CAMPAIGN))


@router.post(f"{BASE}/groups")
def try_groups(request: Request, visit: Here, form: SentForm) -> Response:
    """Show what a change of the limits of groups would change."""
    try:
        return _confirm(visit, changes_of_groups(form, visit.campaign.settings), f"{visit.path}/settings")
    except AllotmentError as error:
        limits = {
            f"{each}:{name}": text
            for each in ("least", "most")
            for name, text in form.by_name(f"{each}:").items()
        }
        return _again(request, visit, "groups", error, limits=limits)


@router.post(f"{BASE}/shapes")
def try_shapes(request: Request, visit: Here, form: SentForm) -> Response:
    """Take GeoJSON, and show which places it would outline."""
    upload, settings = form.upload("shapes"), visit.campaign.settings
    try:
        if upload is None:
            raise InputError("no file was chosen", "GeoJSON", what="shapes")
        named = list(settings.aliases)
        found = shapes_in(upload.file, upload.filename or "map.geojson", named)
        shapes = shapes_by_name(found, named)  # whatever the process wrote is checked again
        return _confirm(visit, {"shapes": shapes} if shapes else {}, f"{visit.path}/settings")
    except AllotmentError as error:
        return _again(request, visit, "shapes", error)


@router.get(f"{BASE}/places/{{what}}")
def table_page(request: Request, visit: Here, what: str) -> Response:
    """One setting of all places."""
    return page(request, "settings/places.html", table_view(visit.campaign, _known(what)))


@router.post(f"{BASE}/places/{{what}}")
def try_table(request: Request, visit: Here, what: str, form: SentForm) -> Response:
    """Show what a change of one setting of places would change."""
    campaign, back = visit.campaign, f"{visit.path}/settings/places/{_known(what)}"
    try:
        return _confirm(visit, changes_of_places(form, campaign.settings, what), back)
    except AllotmentError as error:
        problem = problem_of(error)
        view = table_view(
            campaign,
            what,
            typed=form.by_name("value:"),
            same=form.text("all") or "",
            problem=problem.sentence,
        )
        return page(request, "settings/places.html", view, status=problem.status)


@router.get(f"{BASE}/change/{{stage_id}}")
def change_page(request: Request, visit: Here, stage_id: str) -> Response:
    """What a change would change, before it is kept."""
    stage = visit.desk.stages.find(visit, stage_id, StagedChange)
    return page(request, "settings/confirm.html", confirm_view(stage))


@router.post(f"{BASE}/change/{{stage_id}}/keep")
def keep_change(visit: Here, stage_id: str, form: SentForm) -> Response:
    """Keep a change, if it still changes what was shown."""
    stage, campaign = visit.desk.stages.find(visit, stage_id, StagedChange), visit.campaign
    now = tried(campaign, stage.changes)
    if now != stage.differences:
        stage.differences, stage.is_overtaken = now, True
        return RedirectResponse(f"{visit.path}/settings/change/{stage.id}", status_code=303)
    back = reversed_change(campaign.settings, stage.changes)
    campaign.change(**stage.changes, key=form.key)
    visit.desk.stages.drop(stage)
    _tell_changed(visit, stage, back)
    return RedirectResponse(f"{visit.path}/settings", status_code=303)


@router.post(f"{BASE}/sessions")
def end_sessions(visit: Here, form: SentForm) -> Response:
    """Sign another browser out, or all others."""
    handle, book = form.text("handle"), visit.desk.sessions
    others = [each for each in book.live() if each.digest != visit.session.digest]
    ended = [each for each in others if handle in (None, each.handle)]
    for each in ended:
        book.end(each)
    many = f"{len(ended)} {'browser is' if len(ended) == 1 else 'browsers are'} signed out."
    visit.session.tell(Notice(many if ended else "This browser was signed out before."))
    return RedirectResponse(f"{visit.path}/settings", status_code=303)


def _known(what: str) -> str:
    if what not in TABLES:
        raise HTTPException(404)
    return what


def _confirm(visit: Visit, changes: dict[str, Any], back: str) -> Response:
    differences = tried(visit.campaign, changes)
    stage = StagedChange(visit.session.digest, visit.number, changes, differences, back)
    visit.desk.stages.start(stage)
    return RedirectResponse(f"{visit.path}/settings/change/{stage.id}", status_code=303)


def _again(
    request: Request, visit: Visit, part: str, error: AllotmentError, **typed: Mapping[str, str]
) -> Response:
    """The page with what was typed, and a sentence where it is wrong."""
    problem = problem_of(error)
    options: dict[str, Any] = {**typed, "problems": {part: problem.sentence}}
    view = settings_view(visit.campaign, visit.desk.sessions.live(), visit.session, **options)
    return page(request, "settings/settings.html", view, status=problem.status)


def _tell_changed(visit: Visit, stage: StagedChange, back: dict[str, Any] | None) -> None:
    """Say what was changed, and offer to take it back."""
    many = len(stage.differences)
    words = stage.differences[0].words if many == 1 else f"{many} settings are changed"
    sentence = f"Changed from the next plan on: {words}."
    if back is None:
        visit.session.tell(Notice(sentence))
        return
    undo = StagedChange(visit.session.digest, visit.number, back, tried(visit.campaign, back), stage.back)
    visit.desk.stages.start(undo)
    path = f"{visit.path}/settings/change/{undo.id}/keep"
    visit.session.tell(Notice(sentence, undo_path=path))
