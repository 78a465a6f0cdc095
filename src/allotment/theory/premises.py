"""The premises of the paper's statements. A problem that does not meet one gets a sentence that says so."""

import math

import numpy as np

from allotment.candidates import arms_covered
from allotment.checks import open_unit, positive
from allotment.errors import NotApplicableError
from allotment.tolerance import slack_of
from allotment.worlds.problem import Problem

CORRECTED, PRINTED = "corrected", "printed"
FORMS = (CORRECTED, PRINTED)


def arms_to_cover(problem: Problem) -> int:
    """M, the number of arms that the budget covers, for arms that share one threshold."""
    check_severities(problem)
    if np.ptp(problem.thresholds) > problem.slack:
        raise NotApplicableError(
            "the thresholds differ; this result is for one threshold that all arms share"
        )
    return arms_covered(float(problem.thresholds.max()), problem.arms, problem.budget)


def check_margin(problem: Problem) -> None:
    """Raise an error if the last arm to cover and the first one to leave have equal loss rates."""
    covered, rates = arms_to_cover(problem), np.sort(problem.loss_rates)
    if 0 < covered < rates.size and rates[-covered] - rates[-covered - 1] <= slack_of(1.0):
        raise NotApplicableError(
            f"the last arm to cover and the first to leave lose equally often, {rates[-covered]:g}; "
            f"the theorem needs them apart"
        )


def usable_gamma(problem: Problem, gamma: float | None, *, most: float = math.inf) -> float:
    """Return γ: as given and at most `most`, or the problem's own, which must be above 0."""
    check_severities(problem)
    if problem.best.hopeless and (gamma is None or most == 0.0):
        raise NotApplicableError(
            "the best choice needs the whole budget (gamma = 0), so thresholds found to within any gamma > 0 "
            "may not suffice, and the bound says nothing"
        )
    if gamma is None:
        return problem.best.gamma
    if positive("gamma", gamma) > most + slack_of(1.0):
        raise NotApplicableError(f"gamma is {gamma:g}; the bound holds up to the problem's own, {most:g}")
    return gamma


def check_severities(problem: Problem) -> None:
    """Raise an error unless it is the paper's world, in which every loss costs 1."""
    check_steps(problem)
    if (problem.severities != 1.0).any():
        raise NotApplicableError(
            "severities differ from 1; the paper's results are for losses that cost 1 each"
        )


def check_steps(problem: Problem) -> None:
    """Raise an error unless it is the paper's world: yes/no losses that a grant at the threshold prevents."""
    if not isinstance(problem, Problem):
        raise NotApplicableError(
            "the world is not one problem for all rounds, which the paper's results are for"
        )
    _ = problem.thresholds  # which says why there are none
    for other, what in (
        (problem.leak.any(), "losses leak"),
        (problem.unit is not None, "amounts count in whole units"),
        (problem.sees != "losses", "finds are seen, not losses"),
        (problem.losses != "binary", "losses are counted"),
    ):
        if other:
            raise NotApplicableError(f"{what} here; the paper's results are for steps without that")


def check_rates(problem: Problem, epsilon: float) -> None:
    """Raise an error unless every loss rate is at least ε."""
    lowest = float(problem.loss_rates.min())
    if lowest < open_unit("epsilon", epsilon):
        raise NotApplicableError(
            f"the lowest loss rate is {lowest:g}, below epsilon = {epsilon:g}; the theorem needs every loss "
            f"rate to be at least epsilon"
        )


def check_horizon(horizon: int, rounds: float) -> None:
    """Raise an error unless the horizon is longer than the search."""
    if horizon <= rounds:
        raise NotApplicableError(
            f"the search may take {rounds:g} rounds; the theorem needs a horizon longer than that, "
            f"not {horizon}"
        )
