"""Joint's draws of a round: whether thresholds are on the grid, and each arm's threshold and stake."""

import math

from allotment.arrays import FloatArray
from allotment.compiling.decorators import kernel, lanes
from allotment.policies.joint.belief_grid import inside, may_be_cut, share_of
from allotment.policies.joint.information import expected_rate, rate_law
from allotment.policies.joint.joint_state import Draws, JointState, Rule
from allotment.policies.joint.threshold_beliefs import (
    Beliefs,
    candidate_at,
    chance_on_grid,
    on_grid_at,
)
from allotment.policies.joint.tuning import DOUBT, ROOM
from allotment.randomness.bits import draw_uniform
from allotment.randomness.laws import draw_betas, draw_gammas


@kernel
def draw_stakes(beliefs: Beliefs, rule: Rule, draws: Draws, severities: FloatArray) -> None:
    """Draw every arm's loss rate, given its drawn threshold."""
    for i in range(severities.size):
        draws.first[i], draws.second[i] = rate_law(beliefs, i, draws.covered[i] - 1, rule.trust)
    if beliefs.counts:
        draw_gammas(draws.bits, draws.first, draws.rates)
    else:
        draw_betas(draws.bits, draws.first, draws.second, draws.rates)
    for i in range(severities.size):
        if beliefs.counts:
            draws.rates[i] /= draws.second[i]
        rate = draws.rates[i]
        if rule.optimistic:
            rate = min(rate, expected_rate(beliefs, i, draws.covered[i] - 1))
        draws.stakes[i] = severities[i] * rate


@lanes
def granted(state: JointState, arm: int) -> float:
    """The amount that an arm is granted."""
    covered = state.draws.covered[arm]
    if state.draws.reach[arm] < 1.0:
        return inside(state.beliefs, arm, covered - 1, state.draws.reach[arm])
    return state.beliefs.levels[arm, covered - 1] if covered > 0 else 0.0


@kernel
def _draw_grid(state: JointState) -> None:
    """Draw whether thresholds are on the grid.

    While that is in doubt, acting as if they were not would put every covered arm at risk at once. So such a
    draw leads to a probe of one arm, and the others get multiples.
    """
    draws, beliefs = state.draws, state.beliefs
    if beliefs.log_odds > -math.inf:
        chance = chance_on_grid(beliefs)
        draws.uniform[0] = draw_uniform(draws.bits)
        on_grid = draws.uniform[0] < chance
        draws.probing[0] = not on_grid and chance > DOUBT
        draws.on_grid[0] = on_grid or chance > DOUBT
        draws.finer[0] = not draws.on_grid[0]


@kernel
def draw_round(state: JointState) -> None:
    """Draw every arm's threshold and stake."""
    draws, beliefs = state.draws, state.beliefs
    _draw_grid(state)
    for i in range(draws.covered.size):
        draws.quantiles[i] = draw_uniform(draws.bits)
        draws.reach[i] = draws.share[i] = share = 1.0
        draws.stays[i] = False
        if draws.on_grid[0]:
            threshold = on_grid_at(beliefs, i, draws.quantiles[i])
        else:
            threshold, share = candidate_at(beliefs, i, draws.quantiles[i])
        if share < 1.0 and may_be_cut(beliefs, i, threshold, ROOM):
            draws.share[i] = share_of(beliefs, i, threshold, share)
        draws.place[i], draws.covered[i] = threshold, threshold + 1
        draws.wanted[i] = granted(state, i)
    draw_stakes(beliefs, state.rule, draws, state.severities)
