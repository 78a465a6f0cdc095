"""The rule of policies that draw response curves: average a few draws, and share out the budget."""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import generic_with_default, kernel, lanes, shared
from allotment.compiling.vector_width import prefer_short_vectors
from allotment.kernels.lane_math import sum_of_all
from allotment.kernels.protocol import (
    UNPROVED,
    are_weights,
    ask,
    ask_in_python_seconds,
    is_sound,
    report,
    tell,
)
from allotment.oracles.protocol import unproved
from allotment.oracles.shares.oracle import share
from allotment.policies._whole_units import largest_units, oracle_of
from allotment.policies.any_response.choosing import rounds_of, was_seen_for
from allotment.policies.any_response.curiosity import weigh_with_curiosity
from allotment.policies.any_response.draws import Sketch, draw_prevented, fits_none, new_sketch, share_kinds
from allotment.policies.any_response.stairs import has_stairs
from allotment.policies.any_response.summaries import summing_seconds
from allotment.policies.any_response.tuning import ALONE_FROM, SCARCE_DRAWS
from allotment.policies.any_response.updates import learn_curves
from allotment.policies.base.policy import Setting
from allotment.randomness.bits import draw_uniform


class CurveState(NamedTuple):
    """The beliefs about curves, the parameters of the rule, and buffers for a round's draws."""

    beliefs: Any
    sketch: Sketch
    oracle: Any
    draws: int
    scarce: float  # draw more curves of an arm with fewer events than this
    opening: float  # its length, in granted units; curves are drawn afterwards
    curiosity: float
    left_alone: float  # an arm with n rounds gets nothing with probability left_alone/n, if in doubt
    side: float  # of drawn rates: at most the expected rate (-1), at least it (1), or any (0)
    finds: bool
    likeness: float
    slack: float
    severities: FloatArray
    values: FloatArray  # arms x amounts: the prevented cost of each number of units, as drawn
    reach: IntArray  # by arm: its largest number of units
    units: IntArray
    drawn: FloatArray  # by amount: the values of the arm in doubt, from a single draw


def curve_state(
    setting: Setting,
    beliefs: Any,
    *,
    draws: int = 1,
    scarce: float = 0.0,
    opening: int = 0,
    curiosity: float = 0.0,
    left_alone: float = 0.0,
    optimistic: bool = False,
    likeness: float | None = None,
) -> CurveState:
    """Make the state of a learner with these beliefs."""
    prior = beliefs.prior
    finds, columns = prior.finds, prior.seen.shape[1]
    oracle = oracle_of(setting, columns - 1)
    return CurveState(
        beliefs=beliefs,
        sketch=new_sketch(prior),
        oracle=oracle,
        draws=draws,
        scarce=scarce,
        opening=float(opening * oracle.allocator.budget[0]),
        curiosity=curiosity,
        left_alone=0.0 if finds else left_alone,  # without a grant, there are no finds
        side=(1.0 if finds else -1.0) if optimistic else 0.0,
        finds=finds,
        likeness=np.inf if likeness is None else likeness,
        slack=setting.slack,
        severities=np.array(setting.severities),
        values=np.zeros((setting.arms, columns)),
        reach=largest_units(setting, columns - 1),
        units=np.zeros(setting.arms, np.int64),
        drawn=np.zeros(columns),
    )


@generic_with_default
def seen_events(curves: Any, arm: int) -> float:
    """The number of events that the curve of an arm has shown."""
    return sum_of_all(curves.rows.events[arm])


@generic_with_default
def seen_rounds(curves: Any, arm: int) -> float:
    """The number of rounds that the curve of an arm was seen in."""
    return rounds_of(curves.rows, arm)


@kernel
def _share_curiously(state: CurveState) -> None:
    """Share out the budget by the expected effect of every amount and by its information."""
    rates = state.beliefs.bench.densities.rate
    for arm in range(state.units.size):
        worth = state.values[arm]
        reach = state.reach[arm]
        weigh_with_curiosity(
            state.beliefs, state.sketch, rates, arm, state.curiosity, state.finds, reach, worth
        )
        for u in range(worth.size):
            worth[u] *= state.severities[arm]
    share(state.oracle, state.values, state.units)


