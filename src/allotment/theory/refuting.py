"""The bounds on the regret of Refute for a given problem; docs/explanation/refute.md proves them."""

import math
from typing import NamedTuple

import numpy as np

from allotment.arrays import BoolArray, FloatArray
from allotment.checks import flag, one_of, whole
from allotment.errors import NotApplicableError
from allotment.oracles.few_items import sums_over_sets
from allotment.policies.base.policy import Setting
from allotment.theory.bounds import RegretBound
from allotment.theory.gaps import ENUMERABLE_ARMS
from allotment.theory.premises import check_steps
from allotment.tolerance import covers, fits, slack_of
from allotment.worlds.problem import Problem

GAP, FREE, KL = "gap", "free", "kl"
FORMS = (GAP, FREE, KL)
FAILURES = 0.45  # rounds in which the bound of an arm fails, at most: Σ (t - 1)/t³
COVERED_TOO_SELDOM = math.sqrt(math.pi) + 0.5  # 2.3 on the page
COVERED_TOO_OFTEN = 21.0


def refute_bound(
    problem: Problem,
    horizon: int,
    *,
    resolution: float | None = None,
    shared: bool = False,
    form: str = GAP,
) -> RegretBound:
    """The upper bound on the regret of Refute, in docs/explanation/refute.md.

    Its terms are:

    - "thresholds": the losses at grants below the thresholds, at most one for each candidate below;
    - "learning": what it costs to learn the loss rates;
    - "infeasible rounds": rounds that cover more than the budget can, where "learning" has the gaps of sets
      within the budget. It is there if the bound is smaller with it, and with form="gap" only;
    - "constant": rounds in which bounds of loss rates fail, and first looks at each arm;
    - "jumps": the first rounds, whose weights are drawn;
    - "candidates": what the best allocation on the candidates loses more than the best of all.

    Parameters
    ----------
    problem : Problem
        The problem.
    horizon : int
        T, the number of rounds.
    resolution : float, optional
        The step between candidates. Refute's default if not given.
    shared : bool
        Whether all arms share one threshold, and Refute knows that (Theorem 3).
    form : {"gap", "free", "kl"}
        The bound of Theorem 1 with gaps, or the bound without, both for bound="hoeffding"; or the bound of
        Theorem 2, for bound="kl".

    Returns
    -------
    RegretBound
        The bound.

    Raises
    ------
    NotApplicableError
        If the theorem does not apply to the problem, or gaps are asked for with more than 20 arms.

    Examples
    --------
    >>> bound = refute_bound(Problem([0.9, 0.5], [0.5, 0.25], 0.5), 1000, resolution=0.25)
    >>> {name: round(term, 1) for name, term in bound.terms.items()}
    {'thresholds': 1.0, 'learning': 414.5, 'constant': 2.6, 'jumps': 3.6}
    """
    horizon = whole("horizon", horizon, least=1)
    one_of("form", form, FORMS)
    check_steps(problem)
    game = _game(problem, resolution, flag("shared", shared))
    stakes, severities, best = problem.severities * problem.loss_rates, problem.severities, game.best
    value, log_t = math.fsum(stakes[best]), math.log(horizon)
    terms = {"thresholds": game.threshold_losses}
    if form == GAP:
        terms |= _learning_by_gaps(problem, game, log_t)
        constant = FAILURES * problem.arms + 2.0
    elif form == FREE:
        terms["learning"] = 4.0 * math.sqrt(1.5 * horizon * log_t) * math.fsum(severities[best])
        constant = FAILURES * problem.arms + 1.0
    else:
        weighted = COVERED_TOO_SELDOM * severities[best].sum() + COVERED_TOO_OFTEN * severities[~best].sum()
        terms["learning"] = math.sqrt(horizon) * float(weighted)
        constant = 1.0
    terms |= {"constant": constant * value, "jumps": game.jumps * value}
    short = math.fsum(stakes) - value - problem.best.loss
    if short > slack_of(math.fsum(stakes)):
        terms["candidates"] = horizon * short
    return RegretBound({name: math.log(term) if term > 0.0 else -math.inf for name, term in terms.items()})


class _Game(NamedTuple):
    """What the bounds say about a problem and its candidates."""

    best: BoolArray  # A*
    lightest: FloatArray  # the smallest candidate of every arm; inf without any
    below: FloatArray  # N_i: the candidates below the threshold, 0 for arms that lose nothing
    threshold_losses: float  # N
    jumps: int  # J


def _game(problem: Problem, resolution: float | None, shared: bool) -> _Game:
    from allotment.oracles.knapsack.solve import knapsack  # compiled, which other bounds do not need
    from allotment.policies.refute import Refute

    policy = Refute(shared=shared) if resolution is None else Refute(resolution, shared=shared)
    setting = Setting(problem.arms, problem.budget, problem.severities)
    candidates = policy.candidates(setting)
    if shared and np.ptp(problem.thresholds) > problem.slack:
        raise NotApplicableError("the thresholds differ; this bound is for one threshold that all arms share")
    loses = problem.loss_rates > 0.0
    is_below = ~covers(candidates, problem.thresholds[:, None], problem.slack) & loses[:, None]
    rounded = np.append(candidates, np.inf)[
        (~covers(candidates, problem.thresholds[:, None], problem.slack)).sum(1)
    ]
    payable = np.flatnonzero(np.isfinite(rounded) & loses)
    best = np.zeros(problem.arms, np.bool_)
    if payable.size:
        stakes = (problem.severities * problem.loss_rates)[payable]
        best[payable] = knapsack(stakes, rounded[payable], problem.budget).chosen
    below = is_below.sum(axis=1).astype(float)
    losses = math.fsum(problem.severities * below)
    if shared:
        costs = -np.sort(-problem.severities)
        covered = np.floor((problem.budget + problem.slack) / candidates[is_below.any(axis=0)])
        losses = math.fsum(costs[: int(most)].sum() for most in covered)
    lightest = np.full(problem.arms, candidates[0] if candidates.size else np.inf)
    return _Game(best, lightest, below, losses, policy.jumps(setting))


def _learning_by_gaps(problem: Problem, game: _Game, log_t: float) -> dict[str, float]:
    """The term with the gaps of all sets that candidates allow, or of feasible sets if that is less."""
    if problem.arms > ENUMERABLE_ARMS:
        raise NotApplicableError(
            f"the gaps of all sets are found by looking at each, for up to {ENUMERABLE_ARMS} arms; this "
            f"problem has {problem.arms}. form='free' needs no gaps"
        )
    best, stakes = game.best, problem.severities * problem.loss_rates
    value = math.fsum(stakes[best])
    gaps = value - sums_over_sets(stakes)
    is_worse = gaps > slack_of(math.fsum(stakes))
    covered = np.arange(gaps.size)
    factor = 24.0 * float(best.sum()) * log_t

    def learning(weights: FloatArray) -> float:
        allowed = is_worse & fits(sums_over_sets(weights), problem.budget, problem.slack)
        total = 0.0
        for arm in np.flatnonzero(best):
            nearest = gaps[allowed & ((covered >> arm) & 1 == 0)].min(initial=math.inf)
            total += factor * float(problem.severities[arm]) ** 2 / nearest
        return total

    loses = problem.loss_rates > 0.0
    with np.errstate(over="ignore"):  # infinite for the smallest rates
        infeasible = value * math.fsum(game.below[loses] / problem.loss_rates[loses])
    by_candidates, by_thresholds = learning(game.lightest), learning(problem.thresholds)
    if by_thresholds + infeasible < by_candidates:
        return {"learning": by_thresholds, "infeasible rounds": infeasible}
    return {"learning": by_candidates}
