"""Questions to a campaign that write nothing. Methods of `Campaign` that are questions become routes."""

from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from allotment.campaign.access.questions import READS, REPORTS, SEES, Question, questions_to
from allotment.campaign.answers.unreported import MOST_DAYS
from allotment.campaign.campaign import Campaign
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.web.api.answers import kept_json, long_json, recent_json
from allotment.web.api.bodies import WhatIf
from allotment.web.api.calls import Call, Day, Reads, Reports, Sees, Situation
from allotment.web.api.schemas import answers, problems
from allotment.web.api.turns import turn

router = APIRouter(prefix="/campaigns/{campaign}")
MOST_ROUNDS = 1000
CALLS: dict[str, Any] = {SEES: Sees, REPORTS: Reports, READS: Reads}
Number = Annotated[float | None, Query(allow_inf_nan=False)]
# What queries may hold, by the names of parameters. Others are as `Campaign` says.
QUERIES: dict[str, Any] = {
    "date": Day,
    "situation": Situation,
    "name": Annotated[str, Query(max_length=200)],
    "target": Number,
    "share": Number,
    "prevented": Number,
    "rounds": Annotated[int, Query(ge=1, le=MOST_ROUNDS)],
    "days": Annotated[int, Query(ge=1, le=MOST_DAYS)],
    "by": Literal["month", "week", "situation", "group", "place"],
}
LISTS = ("plans", "places", "situations")  # of which some questions are


def _add_route(name: str, method: Callable[..., Any], about: Question) -> None:
    taken = signature(method)

    def answer(call: Call, **given: Any) -> Response:
        ask = partial(call.dear.content, name) if about.dear else getattr(call.campaign, name)
        compute, arguments = partial(ask, **given), tuple(given.values())
        if about.work:
            return long_json(call, about.work, arguments, compute)
        if about.seconds:
            return recent_json(call, arguments, compute, about.seconds, dear=about.dear)
        return kept_json(call, arguments, compute, dear=about.dear)

    parameters = [
        each.replace(kind=Parameter.KEYWORD_ONLY, annotation=QUERIES.get(each.name, each.annotation))
        for each in taken.parameters.values()
        if each.name not in ("self", "progress")  # nobody hears of progress over HTTP
    ]
    asked_by = Parameter("call", Parameter.KEYWORD_ONLY, annotation=CALLS[about.of])
    vars(answer)["__signature__"] = Signature([asked_by, *parameters])
    first = about.path.partition("/")[0]
    router.add_api_route(
        f"/{about.path}",
        answer,
        name=name,
        description=(getdoc(method) or "").partition("\n")[0],
        responses=answers(taken.return_annotation) | problems(409),
        tags=[first if first in LISTS else "questions"],
    )


for name, (method, about) in questions_to(Campaign).items():
    _add_route(name, method, about)


@router.post("/what-if", responses=answers(TriedPlan) | problems(409), tags=["questions"])
def what_if(call: Reads, body: WhatIf) -> Response:
    """Show the plan that would come next if something were otherwise. Nothing is written."""
    with turn(call, "what-if"):
        return Response(call.dear.content("what_if", **body.given()), media_type="application/json")
