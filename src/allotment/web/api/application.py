"""The application of the API: its routes, its errors as problem+json, its description."""

from functools import cache
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from allotment.errors import AllotmentError
from allotment.web.api import campaigns, places, plans, questions, records, situations
from allotment.web.api.door import Door
from allotment.web.api.problem_answers import problem_answer
from allotment.web.api.schemas import describe, problems
from allotment.web.requests.problems import RETRY_SECONDS, BusyError, Problem, problem_for_team, problem_of
from allotment.web.security.guard import TooLargeError

if TYPE_CHECKING:
    from allotment.web.desk import Desk

SHARED = problems(400, 401, 403, 404, 413, 415, 422, 429, 503)  # which any route may answer with
SENTENCES = {404: "There is no such address.", 405: "This address does not take that method."}


def make_api(desk: "Desk") -> Door:
    """The API over what all requests of a server share."""
    app = FastAPI(
        openapi_url="/openapi.json", docs_url=None, redoc_url=None, redirect_slashes=False, responses=SHARED
    )
    app.state.desk = desk
    for room in (campaigns, plans, places, situations, questions, records):
        app.include_router(room.router)
    app.openapi = cache(lambda: dict(describe(app)))  # type: ignore[method-assign]
    handlers: dict[type[Exception], Any] = {
        AllotmentError: lambda request, error: problem_answer(problem_for_team(error)),
        RequestValidationError: _invalid,
        HTTPException: _http_error,
        BusyError: lambda request, error: problem_answer(
            problem_of(error), {"retry-after": str(RETRY_SECONDS)}
        ),
        TooLargeError: lambda request, error: problem_answer(Problem.of(413, str(error))),
        Exception: lambda request, error: problem_answer(problem_of(error)),
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    return Door(app, desk)


def _invalid(request: Request, error: Any) -> Response:
    """What is wrong with the form of a request, in a sentence."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    more = len(error.errors()) - 1
    rest = f" ({more} more)" if more else ""
    return problem_answer(Problem.of(422, f"{where}: {first['msg']}{rest}."[:1000]))


def _http_error(request: Request, error: Any) -> Response:
    sentence = SENTENCES.get(error.status_code, "This request cannot be read.")
    return problem_answer(Problem.of(error.status_code, sentence), error.headers)
