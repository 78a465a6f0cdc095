"""Joint's model of the world: the candidates for a threshold, their prior, and what a round can show."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allotment.arrays import FloatArray
from allotment.candidates import candidate_thresholds
from allotment.checks import flag, number, one_of, open_unit, vector
from allotment.errors import ConflictError, InputError
from allotment.evidence import Evidence
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.policies.joint.parameters import checked_leaks, grid
from allotment.policies.joint.threshold_beliefs import TABLES, Beliefs, new_beliefs
from allotment.policies.joint.tuning import OFF_GRID, RESOLUTION, ROOM, SHAPE, UNCOVERABLE
from allotment.system.memory import Memory
from allotment.tolerance import EVIDENCE_SLACK, ceil_with_tolerance
from allotment.worlds.world import KINDS

FINEST = EVIDENCE_SLACK  # closer amounts count as equal


@dataclass(frozen=True)
class JointModel(Policy):
    """The parameters of Joint's model of the world; `Joint` explains them."""

    resolution: float = RESOLUTION
    shared: bool = False
    losses: str = "binary"
    leak: float = 0.0
    leak_chance: float = 0.0
    prior: Sequence[float] | None = None
    uncoverable: float = UNCOVERABLE
    shape: Sequence[float] = SHAPE
    finest: float | None = FINEST
    off_grid: float = OFF_GRID

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        expected = "a number above 0 and at most 1"
        self.keep("resolution", number("resolution", self.resolution, expected, above=0.0, most=1.0))
        self.keep("shared", flag("shared", self.shared))
        one_of("losses", self.losses, KINDS)
        leak, leak_chance = checked_leaks(self.losses, self.leak, self.leak_chance)
        self.keep("leak", leak)
        self.keep("leak_chance", leak_chance)
        self.keep("uncoverable", open_unit("uncoverable", self.uncoverable))
        shape = vector("shape", self.shape, "of at least 1", least=1.0)
        if shape.size != 2:
            raise InputError.of("shape", self.shape, "two numbers")
        self.keep("shape", tuple(shape.tolist()))
        if self.finest is not None:
            expected = f"a number from {FINEST:g} to 1"
            self.keep("finest", number("finest", self.finest, expected, least=FINEST, most=1.0))
        self.keep("off_grid", open_unit("off_grid", self.off_grid))
        if self.prior is not None:
            self.keep("prior", tuple(self._checked_prior(self.prior).tolist()))

    @classmethod
    def under_todays_names(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Translate parameters from a file. For yes/no losses, `leak_chance` was once called `leak`."""
        given = super().under_todays_names(parameters)
        if "leak_chance" not in given and given.get("losses", "binary") == "binary":
            given["leak_chance"] = given.pop("leak", 0.0)
        return given

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
    def accepts(self) -> Accepts:
        """Any grants and reports, in any order; counts if losses are counts."""
        return LEARNS_FROM_EVIDENCE | Accepts(counts=self.losses == "counts")

    def footprint(self, arms: int) -> Memory:
        """The memory of its learners: several tables of candidates for every arm."""
        candidates = arms if self.shared else ceil_with_tolerance(1.0 / self.resolution) + ROOM + 2
        return Memory(shared=0.0, each=8.0 * (len(TABLES) + 2) * arms * candidates)

    def candidates(self, setting: Setting, evidence: Evidence) -> tuple[FloatArray, FloatArray]:
        """The candidates of each arm, inf ("cannot be covered") last, and their prior; one row if shared."""
        if self.shared:
            levels = candidate_thresholds(setting.arms, setting.budget)
            rows = [(levels, np.arange(1, levels.size + 1) / max(1, levels.size))]
        else:
            amounts: dict[int, list[float]] = {}
            for row in evidence:
                amounts.setdefault(row.arm, []).append(row.amount)
            plain = self._row([], setting)
            rows = [self._row(amounts[i], setting) if i in amounts else plain for i in range(setting.arms)]
        width = 1 + max(levels.size for levels, _ in rows) + (ROOM + 1 if self._refines else 0)
        table, prior = np.full((len(rows), width), np.inf), np.zeros((len(rows), width))
        for i, (levels, reached) in enumerate(rows):
            table[i, : levels.size] = levels
            prior[i, : levels.size] = (1.0 - self.uncoverable) * np.diff(reached, prepend=0.0)
            prior[i, levels.size] = 1.0 - prior[i].sum()
        return table, prior

    def draw_thresholds(self, setting: Setting, rng: np.random.Generator) -> FloatArray:
        """Draw thresholds from the prior; inf where nothing covers an arm.

        A threshold is drawn from all amounts. Unless thresholds may be off the grid, it is rounded up to a
        candidate.
        """
        arms = setting.arms
        multiples, weights = self._multiples()
        if self.shared:
            levels, prior = (row[0] for row in self.candidates(setting, Evidence(arms, losses=self.losses)))
            return np.full(arms, rng.choice(levels, p=prior))
        cumulative = np.append(0.0, np.cumsum(weights))
        drawn = np.interp(rng.random(arms) * cumulative[-1], cumulative, np.append(0.0, multiples))
        if not self._refines:
            multiples = self._row([], setting)[0]
        if not (self._refines and rng.random() < self.off_grid):
            drawn = multiples[np.searchsorted(multiples, drawn - EVIDENCE_SLACK)]
        return np.where(rng.random(arms) < self.uncoverable, np.inf, drawn)

    @property
    def _refines(self) -> bool:
        """Whether grants may be finer than the resolution."""
        return not self.shared and self.finest is not None and self.finest < self.resolution

    def _multiples(self) -> tuple[FloatArray, FloatArray]:
        """The multiples of the resolution, and their prior probabilities."""
        multiples = grid(self.resolution)
        weights = np.diff(multiples, prepend=0.0) if self.prior is None else np.array(self.prior)
        return multiples, weights / weights.sum()

    def _row(self, amounts: list[float], setting: Setting) -> tuple[FloatArray, FloatArray]:
        """An arm's finite candidates, and the prior probability that its threshold is at most each.

        Candidates are the multiples of the resolution, the amounts in the evidence, and a budget below 1,
        which may itself be granted. Each candidate stands for the amounts between its predecessor and itself.
        """
        multiples, weights = self._multiples()
        further = np.array([*amounts, setting.budget])
        further = further[(further > EVIDENCE_SLACK) & (further < 1.0)]
        nearest = np.abs(further[:, None] - multiples).min(axis=1)
        levels = np.union1d(multiples, further[nearest > EVIDENCE_SLACK])
        levels = levels[np.diff(levels, prepend=-1.0) > EVIDENCE_SLACK]
        return levels, np.interp(levels, np.append(0.0, multiples), np.append(0.0, np.cumsum(weights)))

    def _on_grid(self, levels: FloatArray, prior: FloatArray) -> FloatArray:
        """The factors of the candidates' weights if thresholds are on the grid."""
        multiples, weights = self._multiples()
        place = np.minimum(np.searchsorted(multiples, levels - EVIDENCE_SLACK), multiples.size - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            factors = (1.0 - self.uncoverable) * weights[place] / prior
        factors[~np.isfinite(factors)] = 1.0  # where the weight is 0
        factors[np.abs(multiples[place] - levels) > EVIDENCE_SLACK] = 0.0
        factors[~np.isfinite(levels)] = 1.0
        return factors

    def beliefs(self, setting: Setting, evidence: Evidence) -> Beliefs:
        """The beliefs after the evidence."""
        levels, prior = self.candidates(setting, evidence)
        first, second = self.shape
        refining: dict[str, Any] = {}
        if self._refines:
            refining = {
                "on_grid": self._on_grid(levels, prior),
                "log_odds": math.log1p(-self.off_grid) - math.log(self.off_grid),
                "resolution": self.resolution,
                "finest": self.finest,
            }
        return new_beliefs(
            setting.arms,
            levels,
            prior,
            counts=self.losses == "counts",
            shape=(first, second),
            leak=self.leak if self.losses == "counts" else self.leak_chance,
            evidence=evidence,
            **refining,
        )
