"""AnyResponse: the policy, its family of response curves, its posterior and its rule.

The policy loads what is compiled, so it is loaded when it is asked for: sizes and families do without.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from allotment.policies.any_response.policy import AnyResponse as AnyResponse


def __getattr__(name: str) -> Any:
    if name != "AnyResponse":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from allotment.policies.any_response.policy import AnyResponse

    return AnyResponse