@lanes
def _are_rare(state: CurveState, arm: int, rate: float) -> bool:
    """Whether events are rare: finds, or the losses that would have happened without grants.

    Losses that grants prevented count too. Otherwise losses would seem rare at an arm that is granted too
    much, and it would hardly ever be granted less.
    """
    curves = state.beliefs
    seen = seen_events(curves, arm) if state.finds else rate * seen_rounds(curves, arm)
    return seen < state.scarce


@kernel
def _share_drawn(state: CurveState, most: int) -> None:
    """Share out the budget over averages of `most` drawn curves, more for arms where events are rare."""
    curves, sketch, of_kinds = state.beliefs, state.sketch, state.sketch.share
    for arm in range(state.units.size):
        worth = state.values[arm]
        for u in range(worth.size):
            worth[u] = 0.0
        free = fits_none(curves.prior, curves.rows, sketch.by_kind, sketch.bits, arm, of_kinds)
        # In averages of stairs, rarely tried amounts would hardly ever come out best.
        wanted = 1 if free and has_stairs(curves.rows, arm) else most
        drawn, rates = 0, 0.0
        while drawn < wanted:
            rates += draw_prevented(
                curves, sketch, sketch.by_kind, of_kinds, arm, free, state.side, state.finds
            )
            drawn += 1
            for u in range(worth.size):
                worth[u] += sketch.curve[u]
            if drawn == wanted == most > 1 and _are_rare(state, arm, rates / drawn):
                # Averages of more draws vary less. Where events are rare, a round reveals little.
                wanted = max(most, SCARCE_DRAWS)
        for u in range(worth.size):
            worth[u] *= state.severities[arm] / drawn
    share(state.oracle, state.values, state.units)


@kernel
def _to_be_doubted(state: CurveState) -> int:
    """The arm that gets nothing this round if its grant is in doubt; -1 if no arm is due."""
    curves, bits = state.beliefs, state.sketch.bits
    if state.left_alone == 0.0:
        return -1
    for arm in range(state.units.size):
        late = was_seen_for(curves, arm, ALONE_FROM)
        if late and draw_uniform(bits) * rounds_of(curves.rows, arm) < state.left_alone:
            return arm
    return -1


@kernel
def _share_doubting(state: CurveState, arm: int) -> None:
    """Share out the budget, but grant nothing to the due arm if a single draw would give it another amount.

    Around its usual grant, an arm's losses hardly change, so they reveal little about its curve. Granting
    nothing reveals the most about the curve per expected loss. If the arm would have received nothing, grant
    the drawn amount instead.
    """
    _share_drawn(state, 1)
    otherwise, worth = state.units[arm], state.values[arm]
    for u in range(worth.size):
        state.drawn[u] = worth[u]
    _share_drawn(state, state.draws)
    if state.units[arm] != otherwise:
        for u in range(worth.size):
            worth[u] = 0.0 if state.units[arm] > 0 else state.drawn[u]
        share(state.oracle, state.values, state.units)


@shared
def decide(state: CurveState, allocation: FloatArray) -> None:
    """Write this round's allocation."""
    prefer_short_vectors()
    rows = state.beliefs.rows
    share_kinds(state.beliefs.prior, rows, state.likeness, state.sketch)
    if rows.granted[0] < state.opening:
        _share_curiously(state)
    else:
        doubted = _to_be_doubted(state)
        if doubted < 0:
            _share_drawn(state, state.draws)
        else:
            _share_doubting(state, doubted)
    for arm in range(allocation.size):
        allocation[arm] = state.units[arm] / (state.values.shape[1] - 1)


@ask.register
def _ask(state: CurveState, rng: Any, allocation: FloatArray) -> None:
    decide(state, allocation)


@ask_in_python_seconds.register
def _ask_in_python_seconds(state: CurveState) -> float:
    return summing_seconds(state.beliefs)


@tell.register
def _tell(state: CurveState, allocation: FloatArray, losses: FloatArray) -> None:
    learn_curves(state.beliefs, allocation, losses, state.slack)


@is_sound.register
def _is_sound(state: CurveState) -> bool:
    return are_weights(state.beliefs.rows.by_kind)


@report.register
def _report(state: CurveState, counts: FloatArray, thresholds: FloatArray) -> None:
    counts[UNPROVED] = unproved(state.oracle)
