"""Settings: shows them, and hands what was typed to a trial; ends sessions."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from allotment.campaign.forms.shapes import shapes_by_name
from allotment.campaign.settings.situations import BOUNDS as SITUATED
from allotment.errors import AllotmentError, InputError
from allotment.web.files.uploads import shapes_in
from allotment.web.pages.settings.control_forms import change_of_control, typed_control
from allotment.web.pages.settings.forms import (
    TABLES,
    changed_meanwhile,
    changes_of_campaign,
    changes_of_groups,
    changes_of_places,
    group_fields,
    place_fields,
    shown_settings,
)
from allotment.web.pages.settings.situation_forms import (
    changes_of_situations,
    shown_situations,
    typed_situations,
)
from allotment.web.pages.settings.view import settings_view, table_view
from allotment.web.pages.trials.trial import try_changes
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.situation_choice import SituationChoice, situation_choice
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice

router = APIRouter()
BASE = "/c/{number}/settings"


@router.get(BASE)
def settings_page(request: Request, visit: Here) -> Response:
    """All settings."""
    view = settings_view(visit.campaign, visit.sessions(), visit.session)
    return page(request, "settings/settings.html", view)


@router.post(BASE)
def try_campaign(request: Request, visit: Here, form: SentForm) -> Response:
    """Show what a change of the campaign's settings would change."""
    settings = visit.campaign.settings
    try:
        said = changed_meanwhile(form, shown_settings(settings))
        return try_changes(visit, changes_of_campaign(form, settings), f"{visit.path}/settings", said=said)
    except AllotmentError as error:
        return _again(request, visit, "campaign", error, typed=form.given(shown_settings(settings)))


@router.post(f"{BASE}/groups")
def try_groups(request: Request, visit: Here, form: SentForm) -> Response:
    """Show what a change of the limits of groups would change."""
    settings = visit.campaign.settings
    try:
        said = changed_meanwhile(form, group_fields(settings))
        return try_changes(visit, changes_of_groups(form, settings), f"{visit.path}/settings", said=said)
    except AllotmentError as error:
        limits = {
            f"{each}:{name}": text
            for each in ("least", "most")
            for name, text in form.by_name(f"{each}:").items()
        }
        return _again(request, visit, "groups", error, limits=limits)


@router.post(f"{BASE}/situations")
def try_situations(request: Request, visit: Here, form: SentForm) -> Response:
    """Show what a change of situations, their budgets or their calendar would change."""
    settings = visit.campaign.settings
    typed, now = typed_situations(form, settings), shown_situations(settings)
    differ = [name for name, budget in typed.budgets.items() if budget != now.budgets[name]]
    try:
        changes = changes_of_situations(typed)
        return try_changes(visit, changes, f"{visit.path}/settings", differ[0] if differ else None)
    except AllotmentError as error:
        return _again(request, visit, "situations", error, situations=typed)


@router.post(f"{BASE}/control")
def try_control(request: Request, visit: Here, form: SentForm) -> Response:
    """Show what a change of control rounds would change."""
    typed = typed_control(form, visit.campaign.settings)
    try:
        return try_changes(visit, change_of_control(typed), f"{visit.path}/settings")
    except AllotmentError as error:
        return _again(request, visit, "control", error, control=typed)


@router.post(f"{BASE}/situations/rename")
def rename_situation(request: Request, visit: Here, form: SentForm) -> Response:
    """Give a situation another name."""
    old, new = form.needed("old_name"), form.text("new_name") or ""
    try:
        visit.campaign.rename_situation(old, form.needed("new_name"), key=form.key)
    except AllotmentError as error:
        return _again(request, visit, "situations", error)
    back = f"{visit.path}/settings"
    undo = {"old_name": new, "new_name": old}
    said = f"{old} is called {new} from now on."
    visit.session.tell(Notice(said, undo_path=f"{back}/situations/rename", undo_fields=undo))
    return RedirectResponse(back, status_code=303)


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
        return try_changes(visit, {"shapes": shapes}, f"{visit.path}/settings")
    except AllotmentError as error:
        return _again(request, visit, "shapes", error)


@router.get(f"{BASE}/places/{{what}}")
def table_page(request: Request, visit: Here, what: str, situation: str = "") -> Response:
    """One setting of all places."""
    view = table_view(visit.campaign, _known(what), _choice(visit, what, situation))
    return page(request, "settings/places.html", view)


@router.post(f"{BASE}/places/{{what}}")
def try_table(request: Request, visit: Here, what: str, form: SentForm) -> Response:
    """Show what a change of one setting of places would change."""
    campaign, back = visit.campaign, f"{visit.path}/settings/places/{_known(what)}"
    choice = _choice(visit, what, form.text("situation"))
    try:
        changes = changes_of_places(form, campaign.settings, what, choice.chosen)
        said = changed_meanwhile(form, place_fields(campaign.settings, what, choice.chosen))
        return try_changes(visit, changes, back, choice.chosen, said=said)
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        view = table_view(
            campaign,
            what,
            choice,
            typed=form.by_name("value:"),
            same=form.text("all") or "",
            problem=problem.sentence,
        )
        return page(request, "settings/places.html", view, status=problem.status)


@router.post(f"{BASE}/sessions")
def end_sessions(visit: Here, form: SentForm) -> Response:
    """Sign another browser out, or all others."""
    handle, book = form.text("handle"), visit.desk.sessions
    others = [each for each in visit.sessions() if each.digest != visit.session.digest]
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


def _choice(visit: Visit, what: str, situation: str | None) -> SituationChoice:
    """The situation whose values a table shows; none where they are for all situations."""
    names = visit.campaign.settings.situations.names if what in SITUATED else ()
    return situation_choice(visit.campaign, situation) if names and situation else SituationChoice(names)


def _again(request: Request, visit: Visit, part: str, error: AllotmentError, **typed: Any) -> Response:
    """The page with what was typed, and a sentence where it is wrong."""
    problem = visit.desk.problem_of(error)
    options: dict[str, Any] = {**typed, "problems": {part: problem.sentence}}
    view = settings_view(visit.campaign, visit.sessions(), visit.session, **options)
    return page(request, "settings/settings.html", view, status=problem.status)
