"""Joint's grants between multiples: test whether thresholds are off the grid, and go finer if so."""

import math

from allotment.compiling.comparisons import fits
from allotment.compiling.decorators import kernel, lanes
from allotment.oracles.protocol import choose, fit
from allotment.policies.joint.belief_grid import (
    after_step,
    chance_up_to,
    inside,
    lower_end,
    reach_of,
    width_of,
)
from allotment.policies.joint.information import expected_rate
from allotment.policies.joint.joint_state import JointState
from allotment.policies.joint.threshold_beliefs import Beliefs
from allotment.policies.joint.threshold_draws import granted
from allotment.policies.joint.tuning import ABOUT_ONE, ALIKE, FAIR, MIDWAY, PROBES, SURE, TRIED, TRUSTED


@kernel
def choose_finer(state: JointState) -> None:
    """Choose arms, and how far down their cells to go.

    If thresholds lie inside their cells, as drawn, some arms fit together that do not fit with their whole
    cells. These arms are `within`; the arms that fit with whole cells are `chosen`. If all whole cells fit,
    there is nothing to cut. Otherwise, cells are cut where it pays, until the arms fit or are known not to
    fit.
    """
    draws, beliefs = state.draws, state.beliefs
    for i in range(draws.stakes.size):
        draws.wanted[i] = inside(beliefs, i, draws.place[i], draws.share[i])
    fit(state.oracle, draws.wanted, state.budget)
    choose(state.oracle, draws.stakes, draws.within)
    needed = 0.0
    for i in range(draws.stakes.size):
        draws.wanted[i] = beliefs.levels[i, draws.place[i]]
        needed += draws.wanted[i] if draws.within[i] else 0.0
    if fits(needed, state.budget, state.slack):
        _take_within(state)
    else:
        fit(state.oracle, draws.wanted, state.budget)
        choose(state.oracle, draws.stakes, draws.chosen)
        if _cuts_pay(state):
            _cut(state)
    for i in range(draws.stakes.size):
        if not draws.chosen[i]:
            draws.reach[i] = 1.0
        elif draws.reach[i] == 1.0 and beliefs.weights[i, draws.place[i]] >= FAIR * beliefs.totals[i]:
            draws.reach[i] = after_step(beliefs, i, draws.place[i], False)
        draws.wanted[i] = granted(state, i)
        # An arm that is raised each time never shows how little it needs, and leaves nothing to try
        # elsewhere.
        if draws.chosen[i] and not draws.stays[i]:
            draws.stays[i] = draws.reach[i] < 1.0 or chance_up_to(beliefs, i, draws.place[i]) >= TRUSTED


@lanes
def _take_within(state: JointState) -> None:
    for i in range(state.draws.chosen.size):
        state.draws.chosen[i] = state.draws.within[i]


@kernel
def _cuts_pay(state: JointState) -> bool:
    """Whether the arms within would have saved more so far than cutting their cells costs.

    Cutting costs about one loss per cell. Thresholds count as uniform over their cells, and their sum as
    normal.
    """
    draws, beliefs = state.draws, state.beliefs
    better, cuts, chance, middle, spread = 0.0, 0, 1.0, 0.0, 0.0
    for i in range(draws.stakes.size):
        if draws.chosen[i]:
            better -= draws.stakes[i]
        if draws.within[i]:
            better += draws.stakes[i]
            chance *= chance_up_to(beliefs, i, draws.place[i])
            middle += beliefs.levels[i, draws.place[i]]
            if draws.share[i] < 1.0:
                width = width_of(beliefs, i, draws.place[i])
                cuts += 1
                middle -= 0.5 * width
                spread += width * width / 12.0
    if cuts == 0:
        return False
    chance *= 0.5 * math.erfc((middle - state.budget) / math.sqrt(2.0 * spread))
    return chance * better * beliefs.granted[0] >= cuts * state.budget


@lanes
def _is_cut(state: JointState, arm: int) -> bool:
    """Whether an arm fits within only if its grant is less than its whole cell."""
    return state.draws.within[arm] and state.draws.share[arm] < 1.0


@kernel
def _widest_left_out(state: JointState) -> int:
    """The arm with the widest cell among the arms that are covered only if all within fit; -1 if none is."""
    draws, widest, arm = state.draws, 0.0, -1
    for i in range(draws.stakes.size):
        if _is_cut(state, i) and not draws.chosen[i]:
            width = width_of(state.beliefs, i, draws.place[i])
            if width > widest:
                widest, arm = width, i
    return arm


