"""People: tokens are made, shown once and revoked; links sign phones in as recorders."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from allotment.campaign.access.rights import RECORDER, Rights
from allotment.campaign.access.tokens import Token
from allotment.campaign.settings.grouping import known_group
from allotment.errors import AllotmentError
from allotment.web.desk import Team
from allotment.web.pages.people.view import FIELDS, Shown, people_view
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import Form, SentForm
from allotment.web.requests.visits import Here, Visit
from allotment.web.security.sessions import Notice
from allotment.web.serving.qr_codes import qr_for_page

router = APIRouter()
BASE = "/c/{number}/settings/people"


@router.get(BASE)
def people(request: Request, visit: Here) -> Response:
    """Who may sign in."""
    return _page(request, visit)


@router.post(BASE)
def add_person(request: Request, visit: Here, form: SentForm) -> Response:
    """Make a token, or a link for a phone. The answer shows it, once: it stands in no address."""
    team, wants_link = _team(visit), form.flag("link")
    try:
        rights = _rights(visit, form)
        own = team.tokens.named(visit.session.author, by=visit.session.rights)
        token, text = team.tokens.add(
            rights, until=form.text("until"), by=own.rights, by_until=own.until, secret=not wants_link
        )
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        return _page(
            request, visit, typed=form.given(FIELDS), problem=problem.sentence, status=problem.status
        )
    return _page(request, visit, shown=_link(visit, token) if wants_link else Shown(token.name, text=text))


@router.post(f"{BASE}/link")
def link_phone(request: Request, visit: Here, form: SentForm) -> Response:
    """Make a link for the phone of a recorder who has a token."""
    token = _team(visit).tokens.named(form.needed("name"), by=visit.session.rights)
    return _page(request, visit, shown=_link(visit, token))


@router.post(f"{BASE}/revoke")
def revoke(visit: Here, form: SentForm) -> Response:
    """End a token and its sessions."""
    ended = _team(visit).tokens.revoke(form.needed("name"), by=visit.session.rights)
    visit.session.tell(Notice(f"{ended.name} can no longer sign in, and is signed out everywhere."))
    return RedirectResponse(f"{visit.path}/settings/people", status_code=303)


def _rights(visit: Visit, form: Form) -> Rights:
    """The rights that the form asks for."""
    group, everywhere = form.text("group"), form.flag("everywhere")
    if group is not None:
        group = known_group(visit.campaign.settings, group)
    return Rights(
        form.needed("name"),
        RECORDER if form.flag("link") else form.needed("role"),
        None if everywhere else visit.number,
        group,
    )


def _link(visit: Visit, token: Token) -> Shown:
    code = _team(visit).links.issue(token, by=visit.session.rights)
    address = f"{visit.desk.address}/sign-in?link={code}"
    return Shown(token.name, address=address, picture=qr_for_page(address))


def _team(visit: Visit) -> Team:
    """The people of the store; a server for one machine has none."""
    if visit.desk.team is None:
        raise HTTPException(404)
    return visit.desk.team


def _page(request: Request, visit: Visit, *, status: int = 200, **options: Any) -> Response:
    view = people_view(visit.campaign, _team(visit).tokens, visit.session.rights, **options)
    return page(request, "people/people.html", view, status=status)
