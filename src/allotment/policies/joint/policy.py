"""Joint: learn thresholds and loss rates together, from every round, by their exact posterior."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from allotment.candidates import arms_covered
from allotment.evidence import Evidence
from allotment.oracles.knapsack.exact import exact_oracle
from allotment.policies.joint.joint_rule import JointRule
from allotment.policies.joint.joint_state import JointState, SharedJointState, new_draws, new_raises
from allotment.policies.joint.model import JointModel
from allotment.policy import Setting
from allotment.worlds.problem import Problem


@dataclass(frozen=True)
class Joint(JointRule, JointModel):
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
    `trust=1, optimistic=False, spend=False, opening=0`.

    `shared`: one threshold holds for all arms; it is then one of Lemma 1's candidates, and `resolution`,
    `finest`, `spend`, `opening` and `curiosity` play no part. `losses="counts"`: incidents are counted.
    `leak`, with counts: the share of the loss rate that remains under full cover. `leak_chance`, with yes/no
    losses: the chance that a covered arm loses in a round, whatever its loss rate. `prior`: weights for the
    multiples of `resolution` up to 1, equal if not given. `uncoverable`: the prior chance that an arm cannot
    be covered at all. `shape`: of the loss rate's prior, (α, β) of a Beta or (a, b) of a Gamma.

    No regret bound is proved for it; docs/joint.md is the method in full.
    """

    family = "Joint"
    use = "When cover is perfect and thresholds are unknown; no horizon to be known."
    worlds = "steps, with a leak if told; losses or counts"

    @classmethod
    def variants(cls, problem: Problem) -> list[Self]:
        """One threshold for all, counts with and without a leak, plain Thompson sampling, multiples only."""
        plain = cls(trust=1, optimistic=False, spend=False, opening=0, resolution=0.07)
        return [
            cls(shared=True),
            cls(losses="counts", leak=0.1),
            cls(losses="counts", opening=5),
            plain,
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
