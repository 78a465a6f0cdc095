"""How policies decide that draw whole response curves: the average of a few draws, shared out exactly."""

from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.evidence import Evidence
from allotment.kernels.bits import sow
from allotment.kernels.curve_curiosity import weigh_with_curiosity
from allotment.kernels.curve_draws import Sketch, draw_prevented, fits_none, new_sketch, share_kinds
from allotment.kernels.curve_updates import learn_curves
from allotment.kernels.curves import Prior
from allotment.kernels.protocol import Findings, ask, findings, reseed, tell
from allotment.kernels.stairs import has_stairs
from allotment.oracles.protocol import unproved
from allotment.oracles.shares.oracle import share
from allotment.policies._whole_units import oracle_of
from allotment.policy import Setting
from allotment.response_posterior import curves_given


class CurveState(NamedTuple):
    """State: what is believed of curves, how to decide, and room for a round's draws."""

    beliefs: Any
    sketch: Sketch
    oracle: Any
    draws: int
    opening: float  # units to be granted in all before curves are drawn
    curiosity: float
    side: float  # where drawn rates may lie: below what is expected, above it, or anywhere
    finds: bool
    likeness: float
    slack: float
    severities: FloatArray
    values: FloatArray  # arms x amounts: what granting so many units prevents, as drawn
    units: IntArray


def curve_state(
    setting: Setting,
    prior: Prior,
    evidence: Evidence,
    *,
    draws: int = 1,
    opening: int = 0,
    curiosity: float = 0.0,
    optimistic: bool = False,
    likeness: float | None = None,
) -> CurveState:
    """The state of a learner that knows the evidence."""
    finds, columns = evidence.sees == "finds", prior.seen.shape[1]
    oracle = oracle_of(setting, columns - 1)
    return CurveState(
        beliefs=curves_given(prior, evidence),
        sketch=new_sketch(prior),
        oracle=oracle,
        draws=draws,
        opening=float(opening * oracle.allocator.budget[0]),
        curiosity=curiosity,
        side=(1.0 if finds else -1.0) if optimistic else 0.0,
        finds=finds,
        likeness=np.inf if likeness is None else likeness,
        slack=setting.slack,
        severities=np.array(setting.severities),
        values=np.zeros((setting.arms, columns)),
        units=np.zeros(setting.arms, np.int64),
    )


@ask.register
def _ask(state: CurveState, rng: Any, allocation: FloatArray) -> None:
    curves, sketch, values = state.beliefs, state.sketch, state.values
    share_kinds(curves.prior, curves.rows, state.likeness, sketch)
    columns, opening = values.shape[1], curves.rows.granted[0] < state.opening
    for arm in range(allocation.size):
        if opening:
            weigh_with_curiosity(curves, sketch, arm, state.curiosity, state.finds, values[arm])
            for u in range(columns):
                values[arm, u] *= state.severities[arm]
            continue
        for u in range(columns):
            values[arm, u] = 0.0
        free = fits_none(curves, sketch, arm)
        # In averages of stairs, amounts that were tried seldom would hardly ever come out best.
        draws = 1 if free and has_stairs(curves.rows, arm) else state.draws
        weight = state.severities[arm] / draws
        for _ in range(draws):
            draw_prevented(curves, sketch, arm, free, state.side, state.finds)
            for u in range(columns):
                values[arm, u] += weight * sketch.curve[u]
    share(state.oracle, values, state.units)
    for arm in range(allocation.size):
        allocation[arm] = state.units[arm] / (columns - 1)


@tell.register
def _tell(state: CurveState, allocation: FloatArray, losses: FloatArray) -> None:
    learn_curves(state.beliefs, allocation, losses, state.slack)


@reseed.register
def _reseed(state: CurveState, rng: np.random.Generator) -> None:
    sow(state.sketch.bits, rng)


@findings.register
def _findings(state: CurveState) -> Findings:
    return Findings(unproved=unproved(state.oracle))
