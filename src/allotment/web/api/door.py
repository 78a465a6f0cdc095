"""The door of the API: without a valid token, nothing of a request is read."""

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from allotment.campaign.access.tokens import Token
from allotment.errors import AllotmentError
from allotment.web.api.problem_answers import problem_answer
from allotment.web.requests.problems import Problem, problem_for_team
from allotment.web.security.attempts import TooManyAttemptsError
from allotment.web.security.guard import Application, Receive, Scope, Send

if TYPE_CHECKING:
    from allotment.web.desk import Desk

OPEN = "/openapi.json"  # the description of the API, which holds nothing of a store
NO_TOKEN = "This needs a valid token in the header Authorization: Bearer al_…"


class Door:
    """The application of the API behind a check of the token, which requests then carry."""

    def __init__(self, application: Application, desk: "Desk") -> None:
        self.application, self.desk = application, desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not."""
        request = Request(scope)
        if scope["path"] == scope.get("root_path", "") + OPEN:
            await self.application(scope, receive, send)
            return
        try:
            token = await run_in_threadpool(self._token, request)
        except TooManyAttemptsError as error:
            answer = problem_answer(Problem.of(429, str(error)), {"retry-after": str(error.seconds)})
        except AllotmentError as error:
            answer = problem_answer(problem_for_team(error))
        else:
            if token is not None:
                request.state.token, request.state.who = token, token.name
                await self.application(scope, receive, send)
                return
            answer = problem_answer(Problem.of(401, NO_TOKEN), {"www-authenticate": "Bearer"})
        await answer(scope, receive, send)

    def _token(self, request: Request) -> Token | None:
        """The token of a request; None if there is none or it is not valid. Wrong ones are counted."""
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not text:
            return None
        token = self.desk.tokens.find(text.strip())
        if token is None:
            self.desk.attempts.fail(request.state.caller)
        return token
