"""All bounds for one problem, as `allotment bounds` shows them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import one_of
from allotment.errors import NotApplicableError
from allotment.plots.lines import Bound
from allotment.policies._threshold_search import ONE_OVER_T
from allotment.theory.bayesian import LARGEST, bayesian_regret
from allotment.theory.bounds import (
    RegretBound,
    csb_dt_regret,
    csb_st_regret,
    lower_bound,
    over_rounds,
    regret_order,
)
from allotment.theory.gaps import largest_gap, smallest_gap
from allotment.theory.premises import CORRECTED, FORMS, PRINTED
from allotment.theory.refuting import FREE, GAP, KL, refute_bound
from allotment.theory.searches import csb_dt_rounds, csb_st_rounds
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Step
from allotment.worlds.world import World

POINTS = 100  # of a bound in a figure
PAGE = "docs/explanation/refute.md"
REFUTE = [
    ('Refute(bound="hoeffding"), by gaps', f"{PAGE}, Theorem 1", GAP, False),
    ('Refute(bound="hoeffding")', f"{PAGE}, Theorem 1", FREE, False),
    ("Refute()", f"{PAGE}, Theorem 2", KL, False),
    ("Refute(shared=True)", f"{PAGE}, Theorem 3", KL, True),
]
LARGE = 1e9  # above this, powers of ten say more than digits


@dataclass(frozen=True)
class Statement:
    """One result for one problem, in each form; or the reason why it does not apply.

    Attributes
    ----------
    name : str
        The name of the result.
    source : str
        Where the paper, or a page of ours, states it.
    corrected, printed : float, RegretBound or None
        The corrected result, and the result as printed.
    reason : str
        Why it does not apply to the problem; empty if it does.
    """

    name: str
    source: str
    corrected: float | RegretBound | None = None
    printed: float | RegretBound | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The statement as plain data."""
        return vars(self) | {"corrected": _plain(self.corrected), "printed": _plain(self.printed)}

    def rows(self) -> list[list[str]]:
        """Rows of a table: the result and each of its terms; no rows if the result does not apply."""
        if self.reason:
            return []
        forms = self.corrected, self.printed
        rows = [[self.name, self.source, *(_shown(form) for form in forms)]]
        if isinstance(self.corrected, RegretBound):
            for term in self.corrected.log_terms:
                logs = [form.log_terms.get(term) if isinstance(form, RegretBound) else None for form in forms]
                rows.append([f"  {term}", "", *("" if log is None else _from_log(log) for log in logs)])
        return rows


def not_for_this_problem(statements: Iterable[Statement]) -> list[str]:
    """Say in sentences which results do not apply, and why."""
    silent: dict[str, list[str]] = {}
    for statement in statements:
        if statement.reason:
            silent.setdefault(statement.reason, []).append(statement.source)
    return [
        f"Not for this problem: {'; '.join(sources)}, since {reason}." for reason, sources in silent.items()
    ]


def bounds_over_rounds(
    world: World, rounds: IntArray, names: Iterable[str] | None = None, *, epsilon: float = 0.1
) -> tuple[Bound, ...]:
    """Make the bounds that a figure shows: the named ones, which must apply, or all that apply."""
    problem = cast(Problem, world)  # whatever cannot take another world says so
    known: dict[str, tuple[str, Callable[[Problem, int], float | RegretBound]]] = {
        "equation 3": ("asymptotic lower bound (equation 3)", lower_bound),
        "Theorem 1": ("bound of CSB-ST (Theorem 1)", partial(csb_st_regret, epsilon=epsilon)),
        "Theorem 2": ("bound of CSB-DT (Theorem 2)", partial(csb_dt_regret, epsilon=epsilon)),
    }
    shown = rounds[np.unique(np.linspace(0, rounds.size - 1, POINTS).round().astype(np.int64))]
    made = []
    for name in known if names is None else [one_of("bound", name, tuple(known)) for name in names]:
        label, bound = known[name]
        if names is not None:
            bound(problem, int(rounds[-1]))  # which says why, if it does not apply
        values = over_rounds(bound, problem, shown)
        if not np.isnan(values).all():
            made.append(Bound(label, shown, values))
    return tuple(made)


