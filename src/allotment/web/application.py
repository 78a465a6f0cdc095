"""The application: the pages, their errors, and the guard in front of them."""

from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from allotment.errors import AllotmentError
from allotment.web import pages
from allotment.web.api.application import make_api
from allotment.web.desk import Desk
from allotment.web.rendering import assets
from allotment.web.rendering.rendering import problem_page, refusal
from allotment.web.requests import probes
from allotment.web.requests.forms import checked_form
from allotment.web.requests.problems import (
    RETRY_SECONDS,
    BusyError,
    ForgedFormError,
    Problem,
    SignedOutError,
    problem_of,
)
from allotment.web.security.attempts import TooManyAttemptsError
from allotment.web.security.guard import SAFE, Guard, TooLargeError

API_PATH = "/api/v1"
SIGNED_OUT = "You are signed out. Sign in again, and then repeat what you did."
FORGED = "This form is too old, or it was not made by this page. Open the page again, and send it once more."
HTTP_SENTENCES = {404: "There is no such page.", 405: "This page does not take that."}


def make_application(desk: Desk) -> Guard:
    """All pages over the things that they share."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.desk = desk
    app.include_router(assets.router)
    app.include_router(probes.router)
    for router, is_open in pages.routers():  # only the sign-in page is open to strangers
        app.include_router(router, dependencies=[] if is_open else [Depends(checked_form)])
    app.mount(API_PATH, make_api(desk))
    handlers: dict[type[Exception], Any] = {
        SignedOutError: _signed_out,
        ForgedFormError: lambda request, error: problem_page(request, Problem.of(403, FORGED)),
        HTTPException: _http_error,
        RequestValidationError: lambda request, error: problem_page(
            request, Problem.of(404, HTTP_SENTENCES[404])
        ),
        TooManyAttemptsError: lambda request, error: _later(
            request, Problem.of(429, str(error)), error.seconds
        ),
        BusyError: lambda request, error: _later(request, problem_of(error), RETRY_SECONDS),
        TooLargeError: lambda request, error: problem_page(request, Problem.of(413, str(error))),
        AllotmentError: lambda request, error: problem_page(request, desk.problem_of(error)),
        Exception: lambda request, error: problem_page(request, problem_of(error)),
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, _awaited(handler))
    return Guard(app, desk.front, refusal)


def _awaited(handler: Any) -> Any:
    """A handler as Starlette runs it on its own thread: it renders text, which takes no time."""

    async def handle(request: Request, error: Exception) -> Response:
        answer: Response = handler(request, error)
        return answer

    return handle


def _signed_out(request: Request, error: Exception) -> Response:
    if request.method in SAFE:
        return RedirectResponse("/sign-in", status_code=303)
    return problem_page(request, Problem.of(403, SIGNED_OUT))


def _later(request: Request, problem: Problem, seconds: int) -> Response:
    """A page that says when to try again."""
    answer = problem_page(request, problem)
    answer.headers["retry-after"] = str(seconds)
    return answer


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = HTTP_SENTENCES.get(error.status_code, "This request cannot be answered.")
    return problem_page(request, Problem.of(error.status_code, sentence))
