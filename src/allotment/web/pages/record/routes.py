"""Record: what plans expected beside what happened; the same by month as a page to print."""

from collections.abc import Callable

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.campaign.answers.effect.effect import Effect
from allotment.campaign.answers.frontier import Frontier
from allotment.campaign.answers.record_sums import KINDS, MONTH
from allotment.campaign.answers.track_record import TrackRecord
from allotment.checks import one_of
from allotment.errors import AllotmentError
from allotment.web.pages.record.view import print_view, record_view
from allotment.web.rendering.rendering import page
from allotment.web.requests.visits import Here, Visit
from allotment.web.work.frontier_question import frontier_question
from allotment.web.work.kept_answers import Question, kept_answer

router = APIRouter()


@router.get("/c/{number}/record")
def record_page(request: Request, visit: Here, by: str = MONTH) -> Response:
    """The record by month, or by what the address asks for."""
    one_of("by", by, KINDS)
    found = _record(visit, by, f"{visit.path}/record?by={by}")
    return page(request, "record/record.html", record_view(visit.campaign, by, found, _effect(visit)))


@router.get("/c/{number}/record/print")
def record_to_print(request: Request, visit: Here) -> Response:
    """The record by month, the effect and the worth of the next unit on one page of A4."""
    back, campaign = f"{visit.path}/record/print", visit.campaign
    record, problem = _record(visit, MONTH, back), None
    frontiers: list[Frontier | None] = []
    try:
        for situation in (campaign.settings.situations.names or (None,)) if campaign.settings.active else ():
            frontiers.append(kept_answer(visit, frontier_question(visit, situation, back)))
    except AllotmentError as error:  # no plan can be made: the record is there all the same
        problem = visit.desk.problem_of(error).sentence
    view = print_view(campaign, record, frontiers, problem, _effect(visit))
    return page(request, "record/print.html", view)


def _effect(visit: Visit) -> Callable[[], Effect]:
    """Finds the effect of plans. In a large campaign, a process of its own does."""
    return lambda: visit.dear.at_once(Effect, "effect")


def _record(visit: Visit, by: str, back: str) -> TrackRecord | None:
    """The record; None as long as it is being computed."""
    asked = Question(
        "record",
        TrackRecord,
        "Adding up the record",
        lambda running: visit.dear.answer(TrackRecord, "record", by=by),
        back,
        (by,),
    )
    found: TrackRecord | None = kept_answer(visit, asked)
    return found
