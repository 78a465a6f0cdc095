"""Plays a policy in a world whose response curves are known: the policy plans, and the world answers."""

import copy
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import Entry
from allotment.kernels.protocol import ask, enter, tell
from allotment.worlds.environment import count_step

if TYPE_CHECKING:
    from allotment.policies.base.learner import Learner


class Rounds(NamedTuple):
    """What places were granted and lost in each round, first to last."""

    situations: IntArray  # by round
    units: IntArray  # rounds x places: granted, in whole units of the model
    losses: FloatArray  # rounds x places: losses or finds; NaN where there is no report


@Entry
def _play(state, rng, uniforms, curves, worlds, situations, counts, finds, allocation, seen, units, losses):  # type: ignore[no-untyped-def]
    full = curves.shape[2] - 1
    for t in range(situations.size):
        enter(state, situations[t])
        ask(state, rng, allocation)
        for i in range(allocation.size):
            granted = int(allocation[i] * full + 0.5)
            curve, u = curves[worlds[t], i], uniforms[t, i]
            expected = curve[0] - curve[granted] if finds else curve[granted]
            if math.isnan(u):
                seen[i] = np.nan
            elif counts:
                seen[i] = count_step(max(expected, 0.0), 0.0, u)[0]
            else:
                seen[i] = 1.0 if u < expected else 0.0
            units[t, i], losses[t, i] = granted, seen[i]
        tell(state, allocation, seen)


def replayed(
    begun: "Learner",
    stream: np.random.Generator,
    curves: FloatArray,
    worlds: IntArray,
    situations: IntArray,
    uniforms: FloatArray,
    *,
    counts: bool = False,
    finds: bool = False,
) -> Rounds:
    """The rounds of a campaign in a world with known curves: worlds x places x amounts.

    `begun` is the policy before the first round, and stays as it is; `stream` is what the policy draws from.
    `worlds` and `situations` say for each round which curves hold, and which situation the policy is told.
    `uniforms` (rounds x places) is the world's luck: NaN where nobody reports.
    """
    learner, places = copy.deepcopy(begun), curves.shape[1]
    learner.stream = stream
    units, losses = np.zeros((situations.size, places), np.int64), np.zeros((situations.size, places))
    _play(
        learner.state,
        learner.stream,
        uniforms,
        np.ascontiguousarray(curves),
        np.ascontiguousarray(worlds, np.int64),
        np.ascontiguousarray(situations, np.int64),
        counts,
        finds,
        learner.allocation,
        np.zeros(places),
        units,
        losses,
    )
    return Rounds(situations, units, losses)
