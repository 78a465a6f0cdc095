"""Joint's rule: draw thresholds and loss rates from the posterior, and grant what the draws ask for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from allotment.arrays import FloatArray
from allotment.checks import flag, nonnegative, number, whole
from allotment.compiling.comparisons import fits
from allotment.compiling.decorators import kernel, lanes, shared
from allotment.kernels.protocol import UNPROVED, ask, is_sound, ready_for, report, tell
from allotment.oracles.protocol import choose, fit, unproved
from allotment.oracles.top_m import mark_largest
from allotment.policies.base.policy import Policy
from allotment.policies.joint.belief_grid import inside, may_be_cut, reach_of, with_candidates
from allotment.policies.joint.belief_updates import learn
from allotment.policies.joint.finer_cells import choose_finer, probe
from allotment.policies.joint.information import expect_information
from allotment.policies.joint.joint_state import JointState, Rule, SharedJointState, new_raises
from allotment.policies.joint.threshold_beliefs import Beliefs, candidate_at
from allotment.policies.joint.threshold_draws import draw_round, draw_stakes, granted
from allotment.policies.joint.tuning import (
    ALIKE,
    CURIOSITY,
    HALF,
    OPENING,
    STEPS,
    TRUST,
    WORTH_TAKING,
)
from allotment.randomness.bits import draw_uniform

OPENING_SLACK = 1e-9  # sums in another order differ by less


@dataclass(frozen=True)
class JointRule(Policy):
    """The parameters of Joint's rule; `Joint` explains them."""

    removed: ClassVar[Mapping[str, tuple[Any, ...]]] = {"middle_of": (19, 1), "fade": (10.0, None)}

    trust: float = TRUST
    optimistic: bool = True
    spend: bool = True
    opening: int = OPENING
    curiosity: float = CURIOSITY

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("trust", number("trust", self.trust, "a number of at least 1", least=1.0))
        for name in ("optimistic", "spend"):
            self.keep(name, flag(name, getattr(self, name)))
        self.keep("opening", whole("opening", self.opening, least=0))
        self.keep("curiosity", nonnegative("curiosity", self.curiosity))

    def rule(self) -> Rule:
        """The parameters in the form that kernels take."""
        return Rule(
            trust=self.trust,
            optimistic=self.optimistic,
            spend=self.spend,
            opening=float(self.opening),
            curiosity=self.curiosity,
        )


@ask.register
def _ask_shared(state: SharedJointState, rng: Any, allocation: FloatArray) -> None:
    draws = state.draws
    draws.quantiles[0] = draw_uniform(draws.bits)
    threshold, _ = candidate_at(state.beliefs, 0, draws.quantiles[0])
    for i in range(allocation.size):
        draws.covered[i] = threshold + 1
    draw_stakes(state.beliefs, state.rule, draws, state.severities)
    mark_largest(draws.stakes, state.places[threshold], draws.chosen, state.order)
    for i in range(allocation.size):
        allocation[i] = state.beliefs.levels[0, threshold] if draws.chosen[i] else 0.0


@ask.register
@lanes
def _ask(state: JointState, rng: Any, allocation: FloatArray) -> None:
    draw_round(state)
    if _is_opening(state):
        _open(state)
    else:
        if state.draws.finer[0]:
            choose_finer(state)
        else:
            fit(state.oracle, state.draws.wanted, state.budget)
            choose(state.oracle, state.draws.stakes, state.draws.chosen)
        left = take_chosen(state)
        if state.rule.spend:
            spend_rest(state, left, 0.0)
        if state.draws.probing[0]:
            probe(state)
    for i in range(allocation.size):
        allocation[i] = granted(state, i)


@lanes
def _is_opening(state: JointState) -> bool:
    """Whether the opening, counted in granted amounts, is not over yet."""
    return state.beliefs.granted[0] < state.rule.opening * state.budget - OPENING_SLACK


@shared
def _open(state: JointState) -> None:
    """Spend the whole budget step by step, by expected effect and information."""
    for i in range(state.severities.size):
        state.draws.covered[i] = 0
        state.draws.reach[i] = 1.0
        state.draws.chosen[i] = False
        expect_information(state.beliefs, i, state.raises.told[i])
    spend_rest(state, state.budget, state.rule.curiosity)


@lanes
def take_chosen(state: JointState) -> float:
    """Grant the chosen arms their drawn thresholds, and the others nothing; return the rest of the budget."""
    left = state.budget
    for i in range(state.severities.size):
        if state.draws.chosen[i]:
            left -= state.draws.wanted[i]
        else:
            state.draws.covered[i] = 0
            state.draws.reach[i] = 1.0
    return left


