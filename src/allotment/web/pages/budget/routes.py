"""Budget: the frontier, the budget for a target, what-if, and the forecast."""

from dataclasses import replace
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from allotment.campaign.answers.forecast import Forecast
from allotment.campaign.answers.frontier import Frontier
from allotment.campaign.forms.amounts import exact
from allotment.campaign.planning.expectations import is_weighted
from allotment.checks import whole
from allotment.errors import AllotmentError, InputError
from allotment.web.pages.budget.view import (
    MOST_ROUNDS,
    ForecastForm,
    Target,
    budget_view,
)
from allotment.web.pages.budget.what_if import WhatIf, as_things_are, changes_in, typed_in
from allotment.web.pages.trials.trial import try_changes
from allotment.web.rendering.rendering import page
from allotment.web.requests.forms import SentForm
from allotment.web.requests.problems import Problem
from allotment.web.requests.situation_choice import SituationChoice, situation_choice
from allotment.web.requests.visits import Here, Visit
from allotment.web.work.frontier_question import frontier_question
from allotment.web.work.jobs import Running, follow
from allotment.web.work.kept_answers import Question, kept_answer, start_answer

router = APIRouter()


@router.get("/c/{number}/budget")
def budget_page(
    request: Request,
    visit: Here,
    target: str = "",
    of: str = "losses",
    budget: str = "",
    situation: str = "",
) -> Response:
    """The frontier; with a target, the smallest budget that reaches it. What-if begins with `budget`."""
    asked = Target(target.strip(), of == "cost" and is_weighted(visit.campaign.settings))
    choice = situation_choice(visit.campaign, situation)
    if not asked.typed:
        first = as_things_are(visit.campaign.settings, choice.chosen)
        return _page(request, visit, choice, asked, what_if=replace(first, budget=budget or first.budget))
    try:
        aim = float(exact("target", asked.typed))
        frontier = _frontier(visit, choice, aim, of_cost=asked.is_cost)
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        refused = replace(asked, problem=problem.sentence)
        return _page(request, visit, choice, refused, status=problem.status)
    return _page(request, visit, choice, asked, frontier=frontier)


@router.post("/c/{number}/budget/what-if")
def what_if(request: Request, visit: Here, form: SentForm) -> Response:
    """Try another budget, bounds, groups, crews or moves. Nothing is written."""
    settings = visit.campaign.settings
    typed, choice = typed_in(form, settings), situation_choice(visit.campaign, form.text("situation"))
    if form.flag("another"):
        return _page(request, visit, choice, what_if=typed)
    try:
        changes = changes_in(typed, settings, choice.chosen)
        return try_changes(visit, changes, _path(visit, choice), choice.chosen)
    except AllotmentError as error:
        return _page(request, visit, choice, what_if=typed, what_if_problem=visit.desk.problem_of(error))


@router.post("/c/{number}/budget/forecast")
def forecast(request: Request, visit: Here, form: SentForm) -> Response:
    """Compute the forecast, which takes some seconds."""
    typed = form.text("rounds") or ""
    try:
        rounds = _rounds(typed)
        title = f"Computing the forecast of {rounds} rounds"

        def compute(running: Running) -> Forecast:
            def say(share: float) -> None:
                running.say(f"About {100 * share:.0f} % done.")

            return visit.dear.answer(Forecast, "forecast", rounds=rounds, progress=say)

        back = f"{visit.path}/budget#forecast"
        asked = Question("forecast", Forecast, title, compute, back, (str(rounds),))
        return follow(start_answer(visit, asked))
    except AllotmentError as error:
        problem = visit.desk.problem_of(error)
        refused = ForecastForm(typed, problem.sentence)
        choice = situation_choice(visit.campaign)
        return _page(request, visit, choice, forecast_form=refused, status=problem.status)


def _rounds(typed: str) -> int:
    if not typed.isascii() or not typed.isdecimal() or len(typed) > 9:
        raise InputError.of("the number of rounds", typed, f"a whole number from 1 to {MOST_ROUNDS}")
    return whole("the number of rounds", int(typed), least=1, most=MOST_ROUNDS)


def _path(visit: Visit, choice: SituationChoice, **query: str) -> str:
    """The address of the page in a situation."""
    asked = query if choice.chosen is None else {**query, "situation": choice.chosen}
    return f"{visit.path}/budget" + (f"?{urlencode(asked)}" if asked else "")


def _frontier(
    visit: Visit, choice: SituationChoice, target: float | None = None, *, of_cost: bool = False
) -> Frontier | None:
    """The frontier; None as long as it is being computed. With a target it is another kind of work."""
    asked = frontier_question(visit, choice.chosen, _path(visit, choice))
    if target is not None:
        back = _path(visit, choice, target=f"{target:.12g}", of="cost" if of_cost else "losses")
        asked = Question(
            "target",
            Frontier,
            "Finding the budget for the target",
            lambda running: visit.dear.answer(
                Frontier, "frontier", target=target, cost=of_cost, situation=choice.chosen
            ),
            f"{back}#target",
            (repr(target), str(of_cost), *asked.arguments),
        )
    found: Frontier | None = kept_answer(visit, asked)
    return found


def _page(
    request: Request,
    visit: Visit,
    choice: SituationChoice,
    target: Target | None = None,
    *,
    frontier: Frontier | None = None,
    what_if: WhatIf | None = None,
    what_if_problem: Problem | None = None,
    forecast_form: ForecastForm | None = None,
    status: int = 200,
) -> Response:
    """The page, with answers that are kept or quickly computed."""
    campaign, wrong = visit.campaign, None
    if frontier is None:
        try:
            frontier = _frontier(visit, choice) if campaign.settings.active else None
        except AllotmentError as error:  # the bounds cannot be met: what-if may help
            wrong = visit.desk.problem_of(error).sentence
    typed = what_if or as_things_are(campaign.settings, choice.chosen)
    if what_if_problem is not None:
        typed, status = replace(typed, problem=what_if_problem.sentence), what_if_problem.status
    view = budget_view(
        campaign,
        choice,
        frontier,
        visit.desk.kept.find(visit, "forecast", Forecast),
        target or Target(),
        typed,
        forecast_form or ForecastForm(),
        wrong,
    )
    return page(request, "budget/budget.html", view, status=status)
