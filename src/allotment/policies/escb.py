"""ESCB: efficient sampling for combinatorial bandits (Combes, Talebi, Proutiere and Lelarge, 2015)."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import IntArray
from allotment.checks import nonnegative
from allotment.compiling.comparisons import fits
from allotment.compiling.decorators import kernel
from allotment.kernels.coverage import Coverage, choose_by_oracle, this_round
from allotment.kernels.loss_rates import decide, estimate, exploration_level, prepare
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies.base.policy import Setting
from allotment.worlds.problem import Problem

EXACT_ARMS = 12
UNSEEN = 1e-6  # how often an arm counts as seen before it is: it is left uncovered as soon as can be


@dataclass(frozen=True)
class Escb(Combinatorial):
    """ESCB: joint confidence bounds on sets of arms, for known thresholds.

    Each round leaves the set L uncovered whose total loss is smallest at its joint lower confidence bound.
    This is ESCB-2 for losses. The index of a set is Σ_(i∈L) s_i·μ̂_i - √(f(t)/2 · Σ_(i∈L) s_i²/N_i), with
    f(t) = log t + c·log log t. Here, μ̂_i is the mean of the N_i losses seen while arm i was uncovered, and
    s_i its severity. t counts all rounds, including a threshold search. The sets are the complements of
    covers with no room for another arm.

    Up to 12 arms, the smallest index is found exactly by looking at every set. `scale` and `cover_worthless`
    then have no effect, while `truncate` still rounds thresholds. Beyond 12 arms, the sum of the arms'
    widths, √(f(t)/(2·N_i)) each, replaces the width of a set, and the knapsack solves that exactly. This
    width is never smaller, so the choice stays optimistic. It is at most √m times as large, with m the size
    of the largest set. The order of regret is then K·m·log T/∇_min instead of K·√m·log T/∇_min.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every, scale, truncate, cover_worthless
        How often, how exactly and for which arms to solve the knapsack, as in `Combinatorial`.
    exploration : float
        c in f(t). The proof uses 4m.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "ESCB"
    use = "When thresholds are known and arms are few: joint confidence bounds explore less than CUCB's."

    exploration: float = 0.0

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("exploration", nonnegative("exploration", self.exploration))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """The level that the proof uses, or more."""
        known = problem.thresholds.tolist()
        return [*super().variants(problem), cls(thresholds=known, exploration=4.0 * problem.arms)]

    def estimator(self, setting: Setting) -> "SetBounds":
        """Bound sets of arms together."""
        # No more than this many sets exist of which none contains another (Sperner).
        most = math.comb(setting.arms, setting.arms // 2) if setting.arms <= EXACT_ARMS else 0
        return SetBounds(self.exploration, np.zeros(most, np.int64), np.zeros(1, np.int64))


class SetBounds(NamedTuple):
    """The sets to choose from, or none if there are many arms."""

    exploration: float
    covers: IntArray  # sets of arms to cover, one bit for each arm
    listed: IntArray  # one number: how many of them there are


@kernel
def _leaves_no_room(coverage: Coverage, cover: int) -> bool:
    """Whether these arms can be covered together, and no other beside them."""
    total, lightest = 0.0, np.inf
    for i in range(coverage.thresholds.size):
        if (cover >> i) & 1:
            total += coverage.thresholds[i]
        else:
            lightest = min(lightest, coverage.thresholds[i])
    budget, slack = coverage.budget, coverage.slack
    return fits(total, budget, slack) and not fits(total + lightest, budget, slack)


@prepare.register
def _list_covers(bounds: SetBounds, coverage: Coverage) -> None:
    bounds.listed[0] = 0
    if bounds.covers.size == 0:
        return
    for cover in range(1 << coverage.thresholds.size):
        if bounds.listed[0] < bounds.covers.size and _leaves_no_room(coverage, cover):
            bounds.covers[bounds.listed[0]] = cover
            bounds.listed[0] += 1


@kernel
def _level(bounds: SetBounds, coverage: Coverage) -> float:
    """f(t) of this round."""
    return exploration_level(this_round(coverage), bounds.exploration)


@kernel
def set_index(coverage: Coverage, cover: int, level: float) -> float:
    """The index of leaving all but these arms uncovered."""
    total, spread = 0.0, 0.0
    for i in range(coverage.seen.size):
        if not (cover >> i) & 1:
            severity, n = coverage.severities[i], coverage.seen[i]
            total += severity * coverage.losses[i] / max(n, 1.0)
            spread += severity * severity / max(n, UNSEEN)
    return total - math.sqrt(0.5 * level * spread)


@estimate.register
def _estimate(bounds: SetBounds, coverage: Coverage, rng: Any) -> None:
    """With many arms only: each arm's own width, in place of that of a set."""
    if bounds.covers.size > 0:
        return
    level = _level(bounds, coverage)
    for i in range(coverage.estimates.size):
        n = max(coverage.seen[i], UNSEEN)
        mean = coverage.losses[i] / max(coverage.seen[i], 1.0)
        coverage.estimates[i] = max(mean - math.sqrt(0.5 * level / n), 0.0)


@decide.register
def _decide(bounds: SetBounds, coverage: Coverage) -> None:
    if bounds.covers.size == 0:
        choose_by_oracle(coverage)
        return
    best, lowest, level = 0, np.inf, _level(bounds, coverage)
    for k in range(bounds.listed[0]):
        index = set_index(coverage, bounds.covers[k], level)
        if index < lowest:
            best, lowest = bounds.covers[k], index
    for i in range(coverage.chosen.size):
        coverage.chosen[i] = (best >> i) & 1 == 1
