"""Refute: a loss proves amounts too small; act as if the smallest threshold left were true."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.checks import one_of
from allotment.compiling.comparisons import fits
from allotment.compiling.decorators import Entry, lanes
from allotment.evidence import Evidence
from allotment.kernels.protocol import CONTRADICTIONS, UNPROVED, ask, report, tell
from allotment.oracles.knapsack.tabled import tabled_oracle
from allotment.oracles.protocol import choose, fit, unproved
from allotment.oracles.top_m import top_m_oracle
from allotment.policies._candidates_left import (
    CandidatesLeft,
    all_candidates,
    draw_candidate,
    learn,
    use_rest,
)
from allotment.policies._rate_bounds import BOUNDS, RateBounds, bound_rates, observe, rate_bounds
from allotment.policies._threshold_candidates import ThresholdCandidates
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Setting
from allotment.tolerance import EVIDENCE_SLACK
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Refute(ThresholdCandidates):
    """Rule out thresholds by losses; cover what the knapsack picks for the smallest thresholds left.

    A loss at an amount refutes every candidate threshold up to it; a quiet round refutes nothing. Each round
    bounds the loss rates from below, by rounds without a grant. With these bounds times severities as values,
    and the smallest candidates left as weights, the knapsack picks arms. They get at least these weights, the
    others nothing; the rest of the budget raises grants. The first K·⌈log₂(candidates + 1)⌉ rounds draw the
    weights from the candidates left, each as likely as quiet rounds make it.

    Regret is at most of order √T in every problem with perfect cover, without a horizon. Loss rates may be 0
    (docs/explanation/refute.md). With a leak, a loss can refute the true threshold for good.

    Parameters
    ----------
    resolution : float
        The candidates are the multiples of this number up to 1.
    unit : float, optional
        Grant whole units: the candidates are the multiples of the unit.
    shared : bool
        All arms share one threshold: the candidates come from Lemma 1, and there are no jumps.
    bound : {"kl", "hoeffding", "draws"}
        The lower bound, in round t, of a loss rate with the mean μ̂_i in n_i rounds. "kl": the smallest q with
        n_i·d(μ̂_i, q) ≤ log(t/n_i), where d is the Bernoulli divergence (Theorem 2). "hoeffding":
        μ̂_i - √(3·log t / (2·n_i)) (Theorem 1). "draws": a posterior draw, which no theorem covers.
    label : str, optional
        The name of the policy in results and figures.

    Examples
    --------
    >>> learner = Refute(resolution=0.5).start(arms=2, budget=1.0, seed=1)
    >>> learner.tell([0, 1], allocation=[0.5, 0.5])
    >>> learner.state.left.levels[learner.state.left.lowest].tolist()
    [0.5, 1.0]
    """

    family = "Refute"
    use = "When cover is perfect, thresholds are unknown, and a proved bound on regret is wanted."

    bound: str = BOUNDS[0]

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        one_of("bound", self.bound, BOUNDS)

    @property
    def accepts(self) -> Accepts:
        """Any grants and reports, in any order; losses may be anything from 0 to 1."""
        return LEARNS_FROM_EVIDENCE | Accepts(fractional_losses=True)

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """One threshold for all, whole units, and the other bounds."""
        return [cls(shared=True), cls(unit=0.25), cls(bound="hoeffding"), cls(resolution=0.07, bound="draws")]

    def state(self, setting: Setting) -> "RefuteState":
        """Make the state."""
        return RefuteState(
            budget=setting.budget,
            slack=setting.slack,
            jumps=self.jumps(setting),
            oracle=top_m_oracle(setting.arms) if self.shared else tabled_oracle(setting.arms),
            rates=rate_bounds(self.bound, setting.severities),
            left=all_candidates(setting, self.candidates(setting), shared=self.shared),
            weights=np.full(setting.arms, -1.0),
            chosen=np.zeros(setting.arms, np.bool_),
            granted=np.zeros(setting.arms, np.int64),
        )

    def informed(self, setting: Setting, evidence: Evidence) -> "RefuteState":
        """Make the state of a learner that knows the evidence."""
        state = self.state(setting)
        _take_evidence(state, *evidence.columns())
        return state


class RefuteState(NamedTuple):
    """State: what is known of loss rates and of thresholds, and the choice of the round."""

    budget: float
    slack: float
    jumps: int  # rounds
    oracle: Any
    rates: RateBounds
    left: CandidatesLeft
    weights: FloatArray  # to which the oracle was fitted last
    chosen: BoolArray
    granted: IntArray  # by arm: the position of a candidate; -1 for nothing


@ask.register
@lanes
def _ask(state: RefuteState, rng: Any, allocation: FloatArray) -> None:
    chosen, granted, unspent = state.chosen, state.granted, state.budget
    bound_rates(state.rates)
    _want(state)
    choose(state.oracle, state.rates.values, chosen)
    for i in range(chosen.size):
        unspent -= state.weights[i] if chosen[i] else 0.0
    for i in range(chosen.size):
        if not chosen[i] and state.rates.values[i] <= 0.0 and fits(state.weights[i], unspent, state.slack):
            chosen[i] = True  # which the knapsack does not mind
            unspent -= state.weights[i]
        granted[i] = granted[i] if chosen[i] else -1
    use_rest(state.left, state.rates, state.jumps, granted, unspent, state.slack)
    for i in range(allocation.size):
        allocation[i] = state.left.levels[granted[i]] if granted[i] >= 0 else 0.0


@lanes
def _want(state: RefuteState) -> None:
    """Fit the oracle to the smallest candidates left, or to drawn ones in a round that may jump."""
    jumping, changed = state.rates.latest[0] < state.jumps, False
    for i in range(state.granted.size):
        state.granted[i] = draw_candidate(state.left, state.rates, i) if jumping else state.left.lowest[i]
        before, state.weights[i] = state.weights[i], state.left.levels[state.granted[i]]
        changed |= state.weights[i] != before
    if changed:
        fit(state.oracle, state.weights, state.budget)


@lanes
def _take(state: RefuteState, arm: int, amount: float, rounds: float, losses: float) -> None:
    is_open = amount <= EVIDENCE_SLACK
    observe(state.rates, arm, rounds, losses, is_open)
    if not is_open:
        learn(state.left, arm, amount, rounds, losses, state.granted[arm])


@tell.register
@lanes
def _tell(state: RefuteState, allocation: FloatArray, losses: FloatArray) -> None:
    for i in range(losses.size):
        if not math.isnan(losses[i]):
            _take(state, i, allocation[i], 1.0, losses[i])


@Entry
def _take_evidence(state, arms, amounts, rounds, losses):  # type: ignore[no-untyped-def]
    for k in range(arms.size):
        _take(state, arms[k], amounts[k], rounds[k], losses[k])


@report.register
def _report(state: RefuteState, counts: FloatArray, thresholds: FloatArray) -> None:
    counts[UNPROVED] = unproved(state.oracle)
    counts[CONTRADICTIONS] = state.left.contradictions[0]
