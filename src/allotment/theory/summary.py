"""All that the paper says about one problem, gathered: what `allotment bounds` shows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from allotment.errors import NotApplicableError
from allotment.policies._threshold_search import ONE_OVER_T
from allotment.theory.bounds import RegretBound, csb_dt_regret, csb_st_regret, lower_bound, regret_order
from allotment.theory.gaps import largest_gap, smallest_gap
from allotment.theory.premises import CORRECTED, FORMS, PRINTED
from allotment.theory.searches import csb_dt_rounds, csb_st_rounds
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Statement:
    """One result for one problem: a number, or a bound with its terms, in each form; or why there is none."""

    name: str
    source: str  # where the paper says it
    corrected: float | RegretBound | None = None
    printed: float | RegretBound | None = None
    reason: str = ""


def all_bounds(
    problem: Problem, horizon: int, *, delta: float = 0.1, epsilon: float = 0.1, gamma: float | None = None
) -> list[Statement]:
    """Every bound of the paper on this problem, in the paper's order.

    `delta`, `epsilon` and `gamma` are what the searches are run with; γ is the problem's own unless given.
    Where δ = 1/T is part of a theorem, it is taken.
    """
    likely = f"with probability {1.0 - delta:g}"

    def st_regret(chance: float | str, form: str) -> RegretBound:
        return csb_st_regret(problem, horizon, delta=chance, epsilon=epsilon, form=form)

    def dt_regret(chance: float | str, form: str) -> RegretBound:
        return csb_dt_regret(problem, horizon, delta=chance, epsilon=epsilon, gamma=gamma, form=form)

    def st_rounds(form: str) -> float:
        return csb_st_rounds(problem, delta=delta, epsilon=epsilon, form=form)

    def dt_rounds(form: str) -> float:
        return csb_dt_rounds(problem, delta=delta, epsilon=epsilon, gamma=gamma, form=form)

    def least(form: str) -> float:
        return lower_bound(problem, horizon, form=form)

    return [
        _single("largest gap, nabla_m", "section 3.2", lambda: largest_gap(problem)),
        _both("regret of any policy, at least", "equation 3", least),
        _both("search rounds of CSB-ST", "Lemma 2", st_rounds),
        _both("regret of CSB-ST", "Theorem 1", partial(st_regret, ONE_OVER_T)),
        _both(f"regret of CSB-ST {likely}", "Theorem 1, supplement", partial(st_regret, delta)),
        _both("search rounds of CSB-DT", "Lemma 4", dt_rounds),
        _both("regret of CSB-DT", "Theorem 2", partial(dt_regret, ONE_OVER_T)),
        _both(f"regret of CSB-DT {likely}", "Theorem 2, supplement", partial(dt_regret, delta)),
        _single("smallest gap, nabla_min", "section 4.1", lambda: smallest_gap(problem)),
        _single("K log T / nabla_min", "section 4.1", lambda: regret_order(problem, horizon)),
    ]


def _single(name: str, source: str, compute: Callable[[], float]) -> Statement:
    """A quantity that has one form."""
    try:
        return Statement(name, source, compute())
    except NotApplicableError as reason:
        return Statement(name, source, reason=str(reason))


def _both(name: str, source: str, compute: Callable[[str], float | RegretBound]) -> Statement:
    """A result in both forms."""
    try:
        values = {form: compute(form) for form in FORMS}
    except NotApplicableError as reason:
        return Statement(name, source, reason=str(reason))
    return Statement(name, source, values[CORRECTED], values[PRINTED])
