"""The policy of a campaign: any-response, with parameters that no campaign sets itself."""

import functools
from typing import TYPE_CHECKING, Any

from allotment.errors import ConflictError, InputError, shown

if TYPE_CHECKING:
    from allotment.policies.any_response import AnyResponse

POLICY = "any-response"
MOST_DRAWS = 1000  # curves that a plan averages; with more, it would take minutes
BY_CAMPAIGN = ("unit", "sees", "losses", "half_life", "thresholds", "curves", "situations")


@functools.cache
def policy_named(text: str) -> "AnyResponse":
    """The policy that a text stands for: any-response, with parameters that no campaign sets itself."""
    from allotment.policies.any_response import AnyResponse

    if text == POLICY:
        return AnyResponse()
    from allotment.policies.base.policy_texts import parse  # loads every policy

    if text.partition(":")[0] != POLICY:
        raise InputError.of("policy", text, f"{POLICY}, with optional parameters")
    policy, usual = parse(text), AnyResponse()
    if not isinstance(policy, AnyResponse):
        raise InputError.of("policy", text, POLICY)
    for name in BY_CAMPAIGN:
        if getattr(policy, name) != getattr(usual, name):
            raise ConflictError(
                f"policy {shown(text)} sets {name}", "the campaign to set it", what="policy", value=text
            )
    if policy.draws is not None and policy.draws > MOST_DRAWS:
        raise InputError.of("draws of the policy", policy.draws, f"at most {MOST_DRAWS} in a campaign")
    return policy


def checked_policy(text: Any) -> str:
    """Check the policy's name and its optional parameters, which loads the policy."""
    if not isinstance(text, str):
        raise InputError.of("policy", text, f"{POLICY}, with optional parameters")
    if text != POLICY:
        policy_named(text)
    return text
