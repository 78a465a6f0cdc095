"""Joint: learn thresholds and loss rates together, from every round, by their exact posterior."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from allotment.candidates import arms_covered
from allotment.evidence import Evidence
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.policies._posterior_sampling import PosteriorSampling, PriorRound, draw_rates, rate_moments
from allotment.policies.joint.joint_rule import JointRule
from allotment.policies.joint.joint_state import JointState, SharedJointState, new_draws, new_raises
from allotment.policies.joint.model import JointModel
from allotment.policies.joint.tuning import ROUNDING
from allotment.policy import Setting
from allotment.tolerance import fits
from allotment.worlds.problem import Problem
from allotment.worlds.responses import Step


@dataclass(frozen=True)
class Joint(JointRule, JointModel, PosteriorSampling):
    """Draw each arm's threshold and loss rate from their posterior, and cover what the knapsack picks.

    Each round draws a threshold for every arm, and the loss rate that goes with it, with the evidence counted
    `trust` times over. It solves the knapsack on the draws and, with `spend`, raises grants with what is left
    of the budget where that prevents most expected loss per unit. An `optimistic` draw of a loss rate never
    exceeds what is expected: only arms left uncovered show their rates, so that is the side to err on.

    The multiples of `resolution` are where the search for thresholds starts: either all thresholds are
    multiples, or, with a prior chance of `off_grid`, they may be anything; the evidence tells. If they are
    not, grants become finer, down to steps of `finest`, as thresholds become known. With `finest=None` only
    multiples are granted.

    The first rounds have no knapsack: until `opening` times the budget has been granted in all, they spend
    it step by step where it prevents most expected loss and tells most about thresholds, a nat of information
    counting as much as `curiosity` arms covered. Plain Thompson sampling is
    `Joint.plain()`, with multiples only; docs/bayesian-regret.md bounds its regret.

    `shared`: one threshold holds for all arms; it is then one of Lemma 1's candidates, and `resolution`,
    `finest`, `spend`, `opening` and `curiosity` play no part. `losses="counts"`: incidents are counted.
    `leak`, with counts: the share of the loss rate that remains under full cover. `leak_chance`, with yes/no
    losses: the chance that a covered arm loses in a round, whatever its loss rate. `prior`: weights for the
    multiples of `resolution` up to 1, equal if not given. `uncoverable`: the prior chance that an arm cannot
    be covered at all. `shape`: of the loss rate's prior, (α, β) of a Beta or (a, b) of a Gamma.

    For other settings no regret bound is proved; docs/joint.md is the method in full.
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
        """Arms drawn from the prior, as keywords of `Problem`; one that nothing covers leaks everything."""
        self.need(leak_chance=0.0)
        thresholds = self.draw_thresholds(Setting(arms, budget), rng)
        leaks, full = np.where(np.isinf(thresholds), 1.0, self.leak), np.minimum(thresholds, 1.0)
        return {
            "loss_rates": draw_rates(self.shape, self.losses, arms, rng),
            "response": Step(full.tolist(), leaks.tolist()),
            "losses": self.losses,
        }

    def prior_round(self, setting: Setting) -> PriorRound:
        """What the prior says about a round."""
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