def _shown(value: float | RegretBound | None) -> str:
    if value is None:
        return ""
    return _from_log(value.log_total) if isinstance(value, RegretBound) else f"{value:.6g}"


def _from_log(log: float) -> str:
    return f"{math.exp(log):.6g}" if log < math.log(LARGE) else f"10^{log / math.log(10.0):.1f}"


def _plain(value: float | RegretBound | None) -> Any:
    if not isinstance(value, RegretBound):
        return value
    return {"total": value.total, "log_total": value.log_total, "terms": value.terms}


def all_bounds(
    world: World, horizon: int, *, delta: float = 0.1, epsilon: float = 0.1, gamma: float | None = None
) -> list[Statement]:
    """Compute every bound of the paper for a problem, in the paper's order, and our own.

    Where a theorem says δ = 1/T, that value is used. The Bayesian bound is for problems of the same size from
    a policy's prior, not for this problem.

    Parameters
    ----------
    world : World
        The problem.
    horizon : int
        T, the number of rounds.
    delta : float
        δ, the probability of a wrong threshold.
    epsilon : float
        ε, a lower bound on all loss rates.
    gamma : float, optional
        γ, the precision of the search. The problem's own γ by default.

    Returns
    -------
    list of Statement
        The bounds. Bounds that do not apply give the reason.
    """
    problem = cast(Problem, world)  # whatever cannot take another world says so
    likely = f"with probability {1.0 - delta:g}"

    def st_regret(chance: float | str, form: str) -> RegretBound:
        return csb_st_regret(problem, horizon, delta=chance, epsilon=epsilon, form=form)

    def dt_regret(chance: float | str, form: str) -> RegretBound:
        return csb_dt_regret(problem, horizon, delta=chance, epsilon=epsilon, gamma=gamma, form=form)

    def st_rounds(form: str) -> float:
        return csb_st_rounds(problem, delta=delta, epsilon=epsilon, form=form)

    def dt_rounds(form: str) -> float:
        return csb_dt_rounds(problem, delta=delta, epsilon=epsilon, gamma=gamma, form=form)

    def refute_regret(form: str, shared: bool) -> RegretBound:
        return refute_bound(problem, horizon, form=form, shared=shared)

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
        *(
            _single(f"regret of {name}", source, partial(refute_regret, form, shared))
            for name, source, form, shared in REFUTE
        ),
        _single("smallest gap, nabla_min", "section 4.1", lambda: smallest_gap(problem)),
        _single("K log T / nabla_min", "section 4.1", lambda: regret_order(problem, horizon)),
        _single(*_plain_rule(problem, horizon)),
    ]


def _plain_rule(problem: Problem, horizon: int) -> tuple[str, str, Callable[[], float]]:
    """The plain rule for worlds of this kind, and what it loses at most in worlds drawn from its prior."""
    from allotment.policies.any_response import AnyResponse  # large, and most commands need neither
    from allotment.policies.joint import Joint

    kind: type[Joint | AnyResponse] = Joint
    if isinstance(problem, Problem) and not _has_perfect_cover(problem):
        kind = AnyResponse

    def bound() -> float:
        if not isinstance(problem, Problem):
            raise NotApplicableError("the world is not one problem for all rounds, which the bound is for")
        told: dict[str, Any] = {"losses": problem.losses}
        if kind is AnyResponse:
            told |= {"sees": problem.sees, "unit": problem.unit or AnyResponse.unit}
        rule, severities = kind.plain(**told), problem.severities
        return bayesian_regret(
            rule, problem.arms, horizon, budget=problem.budget, severities=severities, entropies=LARGEST
        )

    return f"Bayesian regret of {kind.__name__}.plain()", "docs/explanation/bayesian-regret.md", bound


def _has_perfect_cover(problem: Problem) -> bool:
    """Whether it is one of the worlds that Joint is made for: steps at any amount, without a leak."""
    in_steps = isinstance(problem.response, Step) and problem.unit is None
    return in_steps and problem.sees == "losses" and not problem.leak.any()


def _single(name: str, source: str, compute: Callable[[], float | RegretBound]) -> Statement:
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
