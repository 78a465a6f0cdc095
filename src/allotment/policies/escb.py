"""ESCB: efficient sampling for combinatorial bandits (Combes, Talebi, Proutiere and Lelarge, 2015)."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import nonnegative
from allotment.comparisons import fits
from allotment.compiling import kernel
from allotment.kernels.confidence import exploration_level
from allotment.kernels.coverage import ROUND, Coverage, choice_is_due, grant, hand_out, know, watch
from allotment.kernels.protocol import adopt, ask, tell
from allotment.policies._known_thresholds import Combinatorial
from allotment.policy import Setting
from allotment.worlds.problem import Problem

EXACT_ARMS = 12
UNSEEN = 1e-6  # how often an arm counts as seen before it is: it is left uncovered as soon as can be


@dataclass(frozen=True)
class Escb(Combinatorial):
    """Leave uncovered the set L whose total loss is smallest at its joint lower confidence bound.

    This is ESCB-2 for losses. The index of a set is Σ_{i∈L} s_i·μ̂_i - √(f(t)/2 · Σ_{i∈L} s_i²/N_i) with
    f(t) = log t + c·log log t, where μ̂_i is the mean of the N_i losses seen while arm i was uncovered and s_i
    its severity. `exploration` is c: the proof uses 4m, with m the size of the largest set; the default is 0.
    The sets are those that leave no room to cover one arm more (with one threshold: the K - M arms of a
    multiple-play bandit). t counts all rounds, those of a threshold search included.

    Up to 12 arms the smallest index is found exactly, by looking at every set (`scale` and `truncate` then
    have no effect). Beyond, the width of a set is replaced by the sum of its arms' widths, √(f(t)/(2·N_i))
    each, which the knapsack oracle optimises exactly. That width is never smaller, so the choice is still an
    optimistic one, and at most √m times as large, so the regret is at most of order K·m·log T/∇_min instead
    of K·√m·log T/∇_min.
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

    def unstarted(self, setting: Setting) -> "EscbState":
        """Make the state."""
        # No more than this many sets exist of which none contains another (Sperner).
        most = math.comb(setting.arms, setting.arms // 2) if setting.arms <= EXACT_ARMS else 0
        covers, listed = np.zeros(most, np.int64), np.zeros(1, np.int64)
        return EscbState(self.coverage(setting), self.exploration, covers, listed)


class EscbState(NamedTuple):
    """State: the counts of the coverage, and the sets to choose from."""

    coverage: Coverage
    exploration: float
    covers: IntArray  # sets of arms to cover, one bit for each arm; no room for any if there are many arms
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


@adopt.register
def _adopt(state: EscbState, thresholds: FloatArray, rounds: int) -> None:
    know(state.coverage, thresholds, rounds)
    state.listed[0] = 0
    if state.covers.size == 0:
        return
    for cover in range(1 << thresholds.size):
        if state.listed[0] < state.covers.size and _leaves_no_room(state.coverage, cover):
            state.covers[state.listed[0]] = cover
            state.listed[0] += 1


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


@kernel
def _choose_set(state: EscbState, level: float) -> None:
    best, lowest = 0, np.inf
    for k in range(state.listed[0]):
        index = set_index(state.coverage, state.covers[k], level)
        if index < lowest:
            best, lowest = state.covers[k], index
    for i in range(state.coverage.chosen.size):
        state.coverage.chosen[i] = (best >> i) & 1 == 1


@ask.register
def _ask(state: EscbState, rng: Any, allocation: FloatArray) -> None:
    arms = state.coverage
    if not choice_is_due(arms):
        hand_out(arms, allocation)
        return
    level = exploration_level(arms.clock[ROUND] + 1.0, state.exploration)
    if state.covers.size > 0:
        _choose_set(state, level)
        hand_out(arms, allocation)
        return
    for i in range(arms.estimates.size):
        n = max(arms.seen[i], UNSEEN)
        arms.estimates[i] = max(arms.losses[i] / max(arms.seen[i], 1.0) - math.sqrt(0.5 * level / n), 0.0)
    grant(arms, allocation)


@tell.register
def _tell(state: EscbState, allocation: FloatArray, losses: FloatArray) -> None:
    watch(state.coverage, losses)
