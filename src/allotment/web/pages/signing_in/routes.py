"""Signing in with a code, a token or a link, and signing out."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from allotment.campaign.access.rights import RECORDER
from allotment.campaign.access.tokens import Token
from allotment.web.desk import Desk, Team
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.visits import SignedIn, desk_of
from allotment.web.security.sessions import ABSOLUTE_SECONDS, MemorySessions, Session
from allotment.web.security.stored_sessions import RECORDER_SECONDS

OPEN_TO_STRANGERS = True  # the code is the secret here; signing out reads a checked form
router = APIRouter()
LONGEST = 100  # characters of a code
WRONG = {
    "code": "This sign-in code is not valid. It may be older than five minutes, or used already.",
    "link": "This link is not valid. It may be older than 15 minutes, or used already. Ask for a new one.",
    "token": "This token is not valid. It may be mistyped, expired or revoked.",
}


@router.get("/sign-in")
def sign_in_page(request: Request, code: str = "", link: str = "") -> Response:
    """A button that exchanges the code, or a field for a token. Opening the address uses nothing up."""
    desk = desk_of(request)
    if desk.team is None:
        return _page(request, desk, code=code[:LONGEST])
    if not link:
        return _page(request, desk)
    holder = desk.team.links.whose(link[:LONGEST])
    if holder is None:  # not counted: any web site could make a browser here open wrong links
        return _page(request, desk, wrong=WRONG["link"], status=403)
    return _page(request, desk, link=link[:LONGEST], holder=_described(desk.team, holder))


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Exchange a code, a link or a token for a new session."""
    async with request.form(max_files=0, max_fields=3, max_part_size=1000) as form:
        sent = {name: str(form.get(name) or "").strip()[:LONGEST] for name in ("code", "link", "token")}
    return await run_in_threadpool(_signed_in, request, sent)


def _signed_in(request: Request, sent: dict[str, str]) -> Response:
    desk, browser = desk_of(request), browser_named(request.headers.get("user-agent", ""))
    if isinstance(desk.sessions, MemorySessions):  # and so the server is for this machine
        if not desk.codes.redeem(sent["code"]):
            return _page(request, desk, wrong=WRONG["code"], status=403)
        return _with_cookie(desk, *desk.sessions.start(desk.author, browser))
    assert desk.team is not None
    way = "link" if sent["link"] else "token"
    holder = desk.team.links.redeem(sent["link"]) if sent["link"] else desk.team.tokens.find(sent["token"])
    if holder is None:
        desk.attempts.fail(request.state.caller)
        return _page(request, desk, wrong=WRONG[way], status=403)
    return _with_cookie(desk, *desk.team.sessions.start(holder, browser))


def _with_cookie(desk: Desk, identifier: str, session: Session) -> Response:
    answer = RedirectResponse("/", status_code=303)
    life = RECORDER_SECONDS if session.rights.role == RECORDER else ABSOLUTE_SECONDS
    answer.set_cookie(desk.cookie, identifier, max_age=life, **_cookie(desk))
    return answer


def _cookie(desk: Desk) -> dict[str, Any]:
    return {"path": "/", "httponly": True, "samesite": "lax", "secure": desk.team is not None}


def _page(request: Request, desk: Desk, *, status: int = 200, **shown: Any) -> Response:
    view = {"code": "", "link": "", "holder": None, "wrong": "", "team": desk.team is not None, **shown}
    return page(request, "signing_in/sign_in.html", view, status=status)


def _described(team: Team, holder: Token) -> dict[str, str | None]:
    """Whom a link signs in, where, and as what."""
    rights = holder.rights
    where = "all campaigns" if rights.campaign is None else team.tokens.campaign_names()[rights.campaign]
    return {"name": rights.name, "role": rights.role, "campaign": where, "group": rights.group}


def browser_named(agent: str) -> str:
    """A browser in a word or two, so that people know their own sessions apart.

    >>> browser_named("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
    'Firefox on Linux'
    """
    browsers = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
    systems = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows"}
    systems |= {"Mac OS": "macOS", "Linux": "Linux"}
    browser = next((name for mark, name in browsers.items() if f"{mark}/" in agent), "A browser")
    system = next((name for mark, name in systems.items() if mark in agent), "")
    return f"{browser} on {system}" if system else browser


@router.post("/sign-out")
def sign_out(request: Request, session: SignedIn, form: SentForm) -> Response:
    """End the session."""
    desk = desk_of(request)
    desk.sessions.end(session)
    answer = RedirectResponse("/sign-in", status_code=303)
    answer.delete_cookie(desk.cookie, **_cookie(desk))
    return answer
