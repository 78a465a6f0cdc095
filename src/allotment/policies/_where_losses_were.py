"""The tally of past losses, which the baselines HotSpots and TopPlaces follow."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.compiling.decorators import kernel
from allotment.evidence import Evidence
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.worlds.units import Units, full_units

PRIOR = 0.5  # losses that every arm starts with, so that at first all are alike


class Tally(NamedTuple):
    """The losses of every arm, and the budget in units."""

    seen: FloatArray  # severity x losses
    severities: FloatArray
    budget: int
    full: int  # units in a full grant
    units: IntArray
    short: FloatArray  # scratch


@dataclass(frozen=True)
class TallyPolicy(Policy):
    """A policy that looks at the past losses of every arm, and at nothing else."""

    unit: float = 0.05

    def check(self) -> None:
        """Check the parameters."""
        self.keep("unit", 1.0 / full_units(self.unit))

    @property
    def accepts(self) -> Accepts:
        """Any grants and reports, in any order; finds count as losses."""
        return LEARNS_FROM_EVIDENCE | Accepts(counts=True, finds=True)

    def state(self, setting: Setting) -> Any:
        """Make the state of a learner that knows no evidence yet."""
        return self.informed(setting, Evidence(setting.arms))

    def tally(self, setting: Setting, evidence: Evidence) -> Tally:
        """Count the losses of the evidence."""
        full = full_units(self.unit)
        seen = np.full(setting.arms, PRIOR) * setting.severities
        arms, _, _, events = evidence.columns()
        np.add.at(seen, arms, events * setting.severities[arms])
        return Tally(
            seen=seen,
            severities=np.array(setting.severities),
            budget=Units.of(self.unit, setting.budget, setting.slack).budget,
            full=full,
            units=np.zeros(setting.arms, np.int64),
            short=np.zeros(setting.arms),
        )


@kernel
def add_losses(tally: Tally, losses: FloatArray) -> None:
    """Add what a round lost, where it was reported."""
    for i in range(losses.size):
        if losses[i] == losses[i]:
            tally.seen[i] += tally.severities[i] * losses[i]
