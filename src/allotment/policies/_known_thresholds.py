"""Learners of loss rates for known thresholds: on their own, or after a threshold search."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from allotment.arrays import ArrayLike
from allotment.checks import flag, per_arm, vector, whole
from allotment.compiling.decorators import Entry
from allotment.errors import ConflictError, InputError, NotApplicableError
from allotment.evidence import Evidence
from allotment.kernels.coverage import Coverage, new_coverage
from allotment.kernels.loss_rates import LossRateLearner, take
from allotment.kernels.protocol import adopt
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.oracles.knapsack.tabled import tabled_oracle
from allotment.oracles.scaled_knapsack import scaled_oracle
from allotment.oracles.top_m import top_m_oracle
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.worlds.problem import Problem
from allotment.worlds.world import World


@Entry
def _adopt_once(state, thresholds, rounds):  # type: ignore[no-untyped-def]
    adopt(state, thresholds, rounds)


@Entry
def _take_evidence(state, arms, amounts, rounds, losses):  # type: ignore[no-untyped-def]
    for k in range(arms.size):
        take(state, arms[k], amounts[k], rounds[k], losses[k])


@dataclass(frozen=True)
class KnownThresholds(Policy):
    """A policy that knows the thresholds. Without them, it can only follow a threshold search."""

    worlds = "steps whose thresholds are known"

    thresholds: ArrayLike | None = None

    def check_world(self, world: World) -> None:
        """Raise an error if the world has no thresholds."""
        super().check_world(world)
        try:
            _ = world.thresholds
        except NotApplicableError as error:
            raise error.within(f"{self.label} must be told thresholds") from None

    def check(self) -> None:
        """Check the parameters."""
        if self.thresholds is None:
            return
        given = vector(
            "thresholds", per_arm(self.thresholds, 1), "above 0 and at most 1", above=0.0, most=1.0
        )
        self.keep("thresholds", tuple(given.tolist()) if np.ndim(self.thresholds) else float(given[0]))

    @abstractmethod
    def estimator(self, setting: Setting) -> Any:
        """Make the estimator of loss rates: a NamedTuple with a registered `estimate` kernel.

        Parameters
        ----------
        setting : Setting
            The arms, the budget and everything else that is known beforehand.

        Returns
        -------
        NamedTuple
            The estimator.
        """

    @abstractmethod
    def coverage(self, setting: Setting) -> Coverage:
        """Make the part that chooses the arms to cover: the oracle, the budget and the counts so far."""

    def unstarted(self, setting: Setting) -> LossRateLearner:
        """Make the state before `adopt` gives it the thresholds."""
        return LossRateLearner(self.coverage(setting), self.estimator(setting))

    def state(self, setting: Setting) -> Any:
        """Make the state of a learner that knows the thresholds from the start."""
        if self.thresholds is None:
            raise InputError(
                f"{self.label} has no thresholds",
                "thresholds=... (on the command line thresholds=known), or its use as the learner of a "
                "two-phase policy",
                what="thresholds",
            )
        state = self.unstarted(setting)
        known = vector("thresholds", per_arm(self.thresholds, setting.arms), "above 0", length=setting.arms)
        _adopt_once(state, np.array(known), 0)
        return state

    @property
    def accepts(self) -> Accepts:
        """Any grants and reports, in any order."""
        return LEARNS_FROM_EVIDENCE

    def informed(self, setting: Setting, evidence: Evidence) -> Any:
        """Make the state of a learner that knows the evidence."""
        state = self.state(setting)
        _take_evidence(state, *evidence.columns())
        return state

    @classmethod
    def for_problem(cls, problem: World) -> Self:
        """Make the policy that knows this problem's thresholds."""
        return cls(thresholds=problem.thresholds.tolist())


@dataclass(frozen=True)
class MultiplePlay(KnownThresholds):
    """A learner for one threshold that all arms share: it covers a fixed number of arms, M = ⌊Q/θ⌋."""

    worlds = "steps at one threshold that is known"

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        if isinstance(self.thresholds, tuple):
            if len(set(self.thresholds)) > 1:
                raise InputError(
                    f"{self.family} needs one threshold for all arms; thresholds differ",
                    what="thresholds",
                    value=self.thresholds,
                )
            self.keep("thresholds", self.thresholds[0])

    @classmethod
    def for_problem(cls, problem: World) -> Self:
        """Make the policy that knows the threshold: the highest, if they differ."""
        return cls(thresholds=float(problem.thresholds.max()))

    def coverage(self, setting: Setting) -> Coverage:
        """Use an oracle that takes the M largest."""
        return new_coverage(top_m_oracle(setting.arms), setting.budget, setting.severities)


@dataclass(frozen=True)
class Combinatorial(KnownThresholds):
    """A learner for thresholds that differ: it covers the arms that a knapsack picks.

    `solve_every` and `scale` are the paper's economies (supplement); the algorithms as printed solve an exact
    knapsack in every round. `truncate` and `cover_worthless=False` reproduce the published figures.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known thresholds. Without them, the policy can only be the learner of a two-phase policy.
    solve_every : int
        Solve the knapsack every this many rounds, and repeat the choice in between (supplement).
    scale : int, optional
        S: solve the knapsack with weights in whole multiples of 1/S. Exact by default.
    truncate : bool
        Round thresholds to 1/S and scaled weights down instead of up, as the published figures did.
    cover_worthless : bool
        Cover arms with an estimate of 0 if the budget has room. The published figures did not.
    label : str, optional
        The name of the policy in results and figures.
    """

    solve_every: int = 1
    scale: int | None = None
    truncate: bool = False
    cover_worthless: bool = True

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self.keep("solve_every", whole("solve_every", self.solve_every, least=1))
        if self.scale is not None:
            self.keep("scale", whole("scale", self.scale, least=1))
        if flag("truncate", self.truncate) and self.scale is None:
            raise ConflictError(
                "truncate is True but there is no scale", "scale=...", what="truncate", value=True
            )
        self.keep("truncate", flag("truncate", self.truncate))
        self.keep("cover_worthless", flag("cover_worthless", self.cover_worthless))

    @property
    def accepts(self) -> Accepts:
        """Any grants and reports, in any order, unless a choice is repeated for several rounds."""
        return super().accepts if self.solve_every == 1 else Accepts()

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """The paper's economies, with arms left uncovered that seem to lose nothing."""
        known = problem.thresholds.tolist()
        return [
            cls(thresholds=known, solve_every=7, scale=100, cover_worthless=False),
            cls(thresholds=known, scale=10, truncate=True),
        ]

    @property
    def ties(self) -> bool:
        """Whether estimates of different arms may be equal. Drawn estimates are not."""
        return True

    def coverage(self, setting: Setting) -> Coverage:
        """Use a knapsack as the oracle."""
        # Of equally good choices, the search takes the one most like its last choice. A table would hide some
        # choices from it, so there is no table where estimates may be equal.
        oracle: Any = exact_oracle(setting.arms) if self.ties else tabled_oracle(setting.arms)
        if self.scale is not None:
            oracle = scaled_oracle(setting.arms, setting.budget, self.scale, self.truncate)
        return new_coverage(
            oracle,
            setting.budget,
            setting.severities,
            self.solve_every,
            self.cover_worthless,
            grid=self.scale if self.scale and self.truncate else 0,
        )
