"""Which campaign to open, and a new one from a table of places."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.errors import AllotmentError
from allotment.web.pages.campaigns.view import NewCampaign, new_campaign_from
from allotment.web.rendering.navigation import sections_for
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.visits import SignedIn, desk_of
from allotment.web.security.sessions import Notice

router = APIRouter()
CREATE = "create campaigns, which planners for all campaigns do"


@router.get("/")
def first_page(request: Request, session: SignedIn) -> Response:
    """The only campaign, the list of several, or a new one."""
    rights, known = session.rights, desk_of(request).campaigns.names()
    found = {number: name for number, name in known.items() if rights.sees(number)}
    first = sections_for(rights)[0].path
    if len(found) > 1 or (not found and not rights.is_owner):
        return page(request, "campaigns/list.html", {"campaigns": found, "first": first})
    only = next(iter(found), None)
    return RedirectResponse("/new" if only is None else f"/c/{only}/{first}", status_code=303)


@router.get("/new")
def new_campaign_page(request: Request, session: SignedIn) -> Response:
    """The form for a new campaign."""
    session.rights.check(session.rights.is_owner, CREATE)
    campaigns = desk_of(request).campaigns
    view = NewCampaign.blank(campaigns.name, is_first=not campaigns.names())
    return page(request, "campaigns/new.html", view)


@router.post("/new")
def make_campaign(request: Request, session: SignedIn, form: SentForm) -> Response:
    """Make a campaign from a table of places."""
    session.rights.check(session.rights.is_owner, CREATE)
    campaigns = desk_of(request).campaigns
    try:
        number = new_campaign_from(form, campaigns, session.author)
    except AllotmentError as error:
        problem = desk_of(request).problem_of(error)
        view = NewCampaign.refused(form, problem.sentence, is_first=not campaigns.names())
        return page(request, "campaigns/new.html", view, status=problem.status)
    session.tell(Notice("The campaign is ready. Ask for the first plan."))
    return RedirectResponse(f"/c/{number}/today", status_code=303)