@kernel
def _cut(state: JointState) -> None:
    """Go one step down every cell to be cut, and choose the arms within if they may well fit then.

    An arm that is covered only if all within fit gets the rest of the budget. If that is unlikely to cover
    it, the arm is chosen beside arms that leave it more: the largest amount with which all within still fit.
    If that does not cover it either, cutting has no point. Without this step, the arm would never show how
    little it needs.
    """
    draws, beliefs, arm = state.draws, state.beliefs, _widest_left_out(state)
    left, most, wide = state.budget, state.budget, 0.0
    for i in range(draws.stakes.size):
        if _is_cut(state, i):
            draws.reach[i] = after_step(beliefs, i, draws.place[i], True)
            wide += width_of(beliefs, i, draws.place[i]) if draws.chosen[i] else 0.0
        if draws.within[i] and i != arm:
            left -= granted(state, i)
            most -= lower_end(beliefs, i, draws.place[i])
    if arm < 0:
        if fits(0.0, left, state.slack):
            _take_within(state)
        return
    if _chance_of(state, arm, left) < TRIED:
        for i in range(draws.stakes.size):
            if i != arm and _is_cut(state, i) and not draws.chosen[i]:
                left += granted(state, i)
                draws.reach[i] = draws.share[i]
                left -= granted(state, i)
    place = draws.place[arm]
    if _chance_of(state, arm, left) >= TRIED:
        draws.reach[arm] = reach_of(beliefs, arm, place, left)
        _take_within(state)
    elif _chance_of(state, arm, most) < TRUSTED:
        _make_way(state, arm, reach_of(beliefs, arm, place, most))
    elif width_of(beliefs, arm, place) > wide:
        _make_way(state, arm, MIDWAY)


@kernel
def _chance_of(state: JointState, arm: int, amount: float) -> float:
    """The probability that an amount covers an arm; 0 below the cell of its drawn threshold."""
    beliefs, place = state.beliefs, state.draws.place[arm]
    reach = reach_of(beliefs, arm, place, amount)
    missed = (1.0 - reach) * beliefs.weights[arm, place] / beliefs.totals[arm]
    return chance_up_to(beliefs, arm, place) - missed if reach > 0.0 else 0.0


@kernel
def _make_way(state: JointState, arm: int, reach: float) -> None:
    """Choose again, with this arm among the chosen at a share of its cell."""
    draws, stake, more = state.draws, state.draws.stakes[arm], 1.0
    for i in range(draws.stakes.size):
        more += draws.stakes[i]
        draws.reach[i] = 1.0
    draws.stakes[arm] = more
    choose(state.oracle, draws.stakes, draws.chosen)
    draws.stakes[arm], draws.reach[arm], draws.stays[arm] = stake, reach, True


@lanes
def _is_wide(beliefs: Beliefs, arm: int, place: int) -> bool:
    """Whether a cell is wider than a probe, up to rounding."""
    return width_of(beliefs, arm, place) > ABOUT_ONE * _probe_of(beliefs)


@lanes
def _probe_of(beliefs: Beliefs) -> float:
    """How far below a multiple a probe grants."""
    return max(beliefs.finest, beliefs.resolution / PROBES)


@kernel
def _probe_is_worth(state: JointState, arm: int) -> float:
    """How quickly a probe of an arm would decide, per cost at risk; 0 if there is nothing to probe."""
    draws, beliefs, place = state.draws, state.beliefs, state.draws.place[arm]
    if not draws.chosen[arm] or place >= beliefs.last[arm]:
        return 0.0
    weight = beliefs.on_grid[arm, place] * beliefs.weights[arm, place]
    if weight < SURE * beliefs.on_grid_totals[arm]:
        return 0.0
    if not _is_wide(beliefs, arm, place) and (
        place == 0 or beliefs.weights[arm, place - 1] <= ALIKE * beliefs.totals[arm]
    ):
        return 0.0  # an earlier probe had a loss
    return expected_rate(beliefs, arm, place) / state.severities[arm]


@kernel
def probe(state: JointState) -> None:
    """Grant one arm a little less than the multiple that covers it.

    If thresholds are on the grid, the first loss shows it. If not, the smaller amount will most likely cover.
    """
    draws, beliefs = state.draws, state.beliefs
    best, arm = 0.0, 0
    for i in range(draws.stakes.size):
        worth = _probe_is_worth(state, i)
        if worth > best:
            best, arm = worth, i
    if best > 0.0:
        place = draws.place[arm]
        draws.covered[arm], draws.reach[arm] = place, 1.0
        if _is_wide(beliefs, arm, place):
            draws.covered[arm] = place + 1
            draws.reach[arm] = 1.0 - _probe_of(beliefs) / width_of(beliefs, arm, place)
