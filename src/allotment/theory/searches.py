"""How long the threshold searches may take: Lemma 2 and Lemma 4."""

import math

from allotment.candidates import candidate_thresholds
from allotment.checks import one_of
from allotment.policies._threshold_search import quiet_rounds_needed
from allotment.policies.csb_dt import CsbDt
from allotment.policies.csb_st import CsbSt
from allotment.policy import Setting
from allotment.theory.premises import CORRECTED, FORMS, arms_to_cover, usable_gamma
from allotment.worlds.problem import Problem


def csb_st_rounds(
    problem: Problem, *, delta: float = 0.1, epsilon: float = 0.1, form: str = CORRECTED
) -> float:
    """How long the threshold search of CSB-ST lasts at most: Lemma 2.

    ⌈W⌉·⌈log₂|Θ|⌉ always holds; as printed, W·log₂|Θ| without rounding, which the search can exceed.

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
        return policy.window(Setting(problem.arms, problem.budget)) * math.ceil(math.log2(size))
    return quiet_rounds_needed(math.log2(size), delta, epsilon, _probes(problem)) * math.log2(size)


def csb_dt_rounds(
    problem: Problem,
    *,
    delta: float = 0.1,
    epsilon: float = 0.1,
    gamma: float | None = None,
    form: str = CORRECTED,
) -> float:
    """How long the threshold search of CSB-DT lasts at most: Lemma 4. `gamma` is the problem's unless given.

    As printed, K·W·log₂⌈1 + 1/γ⌉/P with P = max(1, ⌊Q⌋), without rounding. In whole numbers: an arm takes at
    most S = 1 + ⌈log₂(1/γ)⌉ steps (the first guess need not halve its interval), of at most ⌈W⌉ rounds each
    in which it is granted its guess; whenever the last arm has to wait, P others are granted theirs. So
    ⌊S·⌈W⌉·(1 + (K-1)/P)⌋ always holds.
    """
    gamma = usable_gamma(problem, gamma)
    policy = CsbDt(delta, epsilon, gamma)
    arms, probes = problem.arms, _probes(problem)
    if one_of("form", form, FORMS) == CORRECTED:
        steps = 1 + max(0, math.ceil(math.log2(1.0 / gamma)))
        return steps * policy.window(Setting(arms, problem.budget)) * (probes + arms - 1) // probes
    guesses = math.log2(math.ceil(1.0 + 1.0 / gamma))
    return arms * quiet_rounds_needed(arms * guesses, delta, epsilon) / probes * guesses


def _probes(problem: Problem) -> int:
    """How many arms can always be tried at once: max(1, ⌊Q⌋)."""
    return max(1, math.floor(problem.budget + problem.slack))
