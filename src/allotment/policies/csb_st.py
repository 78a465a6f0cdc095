"""CSB-ST: find the threshold that all arms share, then learn their loss rates (section 3.2)."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.candidates import arms_covered, candidate_thresholds
from allotment.checks import one_of
from allotment.compiling.decorators import lanes
from allotment.kernels.protocol import SEARCH_ROUNDS, adopt, ask, report, tell
from allotment.policies._known_thresholds import KnownThresholds
from allotment.policies._threshold_search import check_search, published_window, quiet_rounds, resolved_delta
from allotment.policies.base.policy import Policy, Setting
from allotment.policies.mp_ts import MpTs
from allotment.randomness.laws import shuffle
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class CsbSt(Policy):
    """CSB-ST: find the threshold that all arms share by binary search, then learn loss rates (section 3.2).

    The search goes over the candidate set Θ (Lemma 1). It grants the middle candidate to the first arms that
    the budget lasts for. A loss at one of them excludes the candidate and all below it. W quiet rounds in a
    row exclude all above it, where W = ⌈log(log₂|Θ|/δ) / (max(1, ⌊Q⌋) · log(1/(1-ε)))⌉.

    Parameters
    ----------
    delta : float or "1/T"
        δ, the probability of a wrong threshold if every loss rate is at least ε. "1/T" takes it from the
        horizon.
    epsilon : float
        ε, the assumed lower bound on all loss rates.
    learner : KnownThresholds
        The learner of the second phase. MP-TS by default.
    window_rule : {"printed", "published"}
        W as above, or W = ⌈log(K/δ) / (Q · log(1/(1-ε)))⌉, which the published figures used.
    probed_arms : {"first", "random"}
        Which arms get the candidate: the first, or random ones in each round, as in the published figures.
    label : str, optional
        The name of the policy in results and figures.

    Examples
    --------
    >>> CsbSt(delta=0.05)
    CsbSt(delta=0.05)
    """

    family = "CSB-ST"
    use = "When one unknown threshold holds for all arms."
    worlds = "steps at one threshold"

    delta: float | str = 0.1
    epsilon: float = 0.1
    learner: KnownThresholds = field(default_factory=MpTs)
    window_rule: str = "printed"
    probed_arms: str = "first"

    def check(self) -> None:
        """Check the parameters."""
        check_search(self, KnownThresholds)
        one_of("window_rule", self.window_rule, ("printed", "published"))
        one_of("probed_arms", self.probed_arms, ("first", "random"))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """δ from the horizon, and the published search."""
        return [cls(delta="1/T"), cls(window_rule="published", probed_arms="random")]

    def window(self, setting: Setting) -> int:
        """Compute W, the number of quiet rounds after which a candidate is believed.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and the horizon.

        Returns
        -------
        int
            The number of rounds.
        """
        size = candidate_thresholds(setting.arms, setting.budget).size
        if size < 2:
            return 0
        delta = resolved_delta(self.delta, setting)
        if self.window_rule == "published":
            return published_window(setting, delta, self.epsilon)
        probes = max(1, math.floor(setting.budget + setting.slack))
        return quiet_rounds(math.log2(size), delta, self.epsilon, probes)

    def state(self, setting: Setting) -> "CsbStState":
        """Make the state."""
        candidates = candidate_thresholds(setting.arms, setting.budget)
        if candidates.size == 0:
            candidates = np.array([np.inf])  # nothing can be covered
        probes = [arms_covered(candidate, setting.arms, setting.budget) for candidate in candidates]
        progress = np.zeros(6, np.int64)
        progress[HIGH] = candidates.size
        progress[GUESS] = math.ceil(candidates.size / 2)
        return CsbStState(
            candidates=candidates,
            probes=np.array(probes, np.int64),
            window=self.window(setting),
            in_random_order=self.probed_arms == "random",
            order=np.arange(setting.arms),
            progress=progress,
            threshold=np.full(setting.arms, np.nan),
            learner=self.learner.unstarted(setting),
        )


# Positions in `progress`; LOW, HIGH and GUESS count candidates from 1, as the paper does.
LOW, HIGH, GUESS, QUIET, SPENT, HANDED_OVER = range(6)


class CsbStState(NamedTuple):
    """State: the search, and the learner that follows it."""

    candidates: FloatArray
    probes: IntArray  # how many arms each candidate is granted to
    window: int
    in_random_order: bool
    order: IntArray  # of the arms that are probed, the first of these
    progress: IntArray
    threshold: FloatArray  # the one found, repeated for each arm
    learner: Any


@ask.register
@lanes
def _ask(state: CsbStState, rng: Any, allocation: FloatArray) -> None:
    progress = state.progress
    guess = progress[GUESS] - 1
    if progress[GUESS] != progress[HIGH]:
        if state.in_random_order:
            shuffle(rng, state.order, state.order.size)
        allocation[:] = 0.0
        for position in range(state.probes[guess]):
            allocation[state.order[position]] = state.candidates[guess]
        return
    if progress[HANDED_OVER] == 0:
        progress[HANDED_OVER] = 1
        state.threshold[:] = state.candidates[guess]
        adopt(state.learner, state.threshold, progress[SPENT])
    ask(state.learner, rng, allocation)


@tell.register
@lanes
def _tell(state: CsbStState, allocation: FloatArray, losses: FloatArray) -> None:
    progress = state.progress
    if progress[GUESS] == progress[HIGH]:
        tell(state.learner, allocation, losses)
        return
    progress[SPENT] += 1
    lost = False
    for i in range(losses.size):
        lost = lost or (allocation[i] > 0.0 and losses[i] > 0.0)
    if lost:
        progress[LOW] = progress[GUESS]
        progress[GUESS] = progress[LOW] + (progress[HIGH] - progress[LOW] + 1) // 2
        progress[QUIET] = 0
        return
    progress[QUIET] += 1
    if progress[QUIET] == state.window:
        progress[HIGH] = progress[GUESS]
        progress[GUESS] = progress[HIGH] - (progress[HIGH] - progress[LOW]) // 2
        progress[QUIET] = 0


@report.register
def _report(state: CsbStState, counts: FloatArray, thresholds: FloatArray) -> None:
    report(state.learner, counts, thresholds)
    counts[SEARCH_ROUNDS] = state.progress[SPENT]
    is_over = state.progress[GUESS] == state.progress[HIGH]
    for i in range(thresholds.size):
        thresholds[i] = state.candidates[state.progress[HIGH] - 1] if is_over else math.nan
