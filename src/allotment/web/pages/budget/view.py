"""What Budget shows, as plain data: the frontier, the budget for a target, the forecast."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from allotment.campaign.answers.forecast import ADDED_UP, Forecast
from allotment.campaign.answers.frontier import LOSSES, TARGET, WORTH, X_LABEL, Frontier
from allotment.campaign.campaign import Campaign
from allotment.campaign.forms.amounts import plain
from allotment.campaign.forms.answer import about, besides
from allotment.campaign.planning.expectations import is_weighted
from allotment.plots.bands import Band, BandPanel
from allotment.web.charts.bands import band_chart
from allotment.web.pages.budget.what_if import WhatIf
from allotment.web.requests.situation_choice import SituationChoice, settings_within

POINTS = 120  # of a line in a chart
MOST_ROUNDS = 1000  # of a forecast on this page
USUAL_ROUNDS = "30"


@dataclass(frozen=True)
class Numbers:
    """Charts, their table, and what there is to say about them."""

    charts: tuple[Markup, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """The form for a target, and its answer."""

    typed: str = ""
    is_cost: bool = False
    answer: str | None = None
    reached: int | float | None = None  # the smallest budget that reaches it
    problem: str | None = None


@dataclass(frozen=True)
class ForecastForm:
    """The form for a forecast, and what is wrong with it."""

    typed: str = USUAL_ROUNDS
    problem: str | None = None


@dataclass(frozen=True)
class BudgetView:
    """The whole page."""

    situations: SituationChoice
    budget: int | float
    places: int
    weighted: bool
    now: str | None  # what is expected with the budget of now
    frontier: Numbers | None
    problem: str | None  # why there is no frontier
    target: Target
    what_if: WhatIf
    forecast: Numbers | None
    forecast_rounds: int
    forecast_form: ForecastForm


def budget_view(
    campaign: Campaign,
    choice: SituationChoice,
    frontier: Frontier | None,
    forecast: Forecast | None,
    target: Target,
    what_if: WhatIf,
    form: ForecastForm,
    problem: str | None = None,
) -> BudgetView:
    """The page; answers are None as long as they are not computed."""
    settings = campaign.settings
    found = None if frontier is None else frontier_numbers(frontier)
    if frontier is not None and frontier.target is not None:
        answer = about(frontier.sentences(), TARGET)[0]
        target = replace(target, answer=answer, reached=frontier.budget_for_target)
    return BudgetView(
        situations=choice,
        budget=plain(settings_within(settings, choice.chosen).budget),
        places=len(settings.active),
        weighted=is_weighted(settings),
        now=None if frontier is None else about(frontier.sentences(), WORTH)[0],
        frontier=found,
        problem=problem,
        target=target,
        what_if=what_if,
        forecast=None if forecast is None else forecast_numbers(forecast),
        forecast_rounds=0 if forecast is None else forecast.rounds,
        forecast_form=form,
    )


def frontier_numbers(frontier: Frontier) -> Numbers:
    """The frontier with today's budget marked, and what there is to say beside its worth."""
    charts = [
        band_chart(panel, X_LABEL, panel.title or LOSSES, at_label=f"budget now: {frontier.budget}")
        for panel in frontier.panels()
    ]
    return _numbers(charts, *frontier.table(), besides(frontier.sentences(), WORTH, TARGET))


def forecast_numbers(forecast: Forecast) -> Numbers:
    """The forecast with bands."""
    charts = [
        band_chart(_thinned(panel), "Rounds from now", panel.title or ADDED_UP) for panel in forecast.panels()
    ]
    return _numbers(charts, *forecast.table(), forecast.sentences())


def _numbers(
    charts: Sequence[Markup], columns: Sequence[str], rows: Sequence[Sequence[Any]], said: Sequence[str]
) -> Numbers:
    titles = tuple(f"{each[:1].upper()}{each[1:]}" for each in columns)
    return Numbers(tuple(charts), titles, tuple(map(tuple, rows)), tuple(said))


def _thinned(panel: BandPanel) -> BandPanel:
    """The same with fewer points, where a line has more than one can see."""
    bands = []
    for band in panel.bands:
        step = -(-len(band.x) // POINTS)
        kept = sorted({*range(0, len(band.x), step), len(band.x) - 1})
        columns = [[each[i] for i in kept] for each in (band.x, band.middle, band.low, band.high)]
        bands.append(Band(band.label, *columns))
    return replace(panel, bands=tuple(bands))