@kernel
def _plan_raise(state: JointState, arm: int, left: float, curiosity: float) -> None:
    """Find the raise of an arm's grant with the largest value per unit, among the raises that fit.

    Its value is the probability that it covers, plus `curiosity` times its information, both times the stake.
    """
    beliefs, draws, raises, before = state.beliefs, state.draws, state.raises, granted(state, arm)
    on_grid, covered = draws.on_grid[0], draws.covered[arm]
    total = beliefs.on_grid_totals[arm] if on_grid else beliefs.totals[arm]
    chance, best = 0.0, 0.0
    if draws.stays[arm]:
        raises.worth[arm] = 0.0
        return
    if draws.reach[arm] < 1.0:
        covered -= 1
        chance = -draws.reach[arm] * beliefs.weights[arm, covered]
    j, stop = max(covered, beliefs.start[arm]), min(beliefs.stop[arm], beliefs.last[arm])
    while j < stop:
        cost = beliefs.levels[arm, j] - before
        if not fits(cost, left, state.slack):
            break
        chance += beliefs.weights[arm, j] * (beliefs.on_grid[arm, j] if on_grid else 1.0)
        gain = chance / total
        if curiosity > 0.0:
            gain += curiosity * (raises.told[arm, j + 1] - raises.told[arm, covered])
        if gain > max(best * cost * (1.0 + ALIKE), ALIKE):
            best = gain / cost
            raises.target[arm], raises.reach[arm] = j + 1, 1.0
        j += 1
    if j < stop and draws.finer[0]:
        # Half of the slack, so that rounding neither loses a step nor adds one that does not fit.
        reach = _reach_into(beliefs, arm, j, before + left + 0.5 * state.slack)
        cost = inside(beliefs, arm, j, reach) - before
        gain = (chance + reach * beliefs.weights[arm, j]) / total
        if reach > 0.0 and cost > 0.0 and gain > max(best * cost * (1.0 + ALIKE), ALIKE):
            best = gain / cost
            raises.target[arm], raises.reach[arm] = j + 1, reach
    raises.worth[arm] = best * draws.stakes[arm]


@kernel
def _reach_into(beliefs: Beliefs, arm: int, candidate: int, most: float) -> float:
    """How far up a cell an amount may go, in whole steps."""
    if not may_be_cut(beliefs, arm, candidate, HALF):
        return 0.0
    reach = math.floor(STEPS * reach_of(beliefs, arm, candidate, most)) / STEPS
    return reach_of(beliefs, arm, candidate, inside(beliefs, arm, candidate, reach))


@kernel
def spend_rest(state: JointState, left: float, curiosity: float) -> None:
    """Raise grants with the rest of the budget, the most valuable raises first.

    Every arm has one planned raise, the best per unit. Taking raises strictly in order would mean a search
    over all arms after each. Instead, a sweep over the arms takes every raise that is worth nearly as much as
    the best. A raise that no longer fits is planned again with the rest of the budget; if none fits, its
    value is 0.
    """
    most = 0.0
    for i in range(state.severities.size):
        _plan_raise(state, i, left, curiosity)
        most = max(most, state.raises.worth[i])
    while most > 0.0:
        bar, most = WORTH_TAKING * most, 0.0
        for i in range(state.severities.size):
            while state.raises.worth[i] > bar:
                target, reach = state.raises.target[i], state.raises.reach[i]
                cost = inside(state.beliefs, i, target - 1, reach) - granted(state, i)
                if fits(cost, left, state.slack):
                    state.draws.covered[i], state.draws.reach[i] = target, reach
                    left -= cost
                _plan_raise(state, i, left, curiosity)
            most = max(most, state.raises.worth[i])


@lanes
def _learn(beliefs: Beliefs, allocation: FloatArray, losses: FloatArray) -> None:
    for i in range(losses.size):
        if not math.isnan(losses[i]):
            learn(beliefs, i, allocation[i], losses[i])


@tell.register
def _tell_shared(state: SharedJointState, allocation: FloatArray, losses: FloatArray) -> None:
    _learn(state.beliefs, allocation, losses)


@tell.register
@lanes
def _tell(state: JointState, allocation: FloatArray, losses: FloatArray) -> None:
    _learn(state.beliefs, allocation, losses)


@kernel
def _are_sound(beliefs: Beliefs) -> bool:
    wrong = 0
    for row in range(beliefs.totals.size):
        wrong += not 0.0 < beliefs.totals[row] < math.inf
    return wrong == 0


@is_sound.register
def _is_sound(state: JointState) -> bool:
    return _are_sound(state.beliefs)


@is_sound.register
def _is_sound_shared(state: SharedJointState) -> bool:
    return _are_sound(state.beliefs)


@ready_for.register
def _ready_for(state: JointState, amounts: FloatArray) -> JointState:
    beliefs = with_candidates(state.beliefs, amounts)
    if beliefs is state.beliefs:
        return state
    return state._replace(beliefs=beliefs, raises=new_raises(*beliefs.levels.shape))


@report.register
def _report(state: JointState, counts: FloatArray, thresholds: FloatArray) -> None:
    counts[UNPROVED] = unproved(state.oracle)
