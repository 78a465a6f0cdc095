"""The candidates for thresholds, as parameters of a policy."""

import math
from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.candidates import candidate_thresholds
from allotment.checks import flag, positive
from allotment.policies.base.policy import Policy, Setting
from allotment.policies.joint.parameters import grid
from allotment.system.memory import Memory
from allotment.worlds.units import full_units


@dataclass(frozen=True)
class ThresholdCandidates(Policy):
    """The parameters that say which thresholds an arm may have; `Refute` explains them."""

    resolution: float = 0.01
    unit: float | None = None
    shared: bool = False

    def check(self) -> None:
        """Check the parameters."""
        self.keep("resolution", positive("resolution", self.resolution))
        self.keep("unit", None if self.unit is None else 1.0 / full_units(self.unit))
        self.keep("shared", flag("shared", self.shared))

    def candidates(self, setting: Setting) -> FloatArray:
        """List the candidates that the budget can pay.

        Parameters
        ----------
        setting : Setting
            The arms and the budget.

        Returns
        -------
        FloatArray
            The candidates of every arm, increasing. Unless grants are whole units, a budget below 1 is one.
        """
        if self.shared:
            return candidate_thresholds(setting.arms, setting.budget)
        if setting.budget <= setting.slack:
            return np.zeros(0)
        if self.unit is None:
            return grid(self.resolution, min(1.0, setting.budget))
        multiples = grid(self.unit)
        return multiples[multiples <= setting.budget + setting.slack]

    def jumps(self, setting: Setting) -> int:
        """Count the first rounds, which may jump over candidates.

        Parameters
        ----------
        setting : Setting
            The arms and the budget.

        Returns
        -------
        int
            The number of rounds: K·⌈log₂(candidates + 1)⌉, and 0 if all arms share one threshold.
        """
        return 0 if self.shared else setting.arms * math.ceil(math.log2(self.candidates(setting).size + 1))

    def footprint(self, arms: int) -> Memory:
        """The memory of its learners: a table with the candidates of every arm."""
        return Memory(shared=0.0, each=8.0 * arms * (50.0 + 1.0 / min(1.0, self.unit or self.resolution)))
