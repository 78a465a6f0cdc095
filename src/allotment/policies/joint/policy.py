"""Joint: learn thresholds and loss rates together from every round, by their exact posterior."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from allotment.candidates import arms_covered
from allotment.evidence import Evidence
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.policies._posterior_sampling import PosteriorSampling, PriorRound, draw_rates, rate_moments
from allotment.policies.base.policy import Setting
from allotment.policies.joint.joint_rule import JointRule
from allotment.policies.joint.joint_state import JointState, SharedJointState, new_draws, new_raises
from allotment.policies.joint.model import JointModel
from allotment.policies.joint.tuning import ROUNDING
from allotment.tolerance import fits
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Step


@dataclass(frozen=True)
class Joint(JointRule, JointModel, PosteriorSampling):
    """Draw each arm's threshold and loss rate from their posterior, and cover what the knapsack picks.

    Each round draws a threshold and a loss rate for every arm and solves the knapsack on the draws. The
    search for thresholds starts at the multiples of `resolution`. If the evidence says that thresholds are no
    multiples, grants become finer, down to steps of `finest`.

    The first rounds solve no knapsack. They spend the budget step by step where it prevents most expected
    loss and reveals most about thresholds.

    No regret bound is proved, except for `Joint.plain()` (docs/explanation/bayesian-regret.md).
    docs/explanation/joint.md has the method in full.

    Parameters
    ----------
    resolution : float
        The step of the grid on which the search for thresholds starts.
    shared : bool
        All arms share one threshold, one of Lemma 1's candidates. `resolution`, `finest`, `spend`, `opening`
        and `curiosity` then have no effect.
    losses : {"binary", "counts"}
        Whether a round has at most one loss per arm.
    leak : float
        For counts, the share of the loss rate that remains under full cover.
    leak_chance : float
        For yes/no losses, the probability of a loss at a covered arm in a round.
    prior : array_like, optional
        The prior weights of the multiples of `resolution` up to 1. Equal by default.
    uncoverable : float
        The prior probability that no amount covers an arm.
    shape : (float, float)
        The prior of loss rates: (α, β) of a Beta, or (a, b) of a Gamma for counts.
    finest : float or None
        The smallest step of grants between multiples. None: grant multiples only.
    off_grid : float
        The prior probability that thresholds are not multiples of `resolution`.
    trust : float
        Draw loss rates as if all evidence had been seen this many times.
    optimistic : bool
        Cap each drawn rate at its expectation. Only an uncovered arm shows its rate, so it is better to err
        low.
    spend : bool
        Spend the rest of the budget on higher grants where they prevent most expected loss per unit.
    opening : int
        The first rounds last until this many budgets have been granted.
    curiosity : float
        In the first rounds, a nat of information is worth as much as covering this many arms.
    label : str, optional
        The name of the policy in results and figures.

    Examples
    --------
    >>> learner = Joint(resolution=0.1).start(arms=3, budget=1.0, seed=1)
    >>> bool(learner.ask().sum() <= 1.0 + 1e-12)
    True
    """

    family = "Joint"
    use = "When cover is perfect and thresholds are unknown; no horizon to be known."
    worlds = "steps, with a leak if told; losses or counts"
    plain_switches = MappingProxyType(
        {
            "trust": 1.0,
            "optimistic": False,
            "spend": False,
            "opening": 0,
            "finest": None,
            "leak_chance": 0.0,
        }
    )

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """One threshold for all, counts with and without a leak, plain Thompson sampling, multiples only."""
        return [
            cls(shared=True),
            cls(losses="counts", leak=0.1),
            cls(losses="counts", opening=5),
            cls.plain(resolution=0.07, finest=cls.finest),
            cls(finest=None),
        ]

    def state(self, setting: Setting) -> JointState | SharedJointState:
        """Make the state."""
        return self.informed(setting, Evidence(setting.arms, losses=self.losses))

    def informed(self, setting: Setting, evidence: Evidence) -> JointState | SharedJointState:
        """Make the state of a learner that knows the evidence."""
        arms, severities = setting.arms, np.array(setting.severities)
        beliefs, rule, draws = self.beliefs(setting, evidence), self.rule(), new_draws(arms)
        if self.shared:
            levels = beliefs.levels[0, :-1]
            places = [arms_covered(level, arms, setting.budget) for level in levels]
            order = np.zeros(arms, np.int64)
            return SharedJointState(beliefs, rule, severities, np.array([*places, 0]), draws, order)
        return JointState(
            beliefs=beliefs,
            rule=rule,
            severities=severities,
            budget=setting.budget,
            slack=setting.slack,
            oracle=exact_oracle(arms),
            draws=draws,
            raises=new_raises(arms, beliefs.levels.shape[1]),
        )

    def draw_arms(self, arms: int, budget: float, rng: np.random.Generator) -> dict[str, Any]:
        """Draw arms from the prior. An arm that nothing covers gets a leak of 1."""
        self.need(leak_chance=0.0)
        thresholds = self.draw_thresholds(Setting(arms, budget), rng)
        leaks, full = np.where(np.isinf(thresholds), 1.0, self.leak), np.minimum(thresholds, 1.0)
        return {
            "loss_rates": draw_rates(self.shape, self.losses, arms, rng),
            "response": Step(full.tolist(), leaks.tolist()),
            "losses": self.losses,
        }

    def prior_round(self, setting: Setting) -> PriorRound:
        """Summarise the prior of one round, for `theory.bayesian_regret`."""
        levels, prior = self.candidates(setting, Evidence(setting.arms, losses=self.losses))
        granted = fits(levels[0], setting.budget, setting.slack) & np.isfinite(levels[0])
        # The chance that an amount, 0 or one of the candidates, is below the threshold.
        above = np.append(1.0, 1.0 - np.cumsum(prior[0])[granted])
        mean, square = rate_moments(self.shape, self.losses)
        squares = mean * (above + (1.0 - above) * self.leak)
        tries = 1.0  # the losses at an amount until one of them has shown that it is too low
        if self.losses == "counts":
            squares += square * (above + (1.0 - above) * self.leak**2)
            tries += mean
        return PriorRound(
            amounts=np.full(setting.arms, above.size),
            bounded=self.losses == "binary",
            squares=np.tile(squares, (setting.arms, 1)),
            searched=np.full(setting.arms, tries * above[1:].sum()) if self.leak == 0.0 else None,
            rounding=ROUNDING * setting.arms,
        )
