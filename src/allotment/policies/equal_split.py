"""Equal split: the same grant for every arm, for ever."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.evidence import Evidence
from allotment.kernels.protocol import ask, tell
from allotment.policies.base.learner import LEARNS_NOTHING, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.worlds.problem import Problem
from allotment.worlds.units import Units, full_units


@dataclass(frozen=True)
class EqualSplit(Policy):
    """Grant every arm min(1, Q/K) in every round: a baseline that learns nothing.

    With a unit, every arm gets the whole units of that share. The units that remain go to one arm each, in
    turn, so that over the rounds no arm gets more than one unit more than another. Use it where a part of a
    unit has no effect, since there an equal share below one unit would be wasted.

    Parameters
    ----------
    unit : float, optional
        The smallest amount worth granting; 1/unit is a whole number. By default, grants are not rounded.
    label : str, optional
        The name of the policy in results and figures.

    Examples
    --------
    >>> learner = EqualSplit(unit=0.5).start(arms=3, budget=1.0, seed=0)
    >>> for _ in range(3):
    ...     print(learner.ask().tolist())
    ...     learner.tell([0, 0, 0])
    [0.5, 0.5, 0.0]
    [0.5, 0.0, 0.5]
    [0.0, 0.5, 0.5]
    """

    family = "Equal split"
    use = "As a baseline: what happens if nobody learns."
    worlds = "any"

    unit: float | None = None

    def check(self) -> None:
        """Check the unit."""
        if self.unit is not None:
            self.keep("unit", 1.0 / full_units(self.unit))

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """Whole units."""
        return [cls(unit=0.25)]

    @property
    def accepts(self) -> Accepts:
        """Anything: it learns nothing."""
        return LEARNS_NOTHING

    def state(self, setting: Setting) -> "EqualSplitState | EqualUnits":
        """Make the state."""
        return self.informed(setting, Evidence(setting.arms))

    def informed(self, setting: Setting, evidence: Evidence) -> "EqualSplitState | EqualUnits":
        """Make the state of a learner that takes its turns from after the rounds of the evidence."""
        if self.unit is None:
            return EqualSplitState(min(1.0, setting.budget / setting.arms))
        units = Units.of(self.unit, setting.budget, setting.slack)
        each, rest = divmod(min(units.budget, setting.arms * units.full), setting.arms)
        _, _, rounds, _ = evidence.columns()
        return EqualUnits(each, rest, units.full, np.full(1, round(rounds.sum())))


class EqualSplitState(NamedTuple):
    """State: the grant."""

    share: float


@ask.register
def _ask(state: EqualSplitState, rng: Any, allocation: FloatArray) -> None:
    allocation[:] = state.share


@tell.register
def _tell(state: EqualSplitState, allocation: FloatArray, losses: FloatArray) -> None:
    pass


class EqualUnits(NamedTuple):
    """State: how many units everybody gets, how many are left for some, and whose turn it is."""

    each: int
    rest: int
    full: int  # units in a full grant
    reports: IntArray  # one number: of arms, so that reports in parts count as one


@ask.register
def _ask_units(state: EqualUnits, rng: Any, allocation: FloatArray) -> None:
    arms = allocation.size
    first = state.reports[0] // arms * state.rest
    for i in range(arms):
        has_turn = (i - first) % arms < state.rest
        allocation[i] = (state.each + has_turn) / state.full


@tell.register
def _tell_units(state: EqualUnits, allocation: FloatArray, losses: FloatArray) -> None:
    for i in range(losses.size):
        state.reports[0] += losses[i] == losses[i]
