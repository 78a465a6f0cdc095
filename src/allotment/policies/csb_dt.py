"""CSB-DT: find each arm's threshold, then learn the loss rates (section 4.1)."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.checks import positive
from allotment.compiling.comparisons import fits
from allotment.compiling.decorators import lanes
from allotment.kernels.protocol import SEARCH_ROUNDS, adopt, ask, report, tell
from allotment.policies._known_thresholds import Combinatorial
from allotment.policies._threshold_search import check_search, quiet_rounds, resolved_delta
from allotment.policies.base.policy import Policy, Setting
from allotment.policies.cts import Cts
from allotment.randomness.laws import shuffle
from allotment.tolerance import ceil_with_tolerance
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class CsbDt(Policy):
    """CSB-DT: find the threshold of each arm by binary search, then learn loss rates (section 4.1).

    In every round, the unfinished arms get their guesses, in order, as far as the budget goes. Then the
    finished arms get their thresholds, in random order. A loss at a guess raises the lower end of the arm's
    interval to it. W quiet rounds in a row lower the upper end, where W = ⌈log(K · log₂⌈1 + 1/γ⌉/δ) /
    log(1/(1-ε))⌉. An arm whose guess exceeds the budget is given up.

    Parameters
    ----------
    delta : float or "1/T"
        δ, the probability of a wrong threshold if every loss rate is at least ε. "1/T" takes it from the
        horizon.
    epsilon : float
        ε, the assumed lower bound on all loss rates.
    gamma : float
        γ, the precision of the thresholds.
    learner : Combinatorial
        The learner of the second phase. CTS by default.
    label : str, optional
        The name of the policy in results and figures.

    Examples
    --------
    >>> CsbDt(gamma=1e-4)
    CsbDt(gamma=0.0001)
    """

    family = "CSB-DT"
    use = "When unknown thresholds differ from arm to arm, and the optimum leaves some budget unspent."

    delta: float | str = 0.1
    epsilon: float = 0.1
    gamma: float = 1e-3
    learner: Combinatorial = field(default_factory=Cts)

    def check(self) -> None:
        """Check the parameters."""
        check_search(self, Combinatorial)
        self.keep("gamma", positive("gamma", self.gamma))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """δ from the horizon."""
        return [cls(delta="1/T")]

    def window(self, setting: Setting) -> int:
        """Compute W, the number of quiet rounds after which a guess is believed.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and the horizon.

        Returns
        -------
        int
            The number of rounds.
        """
        guesses = setting.arms * math.log2(max(2, ceil_with_tolerance(1.0 + 1.0 / self._width(setting))))
        return quiet_rounds(guesses, resolved_delta(self.delta, setting), self.epsilon)

    def _width(self, setting: Setting) -> float:
        """γ, but no finer than the tolerance of comparisons, so that every search ends."""
        return max(self.gamma, setting.slack)

    def state(self, setting: Setting) -> "CsbDtState":
        """Make the state."""
        arms, budget = setting.arms, setting.budget
        first = min(arms, math.floor(budget + setting.slack))
        guesses = np.full(arms, 0.5)
        if first < arms:  # the first ⌊Q⌋ arms start at a half, the others share the rest of the budget
            guesses[first:] = min(1.0, (budget - first / 2) / (arms - first))
        nothing_to_search = budget <= setting.slack
        return CsbDtState(
            budget=budget,
            slack=setting.slack,
            width=self._width(setting),
            window=self.window(setting),
            low=np.zeros(arms),
            high=np.ones(arms),
            guesses=np.full(arms, np.inf) if nothing_to_search else guesses,
            finished=np.full(arms, nothing_to_search),
            quiet=np.zeros(arms, np.int64),
            walk=np.zeros(arms, np.int64),
            progress=np.array([0, 0 if nothing_to_search else arms, 0]),
            learner=self.learner.unstarted(setting),
        )


SPENT, UNFINISHED, HANDED_OVER = range(3)  # positions in `progress`


class CsbDtState(NamedTuple):
    """State: the search, and the learner that follows it."""

    budget: float
    slack: float
    width: float  # an interval no wider than this is settled
    window: int
    low: FloatArray
    high: FloatArray
    guesses: FloatArray  # of finished arms: the threshold found
    finished: BoolArray
    quiet: IntArray
    walk: IntArray
    progress: IntArray
    learner: Any


@ask.register
@lanes
def _ask(state: CsbDtState, rng: Any, allocation: FloatArray) -> None:
    progress = state.progress
    if progress[UNFINISHED] == 0:
        if progress[HANDED_OVER] == 0:
            progress[HANDED_OVER] = 1
            adopt(state.learner, state.guesses, progress[SPENT])
        ask(state.learner, rng, allocation)
        return
    walked, finished = 0, state.walk.size
    for i in range(allocation.size):  # unfinished arms in order, then the finished ones
        if state.finished[i]:
            finished -= 1
            state.walk[finished] = i
        else:
            state.walk[walked] = i
            walked += 1
    shuffle(rng, state.walk[walked:], allocation.size - walked)
    left = state.budget
    for i in state.walk:
        allocation[i] = state.guesses[i] if fits(state.guesses[i], left, state.slack) else 0.0
        left -= allocation[i]


@tell.register
@lanes
def _tell(state: CsbDtState, allocation: FloatArray, losses: FloatArray) -> None:
    progress = state.progress
    if progress[UNFINISHED] == 0:
        tell(state.learner, allocation, losses)
        return
    progress[SPENT] += 1
    for i in range(losses.size):
        if state.finished[i] or allocation[i] != state.guesses[i]:  # it was not granted its guess
            continue
        if losses[i] > 0.0:
            state.low[i] = state.guesses[i]
        else:
            state.quiet[i] += 1
            if state.quiet[i] < state.window:
                continue
            state.high[i] = state.guesses[i]
        state.quiet[i] = 0
        state.guesses[i] = 0.5 * (state.low[i] + state.high[i])
        if fits(state.high[i] - state.low[i], state.width, state.slack):
            state.guesses[i] = state.high[i]
            state.finished[i] = True
        elif not fits(state.guesses[i], state.budget, state.slack):
            state.guesses[i] = np.inf
            state.finished[i] = True
        progress[UNFINISHED] -= state.finished[i]


@report.register
def _report(state: CsbDtState, counts: FloatArray, thresholds: FloatArray) -> None:
    report(state.learner, counts, thresholds)
    counts[SEARCH_ROUNDS] = state.progress[SPENT]
    for i in range(thresholds.size):
        thresholds[i] = state.guesses[i] if state.finished[i] else math.nan
