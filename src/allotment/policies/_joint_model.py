"""What Joint takes for possible: the candidates for a threshold, their prior, and what a round can show."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.candidates import candidate_thresholds
from allotment.checks import flag, number, one_of, open_unit, vector
from allotment.errors import ConflictError, InputError
from allotment.kernels.beliefs import Beliefs, new_beliefs
from allotment.policy import Policy, Setting
from allotment.posterior import KINDS, UNCOVERABLE, grid


@dataclass(frozen=True)
class JointModel(Policy):
    """The parameters of Joint that say what the world may be like; its docstring explains them."""

    resolution: float = 0.01
    shared: bool = False
    losses: str = "binary"
    leak: float = 0.0
    prior: Sequence[float] | None = None
    uncoverable: float = UNCOVERABLE
    shape: Sequence[float] = (1.0, 1.0)

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        expected = "a number above 0 and at most 1"
        self.keep("resolution", number("resolution", self.resolution, expected, above=0.0, most=1.0))
        self.keep("shared", flag("shared", self.shared))
        one_of("losses", self.losses, KINDS)
        if self.leak != 0.0:
            self.keep("leak", open_unit("leak", self.leak))
        self.keep("uncoverable", open_unit("uncoverable", self.uncoverable))
        shape = vector("shape", self.shape, "of at least 1", least=1.0)
        if shape.size != 2:
            raise InputError.of("shape", self.shape, "two numbers")
        self.keep("shape", tuple(shape.tolist()))
        if self.prior is not None:
            self.keep("prior", tuple(self._checked_prior(self.prior).tolist()))

    def _checked_prior(self, prior: Sequence[float]) -> FloatArray:
        if self.shared:
            raise ConflictError(
                "prior is for thresholds that differ", "none with shared=True", what="prior", value=prior
            )
        weights, needed = vector("prior", prior, "of at least 0", least=0.0), grid(self.resolution).size
        if weights.size != needed or weights.sum() <= 0.0:
            raise InputError(
                f"prior has {weights.size} numbers that add up to {weights.sum():g}",
                f"{needed}, one for each multiple of the resolution, not all 0",
                what="prior",
                value=prior,
            )
        return weights

    @property
    def counts(self) -> bool:
        """Whether incidents are counted."""
        return self.losses == "counts"

    def candidates(self, setting: Setting) -> tuple[FloatArray, FloatArray]:
        """The candidates, "cannot be covered" (inf) last, and their prior."""
        most = min(1.0, setting.budget)
        if most <= setting.slack:
            return np.array([np.inf]), np.array([1.0])
        if self.shared:
            levels = candidate_thresholds(setting.arms, setting.budget)
            reached = np.cumsum(np.full(levels.size, 1.0 / levels.size))
        else:
            # Each candidate stands for the amounts down to the one before, also where the budget cuts in.
            multiples = grid(self.resolution)
            weights = np.diff(multiples, prepend=0.0) if self.prior is None else np.array(self.prior)
            levels = grid(self.resolution, most)
            reached = np.interp(levels, np.append(0.0, multiples), np.append(0.0, np.cumsum(weights)))
            reached /= weights.sum()
        coverable = (1.0 - self.uncoverable) * np.diff(reached, prepend=0.0)
        return np.append(levels, np.inf), np.append(coverable, 1.0 - coverable.sum())

    def beliefs(self, arms: int, prior: FloatArray) -> Beliefs:
        """What is believed before anything is seen."""
        return new_beliefs(
            arms, prior, counted=self.counts, shape=self.shape, leak=self.leak, shared=self.shared
        )
