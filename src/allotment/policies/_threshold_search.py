"""What the threshold searches share: their parameters, and how many quiet rounds they wait for."""

import math
from typing import Any

from allotment.checks import open_unit
from allotment.errors import ConflictError, InputError
from allotment.policies.base.policy import Setting
from allotment.tolerance import ceil_with_tolerance

ONE_OVER_T = "1/T"
LONGEST = 2**62  # what a compiled counter holds; no horizon comes near


def check_search(policy: Any, learner_kind: Any) -> None:
    """Check δ, ε and the learner of a two-phase policy."""
    if not isinstance(policy.delta, str):
        policy.keep("delta", open_unit("delta", policy.delta))
    elif policy.delta != ONE_OVER_T:
        expected = f'a number strictly between 0 and 1, or "{ONE_OVER_T}"'
        raise InputError.of("delta", policy.delta, expected)
    policy.keep("epsilon", open_unit("epsilon", policy.epsilon))
    if not isinstance(policy.learner, learner_kind):
        raise InputError.of("learner", policy.learner, f"a {learner_kind.__name__} policy")
    if policy.learner.thresholds is not None:
        raise ConflictError(
            "the learner of a two-phase policy was given thresholds",
            "none, they are searched",
            what="learner",
            value=policy.learner,
        )


def resolved_delta(delta: float | str, setting: Setting) -> float:
    """δ as a number; "1/T" needs a horizon."""
    if isinstance(delta, float):
        return delta
    if setting.horizon is None:
        raise InputError(
            f'delta is "{ONE_OVER_T}" but no horizon was given', "horizon=...", what="delta", value=delta
        )
    return 1.0 / max(2, setting.horizon)


def quiet_rounds_needed(guesses: float, delta: float, epsilon: float, probes: float = 1) -> float:
    """W before rounding: the number of quiet rounds in a row after which a guess is believed.

    Each of `guesses` guesses is tried at `probes` arms with loss rates of at least ε. The probability that
    any of them is believed wrongly then stays below δ: log(guesses/δ) / (probes · log(1/(1-ε))).
    """
    return (math.log(guesses) - math.log(delta)) / (probes * -math.log1p(-epsilon))


def quiet_rounds(guesses: float, delta: float, epsilon: float, probes: float = 1) -> int:
    """W as a count of rounds, at least one."""
    needed = quiet_rounds_needed(guesses, delta, epsilon, probes)
    return max(1, ceil_with_tolerance(needed)) if needed < LONGEST else LONGEST


def published_window(setting: Setting, delta: float, epsilon: float) -> int:
    """W as the published figures were run with, for both searches: ⌈log(K/δ) / (Q · log(1/(1-ε)))⌉."""
    return quiet_rounds(setting.arms, delta, epsilon, max(setting.budget, setting.slack))
