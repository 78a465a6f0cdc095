"""Joint's kernels: draw thresholds and loss rates from the posterior, and grant what the draws ask for."""

from typing import Any, NamedTuple

from allotment.arrays import BoolArray, FloatArray, IntArray
from allotment.comparisons import fits
from allotment.compiling import kernel
from allotment.kernels.beliefs import (
    Beliefs,
    candidate_at,
    draw_rate,
    expected_rate,
    learn,
    rounds_seen,
)
from allotment.kernels.information import expect_information
from allotment.kernels.protocol import ask, tell
from allotment.kernels.sampling import draw_beta
from allotment.oracles.protocol import choose, fit
from allotment.oracles.top_m import mark_largest


class Draws(NamedTuple):
    """How to draw, and what was drawn this round."""

    extra: float  # the middle is taken of 1 + 2 · extra draws at first
    fade: float
    trust: float
    optimistic: bool
    severities: FloatArray
    stakes: FloatArray  # severity x loss rate, as drawn
    covered: IntArray  # how many candidates the grant covers, by arm
    chosen: BoolArray


class JointState(NamedTuple):
    """State where each arm has its own threshold."""

    beliefs: Beliefs
    levels: FloatArray  # the candidates; the last is inf
    draws: Draws
    oracle: Any
    budget: float
    slack: float
    spend: bool
    opening: float  # rounds
    curiosity: float
    wanted: FloatArray  # thresholds as drawn
    told: FloatArray  # arms x candidates: what a grant would tell about the threshold; filled in the opening
    raises: IntArray  # the best raise of an arm's grant: how many candidates it would cover
    worth: FloatArray  # what that raise is worth per unit


class SharedJointState(NamedTuple):
    """State where one threshold holds for all arms."""

    beliefs: Beliefs
    levels: FloatArray
    draws: Draws
    places: IntArray  # how many arms the budget covers at each candidate
    scratch: FloatArray


@kernel
def _draw_threshold(beliefs: Beliefs, draws: Draws, rng: Any, arm: int) -> int:
    """The middle one of 2c - 1 posterior draws: the one at a Beta(c, c) quantile."""
    extra = draws.extra / (1.0 + rounds_seen(beliefs, arm) / draws.fade)
    quantile = draw_beta(rng, 1.0 + extra, 1.0 + extra) if extra > 0.0 else rng.random()
    return candidate_at(beliefs, arm if beliefs.weights.shape[0] > 1 else 0, quantile)


@kernel
def _draw_stake(beliefs: Beliefs, draws: Draws, rng: Any, arm: int, threshold: int) -> None:
    rate = draw_rate(beliefs, rng, arm, threshold, draws.trust)
    if draws.optimistic:
        rate = min(rate, expected_rate(beliefs, arm, threshold))
    draws.stakes[arm] = draws.severities[arm] * rate


@ask.register
def _ask_shared(state: SharedJointState, rng: Any, allocation: FloatArray) -> None:
    draws = state.draws
    threshold = _draw_threshold(state.beliefs, draws, rng, 0)
    for i in range(allocation.size):
        _draw_stake(state.beliefs, draws, rng, i, threshold)
    mark_largest(draws.stakes, state.places[threshold], draws.chosen, state.scratch)
    for i in range(allocation.size):
        draws.covered[i] = threshold + 1 if draws.chosen[i] else 0
        allocation[i] = state.levels[threshold] if draws.chosen[i] else 0.0


@ask.register
def _ask(state: JointState, rng: Any, allocation: FloatArray) -> None:
    draw_round(state, rng)
    if _is_opening(state):
        _open(state)
    else:
        fit(state.oracle, state.wanted, state.budget)
        choose(state.oracle, state.draws.stakes, state.draws.chosen)
        left = take_chosen(state)
        if state.spend:
            spend_rest(state, left, 0.0)
    for i in range(allocation.size):
        allocation[i] = granted(state, i)


@kernel
def draw_round(state: JointState, rng: Any) -> None:
    """Draw every arm's threshold and stake."""
    for i in range(state.wanted.size):
        threshold = _draw_threshold(state.beliefs, state.draws, rng, i)
        _draw_stake(state.beliefs, state.draws, rng, i, threshold)
        state.draws.covered[i] = threshold + 1
        state.wanted[i] = state.levels[threshold]


@kernel
def _is_opening(state: JointState) -> bool:
    """Whether arms have been seen for fewer rounds than the opening takes, on average."""
    rounds = 0.0
    for i in range(state.wanted.size):
        rounds += rounds_seen(state.beliefs, i)
    return rounds < state.opening * state.wanted.size


@kernel
def _open(state: JointState) -> None:
    """Spend the whole budget step by step, curious about thresholds."""
    for i in range(state.wanted.size):
        state.draws.covered[i] = 0
        expect_information(state.beliefs, i, state.told[i])
    spend_rest(state, state.budget, state.curiosity)


@kernel
def take_chosen(state: JointState) -> float:
    """Grant the chosen arms what was drawn for them and the others nothing; return what is left."""
    left = state.budget
    for i in range(state.wanted.size):
        if state.draws.chosen[i]:
            left -= state.wanted[i]
        else:
            state.draws.covered[i] = 0
    return left


@kernel
def granted(state: JointState, arm: int) -> float:
    """The amount that an arm is granted."""
    covered = state.draws.covered[arm]
    return state.levels[covered - 1] if covered > 0 else 0.0


@kernel
def _plan_raise(state: JointState, arm: int, left: float, curiosity: float) -> None:
    """Find the raise of an arm's grant that is worth most per unit, among those that fit.

    It is worth the chance that it covers, and what it tells times `curiosity`, both times the stake.
    """
    beliefs, before = state.beliefs, granted(state, arm)
    start, stop = max(state.draws.covered[arm], beliefs.start[arm]), beliefs.stop[arm]
    chance, best = 0.0, 0.0
    for j in range(start, min(stop, state.levels.size - 1)):
        cost = state.levels[j] - before
        if not fits(cost, left, state.slack):
            break
        chance += beliefs.weights[arm, j]
        gain = chance / beliefs.totals[arm]
        if curiosity > 0.0:
            gain += curiosity * (state.told[arm, j + 1] - state.told[arm, state.draws.covered[arm]])
        if gain > best * cost:
            best = gain / cost
            state.raises[arm] = j + 1
    state.worth[arm] = best * state.draws.stakes[arm]


@kernel
def spend_rest(state: JointState, left: float, curiosity: float) -> None:
    """Raise grants, the most worthwhile first: in sweeps, each taking what is above a bar that sinks."""
    most = 0.0
    for i in range(state.worth.size):
        _plan_raise(state, i, left, curiosity)
        most = max(most, state.worth[i])
    bar = most
    while bar > 1e-3 * most:
        bar *= 0.8
        for i in range(state.worth.size):
            while state.worth[i] > bar:
                cost = state.levels[state.raises[i] - 1] - granted(state, i)
                if fits(cost, left, state.slack):
                    state.draws.covered[i] = state.raises[i]
                    left -= cost
                _plan_raise(state, i, left, curiosity)


@kernel
def _learn(beliefs: Beliefs, draws: Draws, losses: FloatArray) -> None:
    for i in range(losses.size):
        learn(beliefs, i, draws.covered[i], losses[i])


@tell.register
def _tell_shared(state: SharedJointState, allocation: FloatArray, losses: FloatArray) -> None:
    _learn(state.beliefs, state.draws, losses)


@tell.register
def _tell(state: JointState, allocation: FloatArray, losses: FloatArray) -> None:
    _learn(state.beliefs, state.draws, losses)
