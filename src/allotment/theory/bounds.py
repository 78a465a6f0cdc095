"""The paper's bounds on regret, as numbers for a given problem.

Where a statement is wrong as printed, `form` chooses: "corrected" (the default) is what its repaired proof
gives, "printed" is the statement itself. Where a statement does not apply to a problem, the functions raise
NotApplicableError with the reason. docs/explanation/theory.md lists the corrections.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from allotment.arrays import ArrayLike, FloatArray
from allotment.checks import number, one_of, positive, whole
from allotment.errors import NotApplicableError
from allotment.policies._threshold_search import ONE_OVER_T, resolved_delta
from allotment.policies.base.policy import Setting
from allotment.special import divergence
from allotment.theory.gaps import largest_gap, smallest_gap, suboptimal_sets
from allotment.theory.premises import (
    CORRECTED,
    FORMS,
    PRINTED,
    arms_to_cover,
    check_horizon,
    check_margin,
    check_rates,
    check_severities,
    usable_gamma,
)
from allotment.theory.searches import csb_dt_rounds, csb_st_rounds
from allotment.tolerance import slack_of
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class RegretBound:
    """An upper bound on regret, term by term. It keeps logarithms, since some terms exceed any float.

    Attributes
    ----------
    log_terms : mapping of str to float
        The logarithm of each term.
    """

    log_terms: Mapping[str, float]

    @property
    def terms(self) -> dict[str, float]:
        """Each term; inf if it is too large for a float."""
        return {name: _exp(log) for name, log in self.log_terms.items()}

    @property
    def log_total(self) -> float:
        """The logarithm of the bound."""
        return _log_sum(list(self.log_terms.values()))

    @property
    def total(self) -> float:
        """The bound; inf if it is too large for a float."""
        return _exp(self.log_total)

    def __float__(self) -> float:
        return self.total


def lower_bound(problem: Problem, horizon: int, *, form: str = CORRECTED) -> float:
    """The asymptotic lower bound on regret (equation 3 times log T).

    With one threshold, known or not, every uniformly good policy has a regret of at least about Σ (μ_i -
    μ_{K-M})/d(μ_i, μ_{K-M}) · log T. The sum goes over the arms i that should be covered. The printed form
    has d(μ_{K-M}, μ_i) instead. Arms that tie with μ_{K-M} add nothing.

    Parameters
    ----------
    problem : Problem
        A problem whose arms share one threshold.
    horizon : int
        T, the number of rounds.
    form : {"corrected", "printed"}
        The corrected bound, or the bound as printed in the paper.

    Returns
    -------
    float
        The bound.

    Raises
    ------
    NotApplicableError
        If the arms do not share one threshold.

    Examples
    --------
    >>> problem = Problem([0.5, 0.25], thresholds=1.0, budget=1.0)
    >>> round(lower_bound(problem, 1000), 4), round(lower_bound(problem, 1000, form="printed"), 4)
    (12.0059, 13.2017)
    """
    horizon = whole("horizon", horizon, least=1)
    return _rate(problem, form) * math.log(horizon)


def csb_st_regret(
    problem: Problem,
    horizon: int,
    *,
    delta: float | str = "1/T",
    epsilon: float = 0.1,
    constant: float = 1.0,
    form: str = CORRECTED,
) -> RegretBound:
    """The upper bound on the regret of CSB-ST (Theorem 1).

    Its terms are:

    - "search": the longest search, at the largest gap ∇_m per round;
    - "wrong threshold": the expected cost of a failed search, δ·T·∇_m, which the printed form leaves out;
    - "lower order": `constant`·(log T)^(2/3);
    - "learning": equation 3 times log T.

    Parameters
    ----------
    problem : Problem
        A problem whose arms share one threshold.
    horizon : int
        T, the number of rounds.
    delta : float or "1/T"
        δ, the probability of a wrong threshold. A number gives the form of the supplement, which holds with
        probability 1 - δ and does not count failed searches.
    epsilon : float
        ε, a lower bound on all loss rates.
    constant : float
        The constant of the lower-order term, which the paper leaves open.
    form : {"corrected", "printed"}
        The corrected bound, or the bound as printed in the paper.

    Returns
    -------
    RegretBound
        The bound.

    Raises
    ------
    NotApplicableError
        If the theorem does not apply to the problem.
    """
    horizon = whole("horizon", horizon, least=1)
    learning = _rate(problem, form)
    check_margin(problem)
    check_rates(problem, epsilon)
    rounds = csb_st_rounds(problem, delta=_chance(delta, problem, horizon), epsilon=epsilon, form=form)
    check_horizon(horizon, rounds)
    lower_order = _log(positive("constant", constant)) + 2 / 3 * _log(math.log(horizon))
    return RegretBound(
        _search_terms(problem, rounds, delta, form)
        | {"lower order": lower_order, "learning": _log(learning) + _log(math.log(horizon))}
    )


def csb_dt_regret(
    problem: Problem,
    horizon: int,
    *,
    delta: float | str = "1/T",
    epsilon: float = 0.1,
    gamma: float | None = None,
    eta: float | None = None,
    alpha: float = 1.0,
    form: str = CORRECTED,
) -> RegretBound:
    """The upper bound on the regret of CSB-DT (Theorem 2).

    Let k* be the number of arms that the optimum leaves uncovered. The terms are:

    - "search" and "wrong threshold", as in `csb_st_regret`;
    - "learning": Σ_i max 8|S|·log T/(∇_S - 2(k*² + 2)η) over suboptimal sets S that leave arm i uncovered;
    - "neighbourhood": K(K-⌊Q⌋)²/η² times ∇_m (the printed form does not round Q);
    - "start": 8α₁/η²·(4/η²+1)^{k*}·log(k*/η²) times ∇_m;
    - "constant": 3K times ∇_m.

    Parameters
    ----------
    problem : Problem
        The problem.
    horizon : int
        T, the number of rounds.
    gamma : float, optional
        γ, the precision of the threshold search. The largest allowed by default.
    eta : float, optional
        η, any number with 2(k*² + 2)η < ∇_min. Half of the largest by default.
    alpha : float
        α₁, a constant that the paper leaves open.
    delta, epsilon, form
        δ, ε, and the corrected or the printed bound, as in `csb_st_regret`.

    Returns
    -------
    RegretBound
        The bound.

    Raises
    ------
    NotApplicableError
        If the theorem does not apply to the problem.
    """
    horizon = whole("horizon", horizon, least=1)
    check_severities(problem)
    gamma = usable_gamma(problem, gamma, most=problem.best.gamma)
    check_rates(problem, epsilon)
    chance = _chance(delta, problem, horizon)
    rounds = csb_dt_rounds(problem, delta=chance, epsilon=epsilon, gamma=gamma, form=form)
    check_horizon(horizon, rounds)
    terms = _search_terms(problem, rounds, delta, form)
    return RegretBound(terms | _cts_terms(problem, horizon, eta, positive("alpha", alpha), form))


def regret_order(problem: Problem, horizon: int, *, constant: float = 1.0) -> float:
    """The order of CSB-DT's regret: `constant`·K·log T/∇_min.

    Parameters
    ----------
    problem : Problem
        The problem.
    horizon : int
        T, the number of rounds.
    constant : float
        The constant, which the paper leaves open.

    Returns
    -------
    float
        The order.

    Raises
    ------
    NotApplicableError
        If severities differ, or every allocation is optimal.
    """
    horizon = whole("horizon", horizon, least=1)
    check_severities(problem)
    return positive("constant", constant) * problem.arms * math.log(horizon) / smallest_gap(problem)


def over_rounds(
    bound: Callable[[Problem, int], float | RegretBound], problem: Problem, rounds: ArrayLike
) -> FloatArray:
    """Compute a bound at several rounds, to draw it beside regret.

    Parameters
    ----------
    bound : callable
        A function of (problem, horizon), such as `lower_bound`.
    problem : Problem
        The problem.
    rounds : array_like
        The rounds.

    Returns
    -------
    FloatArray
        The bound at each round; NaN where it does not apply yet.

    Examples
    --------
    >>> over_rounds(lower_bound, Problem([0.5, 0.25], 1.0, 1.0), [1, 10, 100]).round(3).tolist()
    [0.0, 4.002, 8.004]
    """
    values = []
    for t in np.asarray(rounds).tolist():
        try:
            values.append(float(bound(problem, t)))
        except NotApplicableError:
            values.append(math.nan)
    return np.array(values)


def _rate(problem: Problem, form: str) -> float:
    """The factor of log T in equation 3."""
    one_of("form", form, FORMS)
    covered, rates = arms_to_cover(problem), np.sort(problem.loss_rates)
    if covered in (0, rates.size):
        return 0.0
    margin = float(rates[-covered - 1])
    total = 0.0
    for rate in rates[-covered:].tolist():
        if rate - margin > slack_of(1.0):
            pair = (rate, margin) if form == CORRECTED else (margin, rate)
            total += (rate - margin) / divergence(*pair)
    return total


def _chance(delta: float | str, problem: Problem, horizon: int) -> float:
    """δ as a number."""
    return resolved_delta(delta, Setting(problem.arms, problem.budget, horizon=horizon))


def _search_terms(problem: Problem, rounds: float, delta: float | str, form: str) -> dict[str, float]:
    worst = _log(largest_gap(problem))
    terms = {"search": _log(rounds) + worst}
    if form == CORRECTED and delta == ONE_OVER_T:
        terms["wrong threshold"] = worst  # δ·T = 1
    return terms


def _cts_terms(
    problem: Problem, horizon: int, eta: float | None, alpha: float, form: str
) -> dict[str, float]:
    """The regret of the second phase: Theorem 1 of Wang and Chen (2018), as the paper carries it over."""
    arms, worst = problem.arms, _log(largest_gap(problem))
    sets = suboptimal_sets(problem)
    if sets.gaps.size == 0:
        return {"learning": -math.inf}
    uncovered = arms - int(problem.best.covered.sum())  # k*
    limit = smallest_gap(problem) / (2.0 * (uncovered**2 + 2.0))
    expected = f"a number above 0 and below {limit:.4g}"
    eta = 0.5 * limit if eta is None else number("eta", eta, expected, above=0.0, below=limit)
    ratios = sets.sizes / (sets.gaps - 2.0 * (uncovered**2 + 2.0) * eta)
    learning = sum(8.0 * float(ratios[sets.with_arm(i)].max(initial=0.0)) for i in range(arms))
    left = arms - (problem.budget if form == PRINTED else math.floor(problem.budget + problem.slack))
    inverse, start = -2.0 * math.log(eta), -math.inf  # log(1/η²)
    if uncovered > 0:
        power = uncovered * (inverse + math.log(4.0 + eta * eta))
        start = math.log(8.0 * alpha) + inverse + power + _log(math.log(uncovered) + inverse) + worst
    return {
        "learning": _log(learning) + _log(math.log(horizon)),
        "neighbourhood": math.log(arms) + 2.0 * _log(max(left, 0.0)) + inverse + worst,
        "start": start,
        "constant": math.log(3.0 * arms) + worst,
    }


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


def _exp(log: float) -> float:
    try:
        return math.exp(log)
    except OverflowError:
        return math.inf


def _log_sum(logs: list[float]) -> float:
    top = max(logs)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(log - top) for log in logs))
