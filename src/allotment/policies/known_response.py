"""Thompson sampling with known response curves: the yardstick for the cost of not knowing them."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from allotment.checks import flag, whole
from allotment.errors import ConflictError, InputError
from allotment.evidence import Evidence
from allotment.policies.any_response.bench import learner_memory, own_sizes
from allotment.policies.any_response.family import Family, one_level
from allotment.policies.any_response.inference import curves_given, curves_prior, usual_rates
from allotment.policies.any_response.rule import CurveState, curve_state
from allotment.policies.any_response.tuning import LEAST
from allotment.policies.base.learner import LEARNS_FROM_EVIDENCE, Accepts
from allotment.policies.base.policy import Policy, Setting
from allotment.system.memory import Memory
from allotment.worlds.problem import Problem
from allotment.worlds.units import full_units
from allotment.worlds.world import World

UNIT = 0.05  # where the problem has none


@dataclass(frozen=True)
class KnownResponse(Policy):
    """Thompson sampling that knows the response curves, but not the loss rates: a yardstick.

    Each round draws the loss rate of every arm from its posterior, and shares out the budget in whole units.
    The prior of a rate is AnyResponse's: Beta(0.5, 1); for counts Gamma(0.5, 0.5), and if finds are seen,
    Gamma(0.3, 0.05). Units are the problem's, or 0.05.

    Parameters
    ----------
    problem : Problem
        The problem whose response the policy knows.
    draws : int
        The number of draws to average.
    optimistic : bool
        Cap each draw at the posterior mean (for finds: from below), so that errors show.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "TS told the curves"
    use = "As a yardstick: the regret of a policy that knows all responses, but no loss rates."
    worlds = "any; losses, counts or finds"

    problem: Problem
    draws: int = 1
    optimistic: bool = False

    def check(self) -> None:
        """Check the parameters."""
        self.keep("draws", whole("draws", self.draws, least=1))
        self.keep("optimistic", flag("optimistic", self.optimistic))
        if not isinstance(self.problem, Problem):
            raise InputError.of("problem", self.problem, "a Problem, the same in all rounds")

    @classmethod
    def for_problem(cls, problem: World) -> Self:
        """Make the policy that knows this problem's response."""
        return cls(problem)  # type: ignore[arg-type]

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """With AnyResponse's tricks."""
        return [cls(problem, draws=2, optimistic=True)]

    @property
    def accepts(self) -> Accepts:
        """Whatever was granted and seen, in any order; bounds too."""
        counts, finds = self.problem.losses == "counts", self.problem.sees == "finds"
        return LEARNS_FROM_EVIDENCE | Accepts(counts=counts, finds=finds, bounds=True)

    def footprint(self, arms: int) -> Memory:
        """What its learners take, which grows with the square of the arms: each has a curve of its own."""
        units, counts = full_units(self.problem.unit or UNIT), self.problem.losses == "counts"
        own = learner_memory(own_sizes(arms), units, arms, counts=counts, finds=self.problem.sees == "finds")
        return Memory(shared=0.0, each=sum(own))

    def state(self, setting: Setting) -> CurveState:
        """Make the state."""
        empty = Evidence(setting.arms, sees=self.problem.sees, losses=self.problem.losses)
        return self.informed(setting, empty)

    def informed(self, setting: Setting, evidence: Evidence) -> CurveState:
        """Make the state of a learner that knows the evidence."""
        problem, arms = self.problem, setting.arms
        if arms != problem.arms:
            raise ConflictError(
                f"{self.label} knows a problem with {problem.arms} arms",
                f"as many, not {arms}",
                what="problem",
                value=problem,
            )
        units = full_units(problem.unit or UNIT)
        table = problem.table if problem.units else problem.response.table(arms, units, problem.slack)
        remaining = np.maximum(table, LEAST)
        kind, steps = np.zeros(arms, np.int64), np.zeros(arms, np.int64)
        family = Family(remaining, np.ones(arms), kind, np.ones(1), steps, one_level(arms))
        prior = curves_prior(
            family,
            arms,
            sees=problem.sees,
            rates=usual_rates(problem.losses, problem.sees),
            free=0.0,
            counts=problem.losses == "counts",
        )
        beliefs = curves_given(prior._replace(weights=np.eye(arms)), evidence)
        return curve_state(setting, beliefs, draws=self.draws, optimistic=self.optimistic)
