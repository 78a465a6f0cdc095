"""Signing in with a code, and signing out."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from allotment.web.forms import SentForm
from allotment.web.rendering import page
from allotment.web.security.sessions import ABSOLUTE_SECONDS
from allotment.web.visits import SignedIn, desk_of

OPEN_TO_STRANGERS = True  # the code is the secret here; signing out reads a checked form
router = APIRouter()


@router.get("/sign-in")
def sign_in_page(request: Request, code: str = "") -> Response:
    """A button that exchanges the code. Opening the address alone uses nothing up."""
    return page(request, "signing_in/sign_in.html", {"code": code[:100], "wrong": False})


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Exchange a code for a new session, once."""
    desk = desk_of(request)
    async with request.form(max_files=0, max_fields=2, max_part_size=1000) as form:
        code = form.get("code")
    if not isinstance(code, str) or not desk.codes.redeem(code):
        return page(request, "signing_in/sign_in.html", {"code": "", "wrong": True}, status=403)
    identifier, _ = desk.sessions.start(desk.author, browser_named(request.headers.get("user-agent", "")))
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(
        desk.cookie, identifier, max_age=ABSOLUTE_SECONDS, path="/", httponly=True, samesite="lax"
    )
    return answer


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
    answer.delete_cookie(desk.cookie, path="/", httponly=True, samesite="lax")
    return answer
