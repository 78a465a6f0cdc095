"""Joint: learn thresholds and loss rates together, from every round, by their exact posterior."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allotment.arrays import FloatArray
from allotment.candidates import arms_covered, candidate_thresholds
from allotment.checks import flag, nonnegative, number, one_of, open_unit, positive, shown, vector, whole
from allotment.errors import InputError
from allotment.kernels.beliefs import beliefs
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.policies._joint_rule import Draws, JointState, SharedJointState
from allotment.policy import Policy, Setting
from allotment.posterior import KINDS, UNCOVERABLE, grid


@dataclass(frozen=True)
class Joint(Policy):
    """Draw each arm's threshold and loss rate from their posterior, and cover what the knapsack picks.

    A threshold is one of the multiples of `resolution`, the smallest amount worth granting. Each round takes
    the middle one of several posterior draws of it, draws the loss rate that goes with it, with the evidence
    counted `trust` times over, solves the knapsack on the draws, and, with `spend`, raises grants with what
    is left of the budget where that prevents most expected loss per unit. An `optimistic` draw of a loss rate
    never exceeds what is expected: only arms left uncovered show their rates, so that is the side to err on.

    The middle is taken of `middle_of` draws at first, and of fewer the longer an arm has been seen: half as
    many after `fade` rounds, and in the end of one, a plain draw, so that every candidate that the evidence
    allows is tried. With `fade=None` it stays as it is.

    The first rounds, `opening` of them, have no knapsack: they spend the whole budget step by step where it
    prevents most expected loss and tells most about thresholds, a nat of information counting as much as
    `curiosity` arms covered. Plain Thompson sampling is
    `middle_of=1, trust=1, optimistic=False, spend=False, opening=0`.

    `shared`: one threshold holds for all arms; it is then one of Lemma 1's candidates, and `resolution`,
    `spend`, `opening` and `curiosity` play no part. `losses="counts"`: incidents are counted. `leak`: the
    chance that a covered arm loses all the same (of counts: the share of the rate that remains). `prior`:
    weights for the multiples of `resolution` up to 1, equal if not given. `uncoverable`: the prior chance
    that an arm cannot be covered at all. `shape`: of the loss rate's prior, (α, β) of a Beta or (a, b) of a
    Gamma.

    No regret bound is proved for it; docs/joint.md tells what was measured.
    """

    family = "Joint"
    use = "When thresholds are unknown: no horizon to be known, loss rates may be zero."

    resolution: float = 0.01
    shared: bool = False
    middle_of: int = 19
    fade: float | None = 10.0
    trust: float = 1.5
    optimistic: bool = True
    spend: bool = True
    opening: int = 30
    curiosity: float = 2.0
    losses: str = "binary"
    leak: float = 0.0
    prior: Sequence[float] | None = None
    uncoverable: float = UNCOVERABLE
    shape: Sequence[float] = (1.0, 1.0)

    def check(self) -> None:
        """Check the parameters."""
        expected = "a number above 0 and at most 1"
        self.keep("resolution", number("resolution", self.resolution, expected, above=0.0, most=1.0))
        if whole("middle_of", self.middle_of, least=1) % 2 == 0:
            raise InputError(
                f"middle_of is {self.middle_of}; expected an odd number, so that there is a middle"
            )
        if self.fade is not None:
            self.keep("fade", positive("fade", self.fade))
        self.keep("trust", number("trust", self.trust, "a number of at least 1", least=1.0))
        for name in ("shared", "optimistic", "spend"):
            self.keep(name, flag(name, getattr(self, name)))
        self.keep("opening", whole("opening", self.opening, least=0))
        self.keep("curiosity", nonnegative("curiosity", self.curiosity))
        one_of("losses", self.losses, KINDS)
        if self.leak != 0.0:
            self.keep("leak", open_unit("leak", self.leak))
        self.keep("uncoverable", open_unit("uncoverable", self.uncoverable))
        shape = vector("shape", self.shape, "of at least 1", least=1.0)
        if shape.size != 2:
            raise InputError(f"shape is {shown(self.shape)}; expected two numbers")
        self.keep("shape", tuple(shape.tolist()))
        if self.prior is not None:
            self.keep("prior", tuple(self._checked_prior(self.prior).tolist()))

    def _checked_prior(self, prior: Sequence[float]) -> FloatArray:
        if self.shared:
            raise InputError("prior is for thresholds that differ; expected none with shared=True")
        weights = vector("prior", prior, "of at least 0", least=0.0)
        if weights.size != grid(self.resolution).size or weights.sum() <= 0.0:
            raise InputError(
                f"prior has {weights.size} numbers that add up to {weights.sum():g}; expected "
                f"{grid(self.resolution).size}, one for each multiple of the resolution, not all 0"
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

    def state(self, setting: Setting) -> JointState | SharedJointState:
        """Make the state."""
        levels, prior = self.candidates(setting)
        arms = setting.arms
        believed = beliefs(
            arms, prior, counted=self.counts, shape=self.shape, leak=self.leak, shared=self.shared
        )
        draws = Draws(
            extra=(self.middle_of - 1) / 2.0,
            fade=np.inf if self.fade is None else self.fade,
            trust=self.trust,
            optimistic=self.optimistic,
            severities=np.array(setting.severities),
            stakes=np.zeros(arms),
            covered=np.zeros(arms, np.int64),
            chosen=np.zeros(arms, np.bool_),
        )
        if self.shared:
            places = [arms_covered(level, arms, setting.budget) for level in levels[:-1]]
            return SharedJointState(believed, levels, draws, np.array([*places, 0]), np.zeros(arms))
        return JointState(
            beliefs=believed,
            levels=levels,
            draws=draws,
            oracle=exact_oracle(arms),
            budget=setting.budget,
            slack=setting.slack,
            spend=self.spend,
            opening=float(self.opening),
            curiosity=self.curiosity,
            wanted=np.zeros(arms),
            told=np.zeros((arms, levels.size)),
            raises=np.zeros(arms, np.int64),
            worth=np.zeros(arms),
        )
