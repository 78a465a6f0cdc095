"""Bounds on the length of threshold searches: Lemma 2 and Lemma 4."""

import math

from allotment.candidates import candidate_thresholds
from allotment.checks import one_of
from allotment.policies._threshold_search import quiet_rounds_needed
from allotment.policies.base.policy import Setting
from allotment.policies.csb_dt import CsbDt
from allotment.policies.csb_st import CsbSt
from allotment.theory.premises import CORRECTED, FORMS, arms_to_cover, usable_gamma
from allotment.tolerance import ceil_with_tolerance
from allotment.worlds.problem import Problem


def csb_st_rounds(
    problem: Problem, *, delta: float = 0.1, epsilon: float = 0.1, form: str = CORRECTED
) -> float:
    """The largest number of rounds of CSB-ST's threshold search (Lemma 2).

    ⌈W⌉·⌈log₂|Θ|⌉ always holds. The printed form, W·log₂|Θ|, does not round, and the search can exceed it.

    Parameters
    ----------
    problem : Problem
        A problem whose arms share one threshold.
    delta : float
        δ, the probability of a wrong threshold.
    epsilon : float
        ε, a lower bound on all loss rates.
    form : {"corrected", "printed"}
        The corrected bound, or the bound as printed in the paper.

    Returns
    -------
    float
        The number of rounds.

    Raises
    ------
    NotApplicableError
        If the arms do not share one threshold.

    Examples
    --------
    >>> problem = Problem.named("paper-1")
    >>> csb_st_rounds(problem), round(csb_st_rounds(problem, form="printed"), 2)
    (20, 18.79)
    """
    arms_to_cover(problem)
    policy = CsbSt(delta, epsilon)
    size = candidate_thresholds(problem.arms, problem.budget).size
    corrected = one_of("form", form, FORMS) == CORRECTED
    if size < 2:
        return 0
    if corrected:
        return policy.window(Setting(problem.arms, problem.budget)) * (size - 1).bit_length()
    return quiet_rounds_needed(math.log2(size), delta, epsilon, _probes(problem)) * math.log2(size)


def csb_dt_rounds(
    problem: Problem,
    *,
    delta: float = 0.1,
    epsilon: float = 0.1,
    gamma: float | None = None,
    form: str = CORRECTED,
) -> float:
    """The largest number of rounds of CSB-DT's threshold search (Lemma 4).

    The printed form is K·W·log₂⌈1 + 1/γ⌉/P with P = max(1, ⌊Q⌋), without rounding. The corrected form,
    ⌊S·⌈W⌉·(1 + (K-1)/P)⌋, counts whole rounds. An arm takes at most S = 1 + ⌈log₂(1/γ)⌉ steps, since its
    first guess need not halve the interval. Each step takes at most ⌈W⌉ rounds with a grant. While the last
    arm waits, P other arms get their grants.

    Parameters
    ----------
    problem : Problem
        A problem with thresholds.
    delta : float
        δ, the probability of a wrong threshold.
    epsilon : float
        ε, a lower bound on all loss rates.
    gamma : float, optional
        γ, the precision of the search. The problem's own γ by default.
    form : {"corrected", "printed"}
        The corrected bound, or the bound as printed in the paper.

    Returns
    -------
    float
        The number of rounds.

    Raises
    ------
    NotApplicableError
        If the problem has no thresholds, or its γ is 0 and none is given.
    """
    gamma = usable_gamma(problem, gamma)
    policy = CsbDt(delta, epsilon, gamma)
    arms, probes = problem.arms, _probes(problem)
    if one_of("form", form, FORMS) == CORRECTED:
        steps = 1 + max(0, ceil_with_tolerance(math.log2(1.0 / gamma)))
        return steps * policy.window(Setting(arms, problem.budget)) * (probes + arms - 1) // probes
    guesses = math.log2(ceil_with_tolerance(1.0 + 1.0 / gamma))
    return arms * quiet_rounds_needed(arms * guesses, delta, epsilon) / probes * guesses


def _probes(problem: Problem) -> int:
    """The number of arms that can always be tried at once: max(1, ⌊Q⌋)."""
    return max(1, math.floor(problem.budget + problem.slack))
