"""What routes ask for: the campaign that a request names, whoever calls, and the key of a write."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Path, Query, Request

from allotment.campaign.access.rights import Rights
from allotment.campaign.access.sight import Sight, seen_by
from allotment.campaign.access.tokens import Token
from allotment.campaign.campaign import Campaign
from allotment.errors import InputError, shown
from allotment.web.desk import Desk
from allotment.web.requests.open_campaigns import missing_campaign
from allotment.web.requests.visits import desk_of
from allotment.web.security.page_rights import PLAN, READ, REPORT, has
from allotment.web.work.gate import Asker

LARGEST_NUMBER = 2**31 - 1  # of a campaign
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]([ -~]*[!-~])?$",
        description="The same key with the same request has no further effect. It belongs to one token, "
        "campaign and route.",
    ),
]
Day = Annotated[str | None, Query(max_length=40, description="A date, or yesterday, today, tomorrow.")]
Situation = Annotated[str | None, Query(max_length=200, description="The name of a situation.")]


@dataclass(frozen=True)
class Caller:
    """Whoever calls, by their token."""

    token: Token
    desk: Desk
    route: str

    @property
    def rights(self) -> Rights:
        """What they may do."""
        return self.token.rights

    @property
    def sight(self) -> Sight:
        """What they see."""
        return seen_by(self.rights)

    def key(self, given: str | None) -> str | None:
        """An idempotency key of this token and route only, so that nobody replays the key of another."""
        if given is None:
            return None
        said = f"{self.token.id}\n{self.route}\n{given}"
        return f"api-{hashlib.sha256(said.encode()).hexdigest()[:40]}"


async def caller_of(request: Request) -> Caller:  # nothing here waits, so that it needs no thread
    """Whoever calls; the door has checked the token. A mistyped part of a query is not overlooked."""
    route = request.scope["route"]
    for name in request.query_params:
        if name not in (known := _query_of(request.app, route.path, request.method)):
            expected = f"one of {', '.join(sorted(known))}" if known else "no query"
            raise InputError(f"there is nothing called {shown(name)} in this query", expected, what=name)
    return Caller(request.state.token, desk_of(request), f"{request.method} {route.path}")


@cache
def _query_of(app: FastAPI, path: str, method: str) -> frozenset[str]:
    """The names that the query of a route may hold, as the API describes it."""
    parameters = app.openapi()["paths"][path][method.lower()].get("parameters", [])
    return frozenset(each["name"] for each in parameters if each["in"] == "query")


AnyCaller = Annotated[Caller, Depends(caller_of)]


@dataclass(frozen=True)
class Call(Caller):
    """A call about a campaign."""

    number: int
    campaign: Campaign

    @property
    def dear(self) -> Asker:
        """Asks the campaign what takes time or memory."""
        return Asker(self.desk, self.rights, self.number, self.campaign)

    def seen(self, answer: Any) -> Any:
        """The part of an answer that the caller sees."""
        return self.sight.of(answer, self.campaign.settings)


def _call_with(right: str | None = None, words: str = "") -> Callable[..., Call]:
    """A call about a campaign that the caller sees, and in which the caller has a right."""

    def call(
        caller: AnyCaller,
        campaign: Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="The number of a campaign.")],
    ) -> Call:
        if not caller.rights.sees(campaign):
            raise missing_campaign(campaign)
        opened = caller.desk.campaigns.open(campaign, caller.rights.name)
        caller.rights.check(right is None or has(caller.rights, right), words)
        return Call(caller.token, caller.desk, caller.route, campaign, opened)

    return call


Sees = Annotated[Call, Depends(_call_with())]  # recorders, too: they see the plans of their places
Reads = Annotated[Call, Depends(_call_with(READ, "read this"))]
Reports = Annotated[Call, Depends(_call_with(REPORT, "report"))]
Plans = Annotated[Call, Depends(_call_with(PLAN, "do this"))]
