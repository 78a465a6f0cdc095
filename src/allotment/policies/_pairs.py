"""What policies share that learn every (arm, amount) pair by itself: its rounds, and what was seen there."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import flag, one_of
from allotment.compiling.decorators import generic, generic_with_default, kernel
from allotment.evidence import Evidence
from allotment.kernels.free_curve import SURE, make_falling
from allotment.kernels.protocol import ask, tell
from allotment.oracles.shares.oracle import share
from allotment.oracles.shares.size import sharing_bytes
from allotment.policies._whole_units import oracle_of
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.system.memory import Memory
from allotment.worlds.units import full_units
from allotment.worlds.world import SEES


class Pairs(NamedTuple):
    """State: what was seen of every pair, and room for a round."""

    index: Any  # how a pair's losses are estimated: has an `estimate_pair` kernel
    oracle: Any
    monotone: bool
    finds: bool
    slack: float
    severities: FloatArray
    reports: IntArray  # one number: of arms, so that reports in parts count as one round
    events: FloatArray  # arms x amounts
    rounds: FloatArray
    values: FloatArray
    units: IntArray
    curve: FloatArray  # by amount
    weights: FloatArray
    sizes: FloatArray


@generic
def estimate_pair(index: Any, rng: Any, events: float, rounds: float, clock: int, finds: bool) -> float:
    """Estimate how often a pair shows an event, on the optimistic side."""
    raise NotImplementedError


@generic_with_default
def compare_arms(index: Any, events: FloatArray, rounds: FloatArray) -> None:
    """Learn what all pairs have in common, before a round estimates them. Most indices do nothing."""


@generic_with_default
def bound_arm(index: Any, curve: FloatArray) -> None:
    """Tighten the estimates of an arm's amounts by each other. Finds have a minus. By default, do nothing."""


@dataclass(frozen=True)
class PairPolicy(Policy):
    """A policy that learns every (arm, amount) pair on its own, in whole units."""

    unit: float = 0.05
    monotone: bool = False
    sees: str = "losses"

    def check(self) -> None:
        """Check the parameters."""
        self.keep("unit", 1.0 / full_units(self.unit))
        self.keep("monotone", flag("monotone", self.monotone))
        one_of("sees", self.sees, SEES)

    @property
    def accepts(self) -> Accepts:
        """Whatever was granted and seen, in any order; bounds too."""
        return LEARNS_FROM_EVIDENCE | Accepts(finds=self.sees == "finds", bounds=True)

    def footprint(self, arms: int) -> Memory:
        """The memory that its learners take: what was seen of every pair, and room for a round."""
        units = full_units(self.unit)
        return Memory(shared=0.0, each=24.0 * arms * (units + 1) + sharing_bytes(units, arms))

    def index(self, setting: Setting) -> Any:
        """Make the index that estimates a pair: a NamedTuple with a registered `estimate_pair` kernel.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and everything else that is known beforehand.

        Returns
        -------
        NamedTuple
            The index.
        """
        raise NotImplementedError

    def state(self, setting: Setting) -> Pairs:
        """Make the state."""
        return self.informed(setting, Evidence(setting.arms, sees=self.sees))

    def informed(self, setting: Setting, evidence: Evidence) -> Pairs:
        """Make the state of a learner that knows the evidence."""
        units = full_units(self.unit)
        shape = setting.arms, units + 1
        rounds, events = evidence.in_units(units)
        return Pairs(
            index=self.index(setting),
            oracle=oracle_of(setting, units),
            monotone=self.monotone,
            finds=self.sees == "finds",
            slack=setting.slack,
            severities=np.array(setting.severities),
            reports=np.full(1, round(rounds.sum())),
            events=events,
            rounds=rounds,
            values=np.zeros(shape),
            units=np.zeros(setting.arms, np.int64),
            curve=np.zeros(units + 1),
            weights=np.zeros(units + 1),
            sizes=np.zeros(units + 1),
        )


@kernel
def _estimate_arm(state: Pairs, rng: Any, arm: int) -> None:
    """Write what each amount prevents, as estimated."""
    curve, columns, clock = state.curve, state.curve.size, state.reports[0] // state.rounds.shape[0]
    for u in range(columns):
        rate = estimate_pair(state.index, rng, state.events[arm, u], state.rounds[arm, u], clock, state.finds)
        curve[u] = -rate if state.finds else rate
        state.weights[u] = 1.0 + state.rounds[arm, u]
    bound_arm(state.index, curve)
    if state.finds:
        curve[0], state.weights[0] = 0.0, SURE  # nothing is found without a grant
    if state.monotone:
        make_falling(curve, state.weights, state.sizes)
    for u in range(columns):
        state.values[arm, u] = -state.severities[arm] * curve[u]


@ask.register
def _ask(state: Pairs, rng: Any, allocation: FloatArray) -> None:
    compare_arms(state.index, state.events, state.rounds)
    for arm in range(allocation.size):
        _estimate_arm(state, rng, arm)
    share(state.oracle, state.values, state.units)
    for arm in range(allocation.size):
        allocation[arm] = state.units[arm] / (state.curve.size - 1)


@tell.register
def _tell(state: Pairs, allocation: FloatArray, losses: FloatArray) -> None:
    units = state.curve.size - 1
    for arm in range(losses.size):
        if losses[arm] == losses[arm]:
            state.reports[0] += 1
            amount = min(math.floor((allocation[arm] + state.slack) * units), units)
            state.events[arm, amount] += losses[arm]
            state.rounds[arm, amount] += 1.0
