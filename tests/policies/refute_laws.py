"""The inequalities that the proof in docs/explanation/refute.md states for every path, checked on a path."""

from typing import NamedTuple

import numpy as np

from allotment import Refute, Setting
from allotment.oracles.few_items import best_of_few

CLOSE = 1e-9


class WithoutJumps(Refute):
    """Refute that begins with step 1 of the rule at once."""

    def jumps(self, setting):
        return 0


class Game(NamedTuple):
    """A problem as the proof sees it."""

    problem: object
    candidates: np.ndarray
    best: np.ndarray  # A*
    below: np.ndarray  # N_i


def game(problem, policy):
    setting = Setting(problem.arms, problem.budget, problem.severities)
    candidates = policy.candidates(setting)
    rounded = np.array(
        [min(candidates[candidates >= each - 1e-12], default=np.inf) for each in problem.thresholds]
    )
    loses = problem.loss_rates > 0.0
    stakes = problem.severities * problem.loss_rates
    best = best_of_few(stakes, np.where(loses, rounded, np.inf), problem.budget)
    below = np.array([(candidates < each - 1e-12).sum() for each in problem.thresholds]) * loses
    return Game(problem, candidates, best, below)


class Path(NamedTuple):
    """What Refute knew before each round of a path: arrays of rounds x arms."""

    allocations: np.ndarray
    losses: np.ndarray
    lowest: np.ndarray
    seen: np.ndarray
    mean: np.ndarray
    bounds: np.ndarray


def path(candidates, policy, allocations, losses):
    """Compute what Refute knew from what was granted and lost, the slow way."""
    rounds, arms = allocations.shape
    refuted = np.where(losses > 0.0, allocations, -1.0) * (allocations > 0.0)
    if policy.shared:
        refuted = np.repeat(refuted.max(axis=1, keepdims=True), arms, axis=1)
    highest = np.maximum.accumulate(np.vstack([np.zeros(arms), refuted]), axis=0)[:-1]
    levels = np.append(candidates, np.inf)
    lowest = levels[(candidates <= highest[:, :, None] + 1e-12).sum(axis=2)]
    is_open = allocations == 0.0
    seen = np.vstack([np.zeros(arms), np.cumsum(is_open, axis=0)])[:-1]
    lost = np.vstack([np.zeros(arms), np.cumsum(losses * is_open, axis=0)])[:-1]
    mean = lost / np.maximum(seen, 1.0)
    t = np.arange(1, rounds + 1)[:, None]
    slow = {"hoeffding": hoeffding, "kl": by_bisection}[policy.bound]
    return Path(allocations, losses, lowest, seen, mean, np.where(seen > 0.0, slow(mean, seen, t), 0.0))


def hoeffding(mean, seen, t):
    return np.maximum(mean - np.sqrt(1.5 * np.log(t) / np.maximum(seen, 1.0)), 0.0)


def by_bisection(mean, seen, t):
    level = np.log(t / np.maximum(seen, 1.0)) / np.maximum(seen, 1.0)
    low, high = np.zeros_like(mean), mean.copy()
    for _ in range(70):
        middle = (low + high) / 2.0
        too_low = divergence(mean, middle) > level
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return high


def divergence(p, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(p > 0.0, p * np.log(p / q), 0.0)
        down = np.where(p < 1.0, (1.0 - p) * np.log((1.0 - p) / (1.0 - q)), 0.0)
    return up + down


def check_laws(game, policy, allocations, losses):
    """Check every inequality of the proof; returns the number of good rounds that (3) was checked in."""
    problem, best = game.problem, game.best
    known = path(game.candidates, policy, allocations, losses)
    chosen, stakes = allocations > 0.0, problem.severities * problem.loss_rates
    setting = Setting(problem.arms, problem.budget, problem.severities)

    # Step 0: thresholds are never overestimated, so A* always fits.
    weights = np.where(best, known.lowest, 0.0).sum(axis=1)
    assert (weights <= problem.budget + CLOSE).all()
    # Step 1: D + u is the regret against A*.
    gaps = stakes[best].sum() - (chosen * stakes).sum(axis=1)
    too_little = chosen & (allocations < problem.thresholds - 1e-12)
    regret = np.array([problem.regret(each) for each in allocations])
    against_best = regret + problem.best.loss - stakes[~best].sum()
    np.testing.assert_allclose(gaps + (too_little * stakes).sum(axis=1), against_best, atol=CLOSE)
    # Step 2: grants are 0 or reach the smallest candidate left, so losses are few.
    assert (~chosen | (allocations >= known.lowest - CLOSE)).all()
    assert (allocations.sum(axis=1) <= problem.budget + CLOSE).all()
    lost = (losses > 0.0) & chosen
    if policy.shared:
        smaller = game.candidates[game.candidates < problem.thresholds[0] - 1e-12]
        assert lost.sum() <= np.floor((problem.budget + 1e-12) / smaller).sum()
    else:
        assert (lost.sum(axis=0) <= game.below).all()
    # Step 5, after the jumps.
    jumps, values = policy.jumps(setting), problem.severities * known.bounds
    assert ((chosen * values).sum(axis=1) >= (best * values).sum(axis=1) - CLOSE)[jumps:].all()
    missing, extra = best & ~chosen, chosen & ~best
    wrong = missing * (problem.loss_rates - known.bounds) + extra * (known.bounds - problem.loss_rates)
    assert (gaps <= (problem.severities * wrong).sum(axis=1) + CLOSE)[jumps:].all()
    # Arms of B are observed, so each meets every number of observations once.
    assert (np.diff(known.seen, axis=0)[missing[:-1]] == 1.0).all()
    # Step 6: inequality (3) in good rounds.
    if policy.bound != "hoeffding":
        return 0
    t = np.arange(1, len(gaps) + 1)[:, None]
    radius = np.sqrt(1.5 * np.log(t) / np.maximum(known.seen, 1.0))
    is_held = np.where(
        best, known.bounds >= problem.loss_rates - 2.0 * radius, known.bounds <= problem.loss_rates
    )
    good = (is_held | (known.seen == 0.0)).all(axis=1) & (np.arange(len(gaps)) >= jumps)
    at_most = np.where(known.seen > 0.0, 2.0 * radius, problem.loss_rates) * problem.severities * missing
    assert (gaps <= at_most.sum(axis=1) + CLOSE)[good].all()
    return int((good & (gaps > CLOSE)).sum())
