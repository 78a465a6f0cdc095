"""Joint: learn thresholds and loss rates together, from every round, by their exact posterior."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.candidates import arms_covered, candidate_thresholds
from allotment.checks import BoolArray, FloatArray, IntArray, number, one_of, open_unit, shown, vector, whole
from allotment.compiling import kernel
from allotment.errors import InputError
from allotment.kernels.believing import Beliefs, beliefs, candidate_at, draw_rate, learn
from allotment.kernels.comparing import fits
from allotment.kernels.learning import ask, tell
from allotment.kernels.sampling import draw_beta
from allotment.oracles.exact import exact_oracle
from allotment.oracles.oracle import choose, fit
from allotment.oracles.top_m import mark_largest
from allotment.policy import Policy, Setting
from allotment.posterior import KINDS, UNCOVERABLE, grid


@dataclass(frozen=True)
class Joint(Policy):
    """Draw each arm's threshold and loss rate from their posterior, and cover what the knapsack picks.

    A threshold is one of the multiples of `resolution`, the smallest amount worth granting. Each round takes
    the middle one of `middle_of` posterior draws of it, draws the loss rate that goes with it, with the
    evidence counted `trust` times over, solves the knapsack on the draws, and, with `spend`, raises grants
    with what is left of the budget where that prevents most expected loss per unit. Plain Thompson sampling
    is `middle_of=1, trust=1, spend=False`.

    `shared`: one threshold holds for all arms; it is then one of Lemma 1's candidates, and `resolution` plays
    no part. `losses="counts"`: incidents are counted. `leak`: the chance that a covered arm loses all the
    same (of counts: the share of the rate that remains). `prior`: weights for the multiples of `resolution`
    up to 1, equal if not given. `uncoverable`: the prior chance that an arm cannot be covered at all.
    `shape`: of the loss rate's prior, (α, β) of a Beta or (a, b) of a Gamma.

    No regret bound is proved for it; docs/joint.md tells what was measured.
    """

    family = "Joint"
    use = "When thresholds are unknown: no horizon, no phases, loss rates may be zero."

    resolution: float = 0.01
    shared: bool = False
    middle_of: int = 9
    trust: float = 3.0
    spend: bool = True
    losses: str = "binary"
    leak: float = 0.0
    prior: Sequence[float] | None = None
    uncoverable: float = UNCOVERABLE
    shape: Sequence[float] = (1.0, 1.0)

    def check(self) -> None:
        """Check the parameters."""
        expected = "a number above 0 and at most 1"
        self.keep("resolution", number("resolution", self.resolution, expected, above=0.0, most=1.0))
        if whole("middle_of", self.middle_of, least=1) % 2 == 0:
            raise InputError(
                f"middle_of is {self.middle_of}; expected an odd number, so that there is a middle"
            )
        self.keep("trust", number("trust", self.trust, "a number of at least 1", least=1.0))
        one_of("losses", self.losses, KINDS)
        if self.leak != 0.0:
            self.keep("leak", open_unit("leak", self.leak))
        self.keep("uncoverable", open_unit("uncoverable", self.uncoverable))
        shape = vector("shape", self.shape, "of at least 1", least=1.0)
        if shape.size != 2:
            raise InputError(f"shape is {shown(self.shape)}; expected two numbers")
        self.keep("shape", tuple(shape.tolist()))
        if self.prior is not None:
            self.keep("prior", tuple(self._checked_prior(self.prior).tolist()))

    def _checked_prior(self, prior: Sequence[float]) -> FloatArray:
        if self.shared:
            raise InputError("prior is for thresholds that differ; expected none with shared=True")
        weights = vector("prior", prior, "of at least 0", least=0.0)
        if weights.size != grid(self.resolution).size or weights.sum() <= 0.0:
            raise InputError(
                f"prior has {weights.size} numbers that add up to {weights.sum():g}; expected "
                f"{grid(self.resolution).size}, one for each multiple of the resolution, not all 0"
            )
        return weights

    @property
    def counts(self) -> bool:
        """Whether incidents are counted."""
        return self.losses == "counts"

    def candidates(self, setting: Setting) -> tuple[FloatArray, FloatArray]:
        """The candidates, "cannot be covered" (inf) last, and their prior."""
        most = min(1.0, setting.budget)
        if most <= setting.slack:
            return np.array([np.inf]), np.array([1.0])
        if self.shared:
            levels = candidate_thresholds(setting.arms, setting.budget)
            reached = np.cumsum(np.full(levels.size, 1.0 / levels.size))
        else:
            # Each candidate stands for the amounts down to the one before, also where the budget cuts in.
            multiples = grid(self.resolution)
            weights = np.diff(multiples, prepend=0.0) if self.prior is None else np.array(self.prior)
            levels = grid(self.resolution, most)
            reached = np.interp(levels, np.append(0.0, multiples), np.append(0.0, np.cumsum(weights)))
            reached /= weights.sum()
        coverable = (1.0 - self.uncoverable) * np.diff(reached, prepend=0.0)
        return np.append(levels, np.inf), np.append(coverable, 1.0 - coverable.sum())

    def state(self, setting: Setting) -> "JointState | SharedJointState":
        """Make the state."""
        levels, prior = self.candidates(setting)
        arms = setting.arms
        believed = beliefs(
            arms, prior, counted=self.counts, shape=tuple(self.shape), leak=self.leak, shared=self.shared
        )
        common = {
            "beliefs": believed,
            "levels": levels,
            "severities": np.array(setting.severities),
            "concentration": (self.middle_of + 1) / 2.0,
            "trust": self.trust,
            "covered": np.zeros(arms, np.int64),
            "stakes": np.zeros(arms),
            "chosen": np.zeros(arms, np.bool_),
        }
        if self.shared:
            places = [arms_covered(level, arms, setting.budget) for level in levels[:-1]]
            return SharedJointState(**common, places=np.array([*places, 0]), scratch=np.zeros(arms))
        return JointState(
            **common,
            oracle=exact_oracle(arms),
            budget=setting.budget,
            slack=setting.slack,
            spend=self.spend,
            wanted=np.zeros(arms),
            raises=np.zeros(arms, np.int64),
            worth=np.zeros(arms),
        )


class JointState(NamedTuple):
    """State where each arm has its own threshold."""

    beliefs: Beliefs
    levels: FloatArray  # the candidates; the last is inf
    severities: FloatArray
    concentration: float
    trust: float
    covered: IntArray  # how many candidates this round's grant covers, by arm
    stakes: FloatArray  # severity x loss rate, as drawn
    chosen: BoolArray
    oracle: Any
    budget: float
    slack: float
    spend: bool
    wanted: FloatArray  # thresholds as drawn
    raises: IntArray  # the best raise of an arm's grant: how many candidates it would cover
    worth: FloatArray  # what that raise would prevent per unit


class SharedJointState(NamedTuple):
    """State where one threshold holds for all arms."""

    beliefs: Beliefs
    levels: FloatArray
    severities: FloatArray
    concentration: float
    trust: float
    covered: IntArray
    stakes: FloatArray
    chosen: BoolArray
    places: IntArray  # how many arms the budget covers at each candidate
    scratch: FloatArray


@kernel
def _draw_quantile(rng: Any, concentration: float) -> float:
    """The middle one of 2c - 1 uniform draws is a Beta(c, c) draw."""
    return rng.random() if concentration == 1.0 else draw_beta(rng, concentration, concentration)


@ask.register
def _ask_shared(state: SharedJointState, rng: Any, allocation: FloatArray) -> None:
    threshold = candidate_at(state.beliefs, 0, _draw_quantile(rng, state.concentration))
    for i in range(allocation.size):
        rate = draw_rate(state.beliefs, rng, i, threshold, state.trust)
        state.stakes[i] = state.severities[i] * rate
    mark_largest(state.stakes, state.places[threshold], state.chosen, state.scratch)
    for i in range(allocation.size):
        state.covered[i] = threshold + 1 if state.chosen[i] else 0
        allocation[i] = state.levels[threshold] if state.chosen[i] else 0.0


@ask.register
def _ask(state: JointState, rng: Any, allocation: FloatArray) -> None:
    for i in range(allocation.size):
        threshold = candidate_at(state.beliefs, i, _draw_quantile(rng, state.concentration))
        rate = draw_rate(state.beliefs, rng, i, threshold, state.trust)
        state.stakes[i] = state.severities[i] * rate
        state.wanted[i] = state.levels[threshold]
        state.covered[i] = threshold + 1
    fit(state.oracle, state.wanted, state.budget)
    choose(state.oracle, state.stakes, state.chosen)
    left = state.budget
    for i in range(allocation.size):
        if state.chosen[i]:
            left -= state.wanted[i]
        else:
            state.covered[i] = 0
    if state.spend:
        _spend(state, left)
    for i in range(allocation.size):
        allocation[i] = _granted(state, i)


@kernel
def _granted(state: JointState, arm: int) -> float:
    return state.levels[state.covered[arm] - 1] if state.covered[arm] > 0 else 0.0


@kernel
def _plan_raise(state: JointState, arm: int, left: float) -> None:
    """Find the raise of an arm's grant that prevents most expected loss per unit, among those that fit."""
    weights, granted, covered = state.beliefs.weights[arm], _granted(state, arm), state.covered[arm]
    chance, best = 0.0, 0.0
    last = min(state.beliefs.stop[arm], weights.size - 1)
    for j in range(max(covered, state.beliefs.start[arm]), last):
        cost = state.levels[j] - granted
        if not fits(cost, left, state.slack):
            break
        chance += weights[j]
        if chance > best * cost:
            best = chance / cost
            state.raises[arm] = j + 1
    state.worth[arm] = best * state.stakes[arm] / state.beliefs.totals[arm]


@kernel
def _spend(state: JointState, left: float) -> None:
    """Raise grants, the most worthwhile raises first, nearly: within a bar that sinks sweep by sweep."""
    most = 0.0
    for i in range(state.worth.size):
        _plan_raise(state, i, left)
        most = max(most, state.worth[i])
    bar = most
    while bar > 1e-3 * most:
        bar *= 0.8
        for i in range(state.worth.size):
            while state.worth[i] > bar:
                cost = state.levels[state.raises[i] - 1] - _granted(state, i)
                if fits(cost, left, state.slack):
                    state.covered[i] = state.raises[i]
                    left -= cost
                _plan_raise(state, i, left)


@tell.register
def _tell_shared(state: SharedJointState, allocation: FloatArray, losses: FloatArray) -> None:
    for i in range(losses.size):
        learn(state.beliefs, i, state.covered[i], losses[i])


@tell.register
def _tell(state: JointState, allocation: FloatArray, losses: FloatArray) -> None:
    for i in range(losses.size):
        learn(state.beliefs, i, state.covered[i], losses[i])
