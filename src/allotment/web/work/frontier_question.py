"""The question for the frontier, which several pages show and which is computed once for all of them."""

from allotment.campaign.answers.frontier import Frontier
from allotment.web.requests.visits import Visit
from allotment.web.work.kept_answers import Question


def frontier_question(visit: Visit, situation: str | None, back: str) -> Question:
    """The frontier of a situation; `back` is the page that shows it."""
    return Question(
        "frontier",
        Frontier,
        "Computing the frontier",
        lambda running: visit.dear.answer(Frontier, "frontier", situation=situation),
        back,
        () if situation is None else (situation,),
    )
