"""Places: the list, a page for each, and how a place is added, changed, renamed, retired and restored."""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.campaign.answers.place_story import PlaceStory
from allotment.campaign.answers.status import Status
from allotment.campaign.forms.amounts import written
from allotment.campaign.settings.specification import OF_ONE_PLACE
from allotment.errors import AllotmentError, NotFoundError
from allotment.web.pages.places.forms import NEW_FIELDS, add_place, changes_in
from allotment.web.pages.places.place_view import place_view
from allotment.web.pages.places.view import place_path, places_view, what_places_get
from allotment.web.pages.trials.trial import try_changes
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.situation_choice import SituationChoice, situation_choice
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice
from allotment.web.work.jobs import Running
from allotment.web.work.kept_answers import Question, kept_answer

router = APIRouter()


@router.get("/c/{number}/places")
def places_page(
    request: Request,
    visit: Here,
    name: str | None = None,
    all: str = "",  # noqa: A002 - as in addresses
    situation: str = "",
    days: str = "",
) -> Response:
    """All places, or the page of one, in a situation; and which had no report for some days."""
    choice = situation_choice(visit.campaign, situation)
    if name is not None:
        status = _status(visit, place_path(visit.path, name, choice.chosen), choice)
        story = _story(visit, name, choice)
        place = place_view(visit.campaign, name, status, choice, story=story, whole=bool(all))
        return page(request, "places/place.html", place)
    of = "" if choice.chosen is None else f"?{urlencode({'situation': choice.chosen})}"
    status = _status(visit, f"{visit.path}/places{of}", choice)
    view = places_view(visit.campaign, status, visit.path, choice, days)
    return page(request, "places/places.html", view, status=200 if view.days_problem is None else 422)


@router.get("/c/{number}/places/new")
def new_place_page(request: Request, visit: Here) -> Response:
    """The form for a new place."""
    return _new_place(request, visit, dict.fromkeys(NEW_FIELDS, ""))


@router.post("/c/{number}/places/new")
def new_place(request: Request, visit: Here, form: SentForm) -> Response:
    """Add a place."""
    try:
        name = add_place(visit.campaign, form)
    except AllotmentError as error:
        return _new_place(request, visit, form.given(NEW_FIELDS), error)
    said = f"{name} is added. The next plan includes it."
    return _done(visit, name, said, undo="retire", fields={"name": name})


@router.post("/c/{number}/places/change")
def change_place(request: Request, visit: Here, form: SentForm) -> Response:
    """Try other settings of a place; the page of the trial says what they mean, and keeps them."""
    name = form.needed("name")
    try:
        return try_changes(visit, changes_in(visit.campaign, name, form), place_path(visit.path, name))
    except AllotmentError as error:
        return _refused(request, visit, name, error, form.given(tuple(OF_ONE_PLACE)))


@router.post("/c/{number}/places/rename")
def rename_place(request: Request, visit: Here, form: SentForm) -> Response:
    """Give a place another name."""
    name, new = form.needed("name"), form.text("new_name")
    try:
        visit.campaign.rename_arm(name, form.needed("new_name"), key=form.key)
    except AllotmentError as error:
        return _refused(request, visit, name, error)
    fields = {"name": str(new), "new_name": name}
    return _done(visit, str(new), f"{name} is called {new} from now on.", undo="rename", fields=fields)


@router.post("/c/{number}/places/retire")
def retire_place(visit: Here, form: SentForm) -> Response:
    """Plan no longer for a place."""
    name = form.needed("name")
    visit.campaign.retire_arm(name, key=form.key)
    said = f"{name} is retired. The next plan leaves it out."
    return _done(visit, name, said, undo="restore", fields={"name": name})


@router.post("/c/{number}/places/restore")
def restore_place(visit: Here, form: SentForm) -> Response:
    """Plan for a retired place again."""
    name = form.needed("name")
    visit.campaign.restore_arm(name, key=form.key)
    said = f"{name} is restored. The next plan includes it."
    return _done(visit, name, said, undo="retire", fields={"name": name})


def _status(visit: Visit, back: str, choice: SituationChoice) -> Status | None:
    """What is known of every place; None as long as it is being computed, or if no place is active."""
    if not visit.campaign.settings.active:
        return None
    title, of = "Computing what is known of each place", choice.chosen

    def compute(job: Running) -> Status:
        return visit.dear.answer(Status, "status", situation=of)

    asked = Question("status", Status, title, compute, back, () if of is None else (of,))
    found: Status | None = kept_answer(visit, asked)
    return found


def _story(visit: Visit, name: str, choice: SituationChoice) -> PlaceStory | None:
    """Why the plan that the page names grants its amount to a place; None if the place came later."""
    plan = what_places_get(visit.campaign, choice.chosen)
    if plan is None:
        return None
    try:
        return visit.dear.at_once(PlaceStory, "explain_place", plan_id=plan.plan, name=name)
    except NotFoundError:
        return None


def _new_place(
    request: Request, visit: Visit, typed: dict[str, str], error: AllotmentError | None = None
) -> Response:
    settings = visit.campaign.settings
    view: dict[str, Any] = {
        "fields": OF_ONE_PLACE,
        "typed": typed,
        "groups": tuple(settings.groups),
        "scale": written(settings.scale),
    }
    if error is None:
        return page(request, "places/new.html", {**view, "problem": None})
    problem = visit.desk.problem_of(error)
    return page(request, "places/new.html", {**view, "problem": problem.sentence}, status=problem.status)


def _refused(
    request: Request, visit: Visit, name: str, error: AllotmentError, typed: dict[str, str] | None = None
) -> Response:
    """Show the page of a place again, with the typed values and the error."""
    problem = visit.desk.problem_of(error)
    choice = situation_choice(visit.campaign)
    status = _status(visit, place_path(visit.path, name), choice)
    said: dict[str, Any] = {"typed": typed, "problem": problem.sentence}
    view = place_view(visit.campaign, name, status, choice, story=_story(visit, name, choice), **said)
    return page(request, "places/place.html", view, status=problem.status)


def _done(visit: Visit, name: str, said: str, *, undo: str, fields: dict[str, str]) -> Response:
    visit.session.tell(Notice(said, undo_path=f"{visit.path}/places/{undo}", undo_fields=fields))
    return RedirectResponse(place_path(visit.path, name), status_code=303)
