"""MP-TS: Thompson sampling for multiple-play bandits (Komiyama, Honda and Nakagawa, 2015)."""

from dataclasses import dataclass

from allotment.policies._estimators import Thompson, thompson
from allotment.policies._known_thresholds import MultiplePlay
from allotment.policies.base.policy import Setting


@dataclass(frozen=True)
class MpTs(MultiplePlay):
    """MP-TS: Thompson sampling for multiple plays, for one known threshold (section 3.2).

    Each round draws μ̂_i ~ Beta(S_i, F_i) for every arm, and covers the M = ⌊Q/θ⌋ arms with the largest
    s_i·μ̂_i. s_i is the severity. S_i and F_i count losses and quiet rounds while the arm was uncovered, plus
    1.

    Parameters
    ----------
    thresholds : float or array_like, optional
        The known threshold of all arms. Without it, the policy can only be the learner of a two-phase policy.
    label : str, optional
        The name of the policy in results and figures.
    """

    family = "MP-TS"
    use = "When one threshold holds for all arms and is known; also the second phase of CSB-ST."

    def estimator(self, setting: Setting) -> Thompson:
        """Draw from the posterior."""
        return thompson(setting.arms)
