"""Questions to a campaign that write nothing: status, evidence, frontier, what-if, forecast, record."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from allotment.campaign.answers.checks.finding import Checkup
from allotment.campaign.answers.effect.effect import Effect
from allotment.campaign.answers.effect.effect_duration import Duration
from allotment.campaign.answers.forecast import Forecast
from allotment.campaign.answers.frontier import Frontier
from allotment.campaign.answers.status import Status
from allotment.campaign.answers.track_record import TrackRecord
from allotment.campaign.campaign import EvidenceRow, SituationEvidenceRow
from allotment.campaign.planning.tried_plan import TriedPlan
from allotment.web.api.answers import as_json, kept_json, long_json, recent_json
from allotment.web.api.bodies import WhatIf
from allotment.web.api.calls import Reads, Situation
from allotment.web.api.schemas import answers, problems
from allotment.web.api.turns import turn

router = APIRouter(prefix="/campaigns/{campaign}", tags=["questions"])
STATUS_SECONDS = 10.0  # how old a status may be
MOST_ROUNDS = 1000


@router.get("/status", responses=answers(Status) | problems(409))
def status(call: Reads, situation: Situation = None) -> Response:
    """Show what is known of every place, in a situation or else in the first one of today.

    It may be 10 s old; the header Age says how old.
    """
    return recent_json(call, (situation,), lambda: call.campaign.status(situation=situation), STATUS_SECONDS)


@router.get("/evidence", responses=answers(list[EvidenceRow] | list[SituationEvidenceRow]))
def evidence(call: Reads) -> Response:
    """Show rounds and losses by place and amount, and by situation if the campaign has several."""
    return kept_json(call, (), call.campaign.evidence)


@router.get("/frontier", responses=answers(Frontier) | problems(409))
def frontier(
    call: Reads,
    target: Annotated[float | None, Query(allow_inf_nan=False)] = None,
    cost: bool = False,
    situation: Situation = None,
) -> Response:
    """Show expected losses against budget; with a target, the smallest budget that reaches it.

    A round is one of the situation, or else of the first situation of today.
    """

    def compute() -> Frontier:
        return call.campaign.frontier(target=target, cost=cost, situation=situation)

    return long_json(call, "frontier", (target, cost, situation), compute)


@router.post("/what-if", responses=answers(TriedPlan) | problems(409))
def what_if(call: Reads, body: WhatIf) -> Response:
    """Show the plan that would come next if something were otherwise. Nothing is written."""
    with turn(call, "what-if"):
        return as_json(call.campaign.what_if(**body.given()))


@router.get("/effect", responses=answers(Effect) | problems(404, 409))
def effect(call: Reads) -> Response:
    """Show the losses that plans prevent, compared with control rounds."""
    return kept_json(call, (), call.campaign.effect)


@router.get("/effect/duration", responses=answers(Duration) | problems(409))
def effect_duration(
    call: Reads,
    share: Annotated[float | None, Query(allow_inf_nan=False)] = None,
    prevented: Annotated[float | None, Query(allow_inf_nan=False)] = None,
    situation: Situation = None,
) -> Response:
    """Show how many rounds control rounds need to show an effect, and what they cost until then."""

    def compute() -> Duration:
        return call.campaign.effect_duration(share=share, prevented=prevented, situation=situation)

    return long_json(call, "duration of the effect", (share, prevented, situation), compute)


@router.get("/forecast", responses=answers(Forecast) | problems(409))
def forecast(call: Reads, rounds: Annotated[int, Query(ge=1, le=MOST_ROUNDS)]) -> Response:
    """Show the losses to expect in the next rounds, whose situations the calendar gives."""
    return long_json(call, "forecast", (rounds,), lambda: call.campaign.forecast(rounds))


@router.get("/record", responses=answers(TrackRecord))
def record(call: Reads, by: Literal["month", "week", "situation", "group", "place"] = "month") -> Response:
    """Show what plans expected beside what happened, by month or otherwise."""
    return long_json(call, "record", (by,), lambda: call.campaign.record(by=by))


@router.get("/check", responses=answers(Checkup) | problems(409))
def check(call: Reads) -> Response:
    """Show whether the world still looks as the model assumes: the result of each check."""
    return long_json(call, "check", (), call.campaign.checkup)
